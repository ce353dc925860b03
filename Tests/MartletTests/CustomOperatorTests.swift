import Foundation
import Martlet
import Synchronization
import Testing

/// Models that call operators which the test registers (made by `Oracles/make_custom_operator_fixture.py`).
@Suite("Custom operators")
struct CustomOperatorTests {
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  private static let file = Bundle.module.url(forResource: "custom_operators", withExtension: "pte", subdirectory: "Fixtures")!

  /// scale_shift(Tensor x, float scale, Tensor? shift)
  private static let scaleShift = CustomOperator("martlet_test::scale_shift.out") { arguments in
    [try arguments.tensor(0)]
  } kernel: { call in
    let x = try unsafe call.input(0).elements(as: Float.self)
    let y = try unsafe call.output(0).elements(as: Float.self)
    let scale = Float(try call.arguments.double(1))
    let shift: Float = try unsafe call.optionalInput(2)?.elements(as: Float.self).first ?? 0
    for index in 0..<x.count { unsafe y[index] = scale * x[index] + shift }
  }

  /// extremes(Tensor x, int[] axes, bool keep) of a tensor of rank 3 over the outer and the inner axis.
  private static let extremes = CustomOperator("martlet_test::extremes.out") { arguments in
    var type = try arguments.tensor(0)
    guard try arguments.intList(1) == [0, -1], try arguments.bool(2) else { throw Refusal(description: "only axes 0 and -1") }
    type.shape[0] = 1
    type.shape[2] = 1
    return [type, type]
  } kernel: { call in
    let x = try call.input(0)
    let (outer, middle, inner) = (x.shape[0], x.shape[1], x.shape[2])
    let values = try unsafe x.elements(as: Float.self)
    let low = try unsafe call.output(0).elements(as: Float.self)
    let high = try unsafe call.output(1).elements(as: Float.self)
    for m in 0..<middle {
      var range: (Float, Float) = (.infinity, -.infinity)
      for o in 0..<outer {
        for i in 0..<inner {
          let value = unsafe values[(o * middle + m) * inner + i]
          range = (min(range.0, value), max(range.1, value))
        }
      }
      unsafe low[m] = range.0
      unsafe high[m] = range.1
    }
  }

  /// tile(Tensor[] xs, Tensor? extra, SymInt count, str mode)
  private static let tile = CustomOperator("martlet_test::tile.out") { arguments in
    guard let first = try arguments.tensorList(0)[0] else { throw Refusal(description: "no tensor") }
    return [TensorDescription(first.dataType, shape: [try arguments.int(2)] + first.shape)]
  } kernel: { call in
    guard try call.arguments.isNone(1), try call.arguments.string(3) == "sum" else { throw Refusal(description: "unexpected arguments") }
    let a = try unsafe call.input(0, item: 0).elements(as: Float.self)
    let b = try unsafe call.input(0, item: 1).elements(as: Float.self)
    let y = try unsafe call.output(0).elements(as: Float.self)
    let count = try call.arguments.int(2)
    call.parallel(count, grain: 1) { range in
      for copy in range {
        for index in 0..<a.count { unsafe y[copy * a.count + index] = a[index] + b[index] }
      }
    }
  }

  /// halves(Tensor x) -> Tensor[]
  private static let halves = CustomOperator("martlet_test::halves.out") { arguments in
    var type = try arguments.tensor(0)
    type.shape[1] /= 2
    return [type, type]
  } kernel: { call in
    let x = try call.input(0)
    let half = x.shape[1] / 2
    let values = try unsafe x.elements(as: Float.self)
    for part in 0..<call.outputCount {
      let target = try unsafe call.output(part).elements(as: Float.self)
      for row in 0..<x.shape[0] {
        for column in 0..<half { unsafe target[row * half + column] = values[row * x.shape[1] + part * half + column] }
      }
    }
  }

  private func model(_ operators: [CustomOperator], optimized: Bool = true) throws -> Model {
    var options = ModelOptions()
    options.threads = 2
    options.customOperators = operators
    options.isOptimized = optimized
    return try Model(contentsOf: Self.file, options: options)
  }

  private func run(_ model: Model, _ method: String, _ inputs: [([Float], [Int])]) throws -> [(values: [Float], shape: [Int])] {
    try model.run(try inputs.map { .tensor(try Tensor($0.0, shape: $0.1)) }, method: method).map { output in
      let tensor = try #require(output.tensor)
      return (try tensor.scalars(), tensor.shape)
    }
  }

  @Test("A custom operator works between built-in ones, for every extent of a dynamic axis", arguments: [true, false])
  func amongOthers(optimized: Bool) throws {
    let model = try model([Self.scaleShift], optimized: optimized)
    for rows in [1, 2, 5, 8, 2] {
      let x = (0..<rows * 3).map { Float($0) - 2 }
      let result = try run(model, "forward", [(x, [rows, 3])])[0]
      #expect(result.shape == [3, rows])
      for row in 0..<rows {
        for column in 0..<3 {
          let expected = max((x[row * 3 + column] - 1) * 2 + 0.5, 0) + 3
          #expect(result.values[column * rows + row] == expected)
        }
      }
    }
  }

  @Test("An operator may have several outputs, lists of integers and flags")
  func severalOutputs() throws {
    let x = (0..<12).map { Float($0) - 3 }
    let results = try run(try model([Self.extremes]), "extremes", [(x, [2, 3, 2])])
    #expect(results.map(\.shape) == [[1, 3, 1], [1, 3, 1]])
    // Elements 2m, 2m + 1, 2m + 6 and 2m + 7.
    #expect(results[1].values == [4, 6, 8])
    #expect(results[0].values == [7, 7, 7])
  }

  @Test("An operator may take lists of tensors, absent tensors, texts and numbers that the program computes")
  func otherArguments() throws {
    let model = try model([Self.tile])
    for rows in [2, 1, 7] {
      let x = (0..<rows * 3).map { Float($0) }
      let y = x.map { 10 * $0 }
      let result = try run(model, "tiled", [(x, [rows, 3]), (y, [rows, 3])])[0]
      #expect(result.shape == [2 * rows, rows, 3])
      #expect(result.values == (0..<2 * rows).flatMap { _ in x.map { 11 * $0 } })
    }
  }

  @Test("An operator's outputs may be a list")
  func listedOutputs() throws {
    let x: [Float] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    let result = try run(try model([Self.halves]), "listed", [(x, [3, 4])])[0]
    #expect(result.shape == [3, 2])
    #expect(result.values == [3, 8, 35, 48, 99, 120])
  }

  @Test("A pure operator on constants runs once, any other in every run")
  func constants() throws {
    for isPure in [true, false] {
      let counter = Counter()
      let counting = CustomOperator("martlet_test::scale_shift.out", isPure: isPure) { arguments in
        [try arguments.tensor(0)]
      } kernel: { call in
        counter.count.withLock { $0 += 1 }
        let x = try unsafe call.input(0).elements(as: Float.self)
        let y = try unsafe call.output(0).elements(as: Float.self)
        for index in 0..<x.count { unsafe y[index] = x[index] * Float(try call.arguments.double(1)) }
      }
      let model = try model([counting])
      for _ in 0..<3 {
        #expect(try run(model, "constant", [([1, 1, 1, 1], [4])])[0].values == [1, 11, 21, 31])
      }
      #expect(counter.count.withLock { $0 } == (isPure ? 1 : 3))
    }
  }

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  @Test("A model whose operator is not registered cannot be loaded; the error names operator, instruction and file")
  func unknown() throws {
    let model = try model([Self.extremes])
    let error = #expect(throws: MartletError.self) { try model.load() }
    #expect(error?.kind == .unsupported)
    #expect(error?.file?.hasSuffix("custom_operators.pte") == true)
    #expect(error?.method == "forward")
    #expect(error?.node == "instruction 3 of chain 0")
    #expect(error?.operator == "martlet_test::scale_shift.out")
    // Methods that do without it still load.
    try model.load(method: "extremes")
  }

  @Test("What a rule or a kernel throws is the run's error, with file, operator and instruction")
  func thrownErrors() throws {
    let refusing = [
      CustomOperator("martlet_test::scale_shift.out") { _ in
        throw Refusal(description: "out of order")
      } kernel: { _ in
      },
      CustomOperator("martlet_test::scale_shift.out") { arguments in
        [try arguments.tensor(0)]
      } kernel: { _ in
        throw Refusal(description: "out of order")
      },
    ]
    for refusing in refusing {
      let model = try model([refusing])
      let error = #expect(throws: MartletError.self) { try run(model, "forward", [([1, 2, 3], [1, 3])]) }
      #expect(error?.kind == .executionFailed)
      #expect(error?.file == "custom_operators.pte")
      #expect(error?.method == "forward")
      #expect(error?.node?.hasPrefix("martlet_test::scale_shift.out #") == true)
      #expect(error?.reason.contains("out of order") == true)
    }
  }

  @Test("An error in the use of the arguments says which argument was wrong and how")
  func wrongUse() throws {
    func message(_ use: @escaping @Sendable (CustomOperator.Call) throws -> Void) throws -> String {
      let custom = CustomOperator("martlet_test::scale_shift.out") {
        [try $0.tensor(0)]
      } kernel: {
        try use($0)
      }
      let model = try model([custom])
      let error = #expect(throws: MartletError.self) { try run(model, "forward", [([1, 2, 3], [1, 3])]) }
      return error.map { "\($0)" } ?? ""
    }
    #expect(try message { _ = try $0.arguments.intList(0) }.contains("argument 0 is a tensor, not a list of integers"))
    #expect(try message { _ = try $0.arguments.int(1) }.contains("argument 1 is 2.0, not an integer"))
    #expect(try message { _ = try $0.arguments.int(3) }.contains("argument 3 does not exist: the call has 3"))
    #expect(try message { _ = try $0.input(1) }.contains("argument 1 is a number, not a tensor"))
    #expect(try message { _ = try $0.output(1) }.contains("output 1 does not exist: the operator has 1"))
    #expect(try message { _ = try unsafe $0.input(0).elements(as: Int32.self) }.contains("holds float32 elements, not int32"))
  }

  @Test("Outputs that the file does not declare are an error")
  func wrongRule() throws {
    func message(_ outputs: [TensorDescription]) throws -> String {
      let model = try model([
        CustomOperator("martlet_test::scale_shift.out") { _ in
          outputs
        } kernel: { _ in
        }
      ])
      let error = #expect(throws: MartletError.self) { try run(model, "forward", [([1, 2, 3], [1, 3])]) }
      return error.map { "\($0)" } ?? ""
    }
    #expect(try message([]).contains("returns 0 outputs, but the file declares 1"))
    #expect(try message([TensorDescription(.int64, shape: [3, 1])]).contains("is int64[3, 1], but the file declares float32"))
    #expect(try message([TensorDescription(.float32, shape: [3])]).contains("is float32[3], but the file declares float32"))
    #expect(try message([TensorDescription(.float32, shape: [3, -1])]).contains("output 0 of its shape rule is float32[3, -1]"))
    #expect(try message([TensorDescription(.float32, shape: [4, 1])]).contains("output 0 of its shape rule is float32[4, 1]"))
  }

  @Test("The engine's operators, malformed names and doubles are refused when the model is opened")
  func names() throws {
    for name in ["aten::add.out", "scale_shift.out", "::x", "my::"] {
      let custom = CustomOperator(name) { _ in
        []
      } kernel: { _ in
      }
      let error = #expect(throws: MartletError.self) { try model([custom]) }
      #expect(error?.kind == .invalidInput)
      #expect(error?.message.contains(name) == true)
    }
    #expect(throws: MartletError.invalidInput("two custom operators have the name martlet_test::halves.out")) {
      try model([Self.halves, Self.halves])
    }
  }
}
