import ExecuTorch
import Foundation
import Testing

struct ModuleExecutionTests {
  private let x = Tensor<Float>([1, 2, 3])
  private let y = Tensor<Float>([10, 20, 30])
  private let sum = Tensor<Float>([11, 22, 33])
  private let rows = Tensor<Float>([1, 2, 3, 4, 5, 6], shape: [2, 3])

  // MARK: Overloads

  @Test func `inputs come as an array, one by one or from before`() throws {
    let module = Fixture.module("methods.pte")
    let expected = [Value(sum)]
    #expect(try module.forward([x, y]) as [Value] == expected)
    #expect(try module.forward(x, y) as [Value] == expected)
    #expect(try module.execute("forward", [x, y]) as [Value] == expected)
    #expect(try module.execute("forward", x, y) as [Value] == expected)
    try module.setInputs(x, y)
    #expect(try module.forward() as [Value] == expected)
    #expect(try module.execute("forward") as [Value] == expected)
    #expect(try module.execute("rows", rows) as [Value] == [Value(Tensor<Float>([2, 4, 6, 8, 10, 12], shape: [2, 3]))])
  }

  @Test func `inputs may be values, tensors with and without a type, and numbers`() throws {
    let module = Fixture.module("methods.pte")
    #expect(try module.forward([Value(x), y.anyTensor]) == sum)
    #expect(try module.execute("scaled", [Tensor<Float>([1, 2]), 3, 0.5, true]) == Tensor<Float>([-1.5, -3]))
  }

  @Test func `outputs become what the caller asks for`() throws {
    let module = Fixture.module("methods.pte")
    let tensor: Tensor<Float> = try module.forward(x, y)
    let array: Tensor<Float> = try module.forward([x, y])
    let tensors: [Tensor<Float>] = try module.execute("forward", x, y)
    let named: Tensor<Float> = try module.execute("forward", [x, y])
    let single: Tensor<Float> = try module.execute("rows", rows)
    let value: Value = try module.forward(x, y)
    #expect(tensor == sum && array == sum && tensors == [sum] && named == sum && value == Value(sum))
    #expect(single.scalars() == [2, 4, 6, 8, 10, 12])
    #expect(try Tensor<Float>(module.forward(x, y)) == sum)
    #expect(try Tensor<Float>(module.execute("rows", rows)).count == 6)
    #expect(try module.execute("rows", rows) == [Value(single)])
    try module.setInputs(x, y)
    let again: Tensor<Float> = try module.forward()
    let length: Int = try module.execute("context_length")
    let greeting: String = try module.execute("greeting")
    let scale: Double = try module.execute("scale")
    let isReady: Bool = try module.execute("is_ready")
    #expect(again == sum && length == 128 && greeting == "hello" && scale == 0.5 && isReady)
    let counter: Tensor<Float> = try Fixture.module("counter.pte").forward(Tensor<Float>([1, 2]))
    #expect(counter.scalars() == [1, 2])
  }

  @Test func `outputs that do not make what is asked for are an error of type`() throws {
    let module = Fixture.module("methods.pte")
    #expect(try thrown { try module.forward(x, y) as Tensor<Double> }.code == .invalidType)
    #expect(try thrown { try module.forward(x, y) as Int }.code == .invalidType)
    #expect(try thrown { try module.execute("two", rows) as Tensor<Float> }.code == .invalidType)
    #expect(try thrown { try module.execute("counted", rows) as [Tensor<Float>] }.code == .invalidType)
  }

  @Test func `several outputs come in order, tensors and numbers`() throws {
    let module = Fixture.module("methods.pte")
    let two: [Tensor<Float>] = try module.execute("two", rows)
    #expect(two == [Tensor<Float>([2, 4, 6, 8, 10, 12], shape: [2, 3]), Tensor<Float>([6, 15])])
    for count in [1, 4, 2] {
      let outputs = try module.execute("counted", Tensor<Float>.ones(shape: [count, 3]))
      #expect(outputs.count == 2 && outputs[1].isInteger && outputs[1].integer == count)
      #expect(outputs[0].tensor() == Tensor<Float>.full(shape: [count, 3], scalar: 2))
    }
  }

  @Test func `outputs of one run are left alone by the next`() throws {
    let module = Fixture.module("methods.pte")
    let first: Tensor<Float> = try module.forward(x, y)
    let second: Tensor<Float> = try module.forward(y, y)
    #expect(first == sum && second.scalars() == [20, 40, 60])
  }

  // MARK: Inputs that do not fit

  @Test func `inputs of a wrong number, type, rank or extent are refused`() throws {
    let module = Fixture.module("methods.pte")
    let wrong: [[any ValueConvertible]] = [
      [], [x], [x, y, x], [x, Tensor<Double>([1, 2, 3])], [x, Tensor<Float>([1, 2])], [x, Tensor<Float>([1, 2, 3], shape: [1, 3])],
      [x, 3], [x, "text"],
    ]
    for inputs in wrong {
      #expect(try thrown { try module.forward(inputs) }.code == .invalidArgument, "\(inputs)")
    }
    #expect(try thrown { try module.execute("rows", Tensor<Float>.ones(shape: [5, 3])) }.code == .invalidArgument)
    #expect(try module.forward(x, y) == sum)
  }

  @Test func `numbers must be those that the program was exported with`() throws {
    let module = Fixture.module("methods.pte")
    let input = Tensor<Float>([1, 2])
    #expect(try module.execute("scaled", input, 3, 0.5, true) == Tensor<Float>([-1.5, -3]))
    let wrong: [[any ValueConvertible]] = [
      [input, 4, 0.5, true], [input, 3, 0.25, true], [input, 3, 0.5, false], [input, true, 0.5, true], [input, 3, "0.5", true],
    ]
    for inputs in wrong {
      #expect(try thrown { try module.execute("scaled", inputs) }.code == .invalidArgument, "\(inputs)")
    }
  }

  // MARK: Setting inputs

  @Test func `every form of setting an input reaches its place`() throws {
    let module = Fixture.module("methods.pte")
    try module.setInput(x)
    try module.setInput(y, at: 1)
    #expect(try module.forward() == sum)
    try module.setInput(y, for: "forward")
    try module.setInput(x, for: "forward", at: 1)
    #expect(try module.forward() == sum)
    try module.setInput(x, at: 0)
    #expect(try module.forward() == Tensor<Float>([2, 4, 6]))
    try module.setInputs([x, y])
    #expect(try module.forward() == sum)
    try module.setInputs([y, y], for: "forward")
    #expect(try module.forward() == Tensor<Float>([20, 40, 60]))
    try module.setInputs(x, x, for: "forward")
    #expect(try module.forward() == Tensor<Float>([2, 4, 6]))
    try module.setInputs(rows, for: "rows")
    #expect(try module.execute("rows") == Tensor<Float>([2, 4, 6, 8, 10, 12], shape: [2, 3]))
  }

  @Test func `a value that does not fit is refused when it is set`() throws {
    let module = Fixture.module("methods.pte")
    #expect(try thrown { try module.setInput(x, at: 2) }.code == .invalidArgument)
    #expect(try thrown { try module.setInput(x, at: -1) }.code == .invalidArgument)
    #expect(try thrown { try module.setInput(Tensor<Float>([1])) }.code == .invalidArgument)
    #expect(try thrown { try module.setInput(1) }.code == .invalidArgument)
    #expect(try thrown { try module.setInputs(x) }.code == .invalidArgument)
    #expect(try thrown { try module.forward() }.code == .invalidArgument)
  }

  @Test func `inputs given to a run stay set for the next`() throws {
    let module = Fixture.module("methods.pte")
    #expect(try module.forward(x, y) == sum)
    #expect(try module.forward() == sum)
    #expect(try module.execute("forward") == [Value(sum)])
    #expect(try module.forward(y) == Tensor<Float>([20, 40, 60]))
    #expect(try module.forward() == Tensor<Float>([20, 40, 60]))
    try module.setInput(x, at: 1)
    #expect(try module.forward() == sum)
    #expect(try module.execute("scaled", Tensor<Float>([1, 2]), 3, 0.5, true) == Tensor<Float>([-1.5, -3]))
    #expect(try module.execute("scaled", Tensor<Float>([2, 4])) == Tensor<Float>([-3, -6]))
    for count in [4, 2] {
      let rows: Tensor<Float> = try module.execute("rows", Tensor<Float>.ones(shape: [count, 3]))
      let again: Tensor<Float> = try module.execute("rows")
      #expect(again == rows && again.shape == [count, 3])
    }
    module.unload("forward")
    #expect(try thrown { try module.forward() }.code == .invalidArgument)
  }

  @Test func `inputs before the first that does not fit are set`() throws {
    let module = Fixture.module("methods.pte")
    #expect(try thrown { try module.forward(x) }.code == .invalidArgument)
    try module.setInput(y, at: 1)
    #expect(try module.forward() == sum)
    #expect(try thrown { try module.forward(y, Tensor<Float>([1])) }.code == .invalidArgument)
    #expect(try module.forward() == Tensor<Float>([20, 40, 60]))
    #expect(try thrown { try module.forward(x, y, y) }.code == .invalidArgument)
    #expect(try module.forward() == sum)
  }

  @Test func `planned inputs given to a run are copied, others are read again by the next`() throws {
    for (file, expected) in [("methods.pte", [11, 22, 33] as [Float]), ("unplanned.pte", [110, 22, 33])] {
      let module = Fixture.module(file)
      let input = Tensor<Float>([1, 2, 3])
      #expect(try module.forward(input, y) == sum)
      unsafe input.withUnsafeMutableBytes { unsafe $0[0] = 100 }
      #expect(try Tensor<Float>(module.forward()).scalars() == expected)
    }
  }

  @Test func `planned inputs are copied when they are set, others are read when the method runs`() throws {
    for (file, expected) in [("methods.pte", [11, 22, 33] as [Float]), ("unplanned.pte", [110, 22, 33])] {
      let module = Fixture.module(file)
      let input = Tensor<Float>([1, 2, 3])
      try module.setInputs(input, y)
      unsafe input.withUnsafeMutableBytes { unsafe $0[0] = 100 }
      #expect(try Tensor<Float>(module.forward()).scalars() == expected)
      #expect(try Tensor<Float>(module.forward()).scalars() == expected)
    }
  }

  // MARK: Setting outputs

  private func address(_ tensor: Tensor<Float>) -> UInt { unsafe tensor.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }

  @Test(arguments: ["methods.pte", "unplanned.pte"])
  func `an output that was set is written in place, run after run`(file: String) throws {
    let module = Fixture.module(file)
    let output = Tensor<Float>.zeros(shape: [3])
    try module.setOutput(output)
    let first: Tensor<Float> = try module.forward(x, y)
    #expect(address(first) == address(output) && output == sum)
    let second: Tensor<Float> = try module.forward(y, y)
    #expect(address(second) == address(output) && output.scalars() == [20, 40, 60])
  }

  @Test func `every form of setting an output reaches its place`() throws {
    let module = Fixture.module("methods.pte")
    let outputs = [Tensor<Float>.zeros(shape: [2, 3]), Tensor<Float>.zeros(shape: [2])]
    try module.setOutput(outputs[0], for: "two")
    try module.setOutput(outputs[1], for: "two", at: 1)
    _ = try module.execute("two", rows)
    #expect(outputs[0].scalars() == [2, 4, 6, 8, 10, 12] && outputs[1].scalars() == [6, 15])
    let sums = [Tensor<Float>.zeros(shape: [3]), Tensor<Float>.zeros(shape: [3])]
    try module.setOutput(sums[0])
    _ = try module.forward(x, y)
    try module.setOutput(sums[1], at: 0)
    _ = try module.forward(y, y)
    #expect(sums[0] == sum && sums[1].scalars() == [20, 40, 60])
  }

  @Test func `a tensor that cannot take an output is refused`() throws {
    let module = Fixture.module("methods.pte")
    #expect(try thrown { try module.setOutput(Tensor<Float>.zeros(shape: [2])) }.code == .invalidArgument)
    #expect(try thrown { try module.setOutput(Tensor<Int32>.zeros(shape: [3])) }.code == .invalidArgument)
    #expect(try thrown { try module.setOutput(x, at: 1) }.code == .invalidArgument)
    #expect(try thrown { try module.setOutput(1) }.code == .invalidArgument)
    #expect(try thrown { try module.setOutput(x, for: "counted", at: 1) }.code == .invalidArgument)
    #expect(try module.forward(x, y) == sum)
  }

  @Test func `an output smaller than its memory has the shape of the run`() throws {
    let module = Fixture.module("methods.pte")
    let output = Tensor<Float>.full(shape: [4, 3], scalar: -1)
    try module.setOutput(output, for: "rows")
    let result: Tensor<Float> = try module.execute("rows", rows)
    #expect(result.shape == [2, 3] && result.scalars() == [2, 4, 6, 8, 10, 12] && address(result) == address(output))
    #expect(output.shape == [4, 3] && output.scalars() == [2, 4, 6, 8, 10, 12, -1, -1, -1, -1, -1, -1])
  }

  // MARK: Layouts and shapes

  @Test func `inputs in either order of axes give the same, in the program's order`() throws {
    let module = Fixture.module("methods.pte")
    let rowMajor = Tensor<Float>((0..<24).map { Float($0) - 12 }, shape: [1, 2, 3, 4])
    // The same picture, its two channels innermost.
    let last = Tensor<Float>(
      (0..<12).flatMap { [Float($0) - 12, Float($0)] }, shape: [1, 2, 3, 4], strides: [24, 1, 8, 2], dimensionOrder: [0, 2, 3, 1])
    let expected = (0..<12).flatMap { [max(Float($0) - 12, 0), Float($0)] }
    for input in [rowMajor, last] {
      let output: Tensor<Float> = try module.execute("picture", input)
      #expect(output.shape == [1, 2, 3, 4] && output.dimensionOrder == [0, 2, 3, 1] && output.strides == [24, 1, 8, 2])
      let elements = unsafe output.withUnsafeBytes { unsafe Array($0) }
      #expect(elements == expected)
    }
  }

  @Test func `extents may change from run to run up to their bound`() throws {
    let module = Fixture.module("methods.pte")
    for count in [4, 1, 3, 2, 4] {
      let output: Tensor<Float> = try module.execute("rows", Tensor<Float>.ones(shape: [count, 3]))
      #expect(output == Tensor<Float>.full(shape: [count, 3], scalar: 2))
      #expect(output.shapeDynamism == .dynamicBound)
    }
  }

  @Test func `memory that does not start at a whole element is read all the same`() throws {
    let module = Fixture.module("methods.pte")
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    defer { unsafe bytes.deallocate() }
    for (index, value) in [Float(1), 2, 3].enumerated() {
      unsafe (bytes + 1 + index * 4).storeBytes(of: value, as: Float.self)
    }
    let input = unsafe AnyTensor(bytesNoCopy: bytes + 1, shape: [3], dataType: .float)
    #expect(try module.forward(input, y) == sum)
  }

  // MARK: Threads

  @Test func `threads that use one module at once wait for each other`() async throws {
    // A module is no Sendable: that it survives misuse is what is tested.
    struct Shared: @unchecked Sendable {
      let module: Module
    }
    let shared = Shared(module: Fixture.module("methods.pte"))
    let isRight = await withTaskGroup(of: Bool.self) { group in
      for task in 0..<4 {
        group.addTask {
          (0..<50).allSatisfy { round in
            let value = Float(task * 100 + round)
            let input = Tensor<Float>.full(shape: [3], scalar: value)
            let output: Tensor<Float>? = try? shared.module.forward(input, input)
            if round % 10 == 9 { shared.module.unload("forward") }
            return output == Tensor<Float>.full(shape: [3], scalar: 2 * value)
          }
        }
      }
      return await group.allSatisfy { $0 }
    }
    #expect(isRight)
  }
}
