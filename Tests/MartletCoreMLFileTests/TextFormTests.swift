import Foundation
import MartletBytes
import Testing

import MartletCoreMLFile

/// The text form of programs, snippet by snippet.
@Suite struct TextFormTests {
  private func program(_ text: String) throws(FileError) -> MILProgram {
    try MILTextParser.program(
      MappedFile(copying: Array(text.utf8), name: "model.mil").bytes, weights: WeightFolder(folder: nil, modelPath: "model.mil"))
  }

  /// The constant written as `literal`.
  private func constant(_ type: String, _ literal: String) throws -> MILTensor {
    let function = try program(
      "program(1.3)\n{ func main<ios18>(fp32 x) { \(type) c = const()[val = \(literal)]; } -> (c); }"
    ).functions[0]
    return try function.constant("c")
  }

  private func reason(_ text: String) -> String {
    do throws(FileError) {
      _ = try program(text)
      return "was read"
    } catch {
      return error.description
    }
  }

  @Test func `Numbers are read in every notation`() throws {
    let floats = try constant("tensor<fp32, [5]>", "tensor<fp32, [5]>([0x1.8p+1, -0x1p-2, 1e-3, inf, -inf])")
    #expect(floats.doubles == [3, -0.25, Double(Float(1e-3)), .infinity, -.infinity])
    #expect(try constant("fp16", "fp16(0x1.554p-2)").doubles == [Double(Float16(0x1.554p-2))])
    #expect(try constant("fp32", "fp32(nan)").doubles?[0].isNaN == true)
    #expect(try constant("fp32", "fp32(3)").doubles == [3])
    #expect(try constant("uint64", "uint64(18446744073709551615)").data.array == [UInt8](repeating: 255, count: 8))
    #expect(
      try constant("tensor<int32, [2]>", "tensor<int32, [2]>([-2147483648, 2147483647])").integers == [-2_147_483_648, 2_147_483_647])
    #expect(try constant("tensor<int4, [3]>", "tensor<int4, [3]>([-8, 7, -1])").integers == [-8, 7, -1])
    #expect(try constant("bool", "bool(true)").booleans == [true])
  }

  @Test func `A number of thousands of characters is refused`() {
    for number in [String(repeating: "1", count: 600_000), String(repeating: "1e+", count: 100_000) + "1"] {
      let text = "program(1.3)\n{ func main<ios18>(fp32 x) {\n fp32 c = const()[val = fp32(\(number))]; } -> (c); }"
      #expect(reason(text).contains("line 3"))
      #expect(reason(text).contains("a number of "))
    }
  }

  @Test(arguments: [("string", #""a""#), ("bool", "true"), ("int32", "7")])
  func `Long lists are read in linear time`(_ type: String, _ element: String) throws {
    try expectLinearTime { count in
      let list = [String](repeating: element, count: count).joined(separator: ",")
      let tensor = try constant("tensor<\(type), [\(count)]>", "tensor<\(type), [\(count)]>([\(list)])")
      #expect(tensor.shape == [count])
    }
  }

  @Test func `Attributes of unknown form are skipped in linear time`() throws {
    try expectLinearTime { count in
      let attributes = (0..<count / 4).map { "a\($0) = strange<\($0)>(0.5)" }.joined(separator: ",\n")
      let program = try program("program(1.3)\n[\(attributes)]\n{ func main<ios18>(fp32 x) { } -> (x); }")
      #expect(program.functions.count == 1)
    }
  }

  /// Processor time of this thread in nanoseconds.
  private var processorTime: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Compares the thread's processor time for a text with that for one eight times as long: quadratic time is 64 times as long.
  private func expectLinearTime(_ read: (_ count: Int) throws -> Void) throws {
    func time(_ count: Int) throws -> UInt64 {
      let start = processorTime
      try read(count)
      return processorTime - start
    }
    var (short, long) = try (time(8_000), time(64_000))
    // Single runs are slow on a busy machine.
    for _ in 0..<20 where long >= 30 * short {
      short = min(short, try time(8_000))
      long = min(long, try time(64_000))
    }
    #expect(long < 30 * short)
  }

  @Test func `Tensors of several axes are nested or flat lists`() throws {
    #expect(try constant("tensor<int32, [2, 2]>", "tensor<int32, [2, 2]>([[1, 2], [3, 4]])").integers == [1, 2, 3, 4])
    #expect(try constant("tensor<int32, [2, 2]>", "tensor<int32, [2, 2]>([1, 2, 3, 4])").integers == [1, 2, 3, 4])
    #expect(try constant("tensor<int32, [2, 0]>", "tensor<int32, [2, 0]>([[], []])").shape == [2, 0])
    #expect(try constant("tensor<int32, [0, 2]>", "tensor<int32, [0, 2]>([])").shape == [0, 2])
    #expect(try constant("tensor<int32, [?]>", "tensor<int32, [?]>([1, 2, 3])").shape == [3])
    #expect(throws: FileError.self) { try constant("tensor<int32, [2, 2]>", "tensor<int32, [2, 2]>([[1, 2], [3]])") }
    #expect(throws: FileError.self) { try constant("tensor<int32, [3]>", "tensor<int32, [3]>([1, 2])") }
    #expect(throws: FileError.self) { try constant("tensor<int32, [2]>", "tensor<int32, [2]>([1, [2]])") }
    #expect(throws: FileError.self) { try constant("int8", "int8(128)") }
    #expect(throws: FileError.self) { try constant("int32", "int32(1.5)") }
    #expect(throws: FileError.self) { try constant("fp32", "fp32(\"1\")") }
  }

  @Test func `Flexible shapes are attributes of the function, dimensions that are open read as unknown`() throws {
    let program = try program(
      """
      program(1.0)
      [buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3402.4.1"}})]
      {
        func main<ios17>(tensor<fp32, [1, ?]> x) [FlexibleShapeInformation = tuple<tuple<tensor<string, []>, dict<tensor<string, []>, \
      tensor<int32, [?]>>>, tuple<tensor<string, []>, dict<tensor<string, []>, list<tensor<int32, [2]>, ?>>>>((("DefaultShapes", \
      {{"x", [1, 1]}}), ("RangeDims", {{"x", [[1, 1], [1, 2048]]}})))] {
          tensor<fp32, [1, 1]> a, tensor<uint16, [1, 1]> b = topk(x = x, k = tensor<int32, []>(1))[name = tensor<string, []>("op")];
        } -> (a, b);
      }
      """)
    let function = program.functions[0]
    #expect(program.attributes["buildInfo"] != nil)
    #expect(function.inputs[0].type.tensor?.dimensions == [.constant(1), .unknown(variadic: false)])
    guard case .tuple(let parts)? = function.attributes["FlexibleShapeInformation"], case .tuple(let ranges) = parts[1],
      case .dictionary(let pairs) = ranges[1], case .list(let bounds, _) = pairs[0].value
    else {
      Issue.record("the attribute has another form")
      return
    }
    #expect(bounds.map { $0.tensor?.integers } == [[1, 1], [1, 2048]])
    #expect(function.block.operations[0].outputs.map(\.name) == ["a", "b"])
    #expect(function.block.operations[0].name == "op")
  }

  @Test func `Attributes of programs and functions that are written in an unknown way are left out`() throws {
    let program = try program(
      """
      program(1.3) [new = thing<[1, 2]>{(a, b)}, buildInfo = dict<string, string>({{"a", "b"}})]
      { func main<ios18>(fp32 x) [other = tuple<tuple<string>>()] { } -> (x); }
      """)
    #expect(program.attributes.keys.sorted() == ["buildInfo"])
    #expect(program.functions[0].attributes.isEmpty)
  }

  @Test func `Errors name the line and what is wrong`() throws {
    func body(_ operations: String) -> String { "program(1.3)\n{ func main<ios18>(fp32 x) {\n\(operations)\n} -> (x); }" }
    #expect(
      reason(body("fp32 y = relu(x = z)[];"))
        == "model.mil, main.operations[0] (relu).inputs[x]: 'z' is not defined before it is used")
    #expect(reason(body("fp32 x = relu(x = x)[];")).contains("main.operations[0] (relu).outputs: 'x' is defined twice"))
    #expect(reason(body("fp32 y = relu(x = x)")) == "model.mil, byte 63, line 4: ';' is expected instead of '}'")
    #expect(reason(body("fp33 y = relu(x = x);")).contains("'fp33' before this is not a known type"))
    #expect(reason(body("fp32 y = relu(x = x, x = x);")).contains("the parameter 'x' is given twice"))
    #expect(
      reason(body("fp32 y = const()[val = fp32(BLOBFILE(path = string(\"w\"), offset = uint64(64)))];"))
        .contains("the weight file 'w' cannot be found"))
    #expect(reason("program(1.3) { }").contains("the program has no function"))
    #expect(reason("program(1.3) { func main<ios18>(fp32 x) { } -> (x); } more").contains("the program ends before 'more'"))
    #expect(reason("program(1.3) { func a<ios18>(fp32 x) { } -> (x); func a<ios18>(fp32 x) { } -> (x); }").contains("same name"))
    #expect(reason("program(1.3) [a = string(\"x").contains("a string is not terminated"))
    #expect(reason("program(1.3) { func main<ios18>(fp32 x) { ").contains("instead of the end"))
  }

  @Test func `Deep nesting is refused`() {
    let blocks = String(repeating: "f() () { ", count: 100_000)
    #expect(reason("program(1.3) { func main<ios18>(fp32 x) { " + blocks).contains("nested too deeply"))
    let types = String(repeating: "state<", count: 100_000)
    #expect(reason("program(1.3) { func main<ios18>(" + types).contains("nested too deeply"))
    let lists = String(repeating: "[", count: 100_000)
    #expect(reason("program(1.3) { func main<ios18>(fp32 x) { f(a = tensor<int32, [1]>(" + lists).contains("nested too deeply"))
  }

  @Test func `Narrow floating-point formats convert exactly and round to nearest even`() {
    for bits in UInt16.min ... .max {
      let value = Float16(bitPattern: bits)
      if value.isNaN {
        #expect(SmallFloat.float16.value(ofBits: UInt32(bits)).isNaN)
      } else {
        #expect(SmallFloat.float16.value(ofBits: UInt32(bits)) == Double(value))
        #expect(SmallFloat.float16.bits(of: Double(value)) == UInt32(bits))
      }
    }
    for value in [1 + 0x1p-11, 1 + 0x1.8p-10, 65519.9, 65520, 0x1p-25, 0x1.8p-25, 0x1.ffcp-15, 1e300, .leastNonzeroMagnitude, -0.1] {
      #expect(SmallFloat.float16.bits(of: value) == UInt32(Float16(value).bitPattern), "\(value)")
    }
    #expect(SmallFloat.float8E4M3FN.value(ofBits: 0x7E) == 448)
    #expect(SmallFloat.float8E4M3FN.value(ofBits: 0x7F).isNaN)
    #expect(SmallFloat.float8E4M3FN.value(ofBits: 0x01) == 0x1p-9)
    #expect(SmallFloat.float8E4M3FN.bits(of: 448) == 0x7E)
    #expect(SmallFloat.float8E5M2.value(ofBits: 0x7B) == 57344)
    #expect(SmallFloat.float8E5M2.value(ofBits: 0x7C) == .infinity)
  }
}
