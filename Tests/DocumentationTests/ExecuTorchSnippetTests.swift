import ExecuTorch
import Foundation
import Testing

/// The code of the documentation's pages, between the marks, as it stands there.
struct ExecuTorchSnippetTests {
  private let path = Pages.root.appendingPathComponent("Tests/ExecuTorchTests/Fixtures/delegated.pte").path
  private let input = Tensor<Float>([1, 2, 3], shape: [1, 3])

  @Test func `the landing page's example runs`() throws {
    // page: ExecuTorch
    let module = Module(filePath: path)
    let input = Tensor<Float>([1, 2, 3], shape: [1, 3])
    let output = try Tensor<Float>(module.forward(input))
    print(output.scalars())
    // end
    #expect(output.scalars() == [14.25, 11.5])
  }

  @Test func `models are loaded, asked and run`() throws {
    // page: RunningAModel
    let module = Module(filePath: path, loadMode: .mmap)
    try module.load("forward")
    print(module.isLoaded("forward"))
    // end
    #expect(module.isLoaded("forward"))
    // page: RunningAModel
    let names = try module.methodNames()
    let metadata = try module.methodMetadata("forward")
    if let first = metadata.inputTensorMetadata[0] {
      print(names, first.shape, first.dataType)
      let input = AnyTensor.rand(shape: first.shape, dataType: first.dataType)
      print(try module.forward(input).count)
    }
    // end
    #expect(names == ["forward"] && metadata.inputTensorMetadata[0]?.shape == [1, 3])
    // page: RunningAModel
    let values = try module.execute("forward", [input])
    if let tensor: Tensor<Float> = values.first?.tensor() { print(tensor.scalars()) }
    let output: Tensor<Float> = try module.forward(input)
    // end
    #expect(output.scalars() == [14.25, 11.5])
    // page: RunningAModel
    do {
      _ = try module.execute("another_method", input)
    } catch let error as ErrorCode where error.code == .invalidArgument {
      print(error.localizedDescription)
    }
    // end
    #expect(throws: ErrorCode.self) { try module.execute("another_method", input) as [Value] }
  }

  @Test func `models run with inputs and outputs set`() throws {
    let module = Module(filePath: path)
    // page: RunningAModel
    let output = Tensor<Float>.zeros(shape: [1, 2])
    try module.setInput(input)
    try module.setOutput(output)
    _ = try module.forward()
    print(output.scalars())
    // end
    #expect(output.scalars() == [14.25, 11.5])
  }

  @Test func `tensors are made`() {
    // page: Tensors
    let inferred = Tensor([1.0, 2.0, 3.0, 4.0])  // Tensor<Double> of the shape [4]
    let shaped = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3])  // Tensor<Int>
    let single = Tensor(42)  // shape []
    let sevens = Tensor<Int32>.full(shape: [2, 2], scalar: 7)
    let zeros = Tensor<Float>.zeros(like: Tensor<Float>.ones(shape: [3, 3]))
    let dice = Tensor<Int>.randint(low: 1, high: 7, shape: [5])
    let untyped = AnyTensor.rand(shape: [2, 3], dataType: .double)
    // end
    #expect(inferred.shape == [4] && shaped.shape == [2, 3] && single.shape == [] && sevens.scalars() == [7, 7, 7, 7])
    #expect(zeros.scalars() == Array(repeating: 0, count: 9) && dice.scalars().allSatisfy((1..<7).contains))
    #expect(untyped.dataType == .double && untyped.count == 6)
  }

  @Test func `tensors share memory`() {
    // page: Tensors
    var live: [Int32] = [10, 20, 30]
    let shared = Tensor(&live)
    let view = Tensor(shared, shape: [3, 1])
    let copy = shared.copy()
    shared.withUnsafeMutableBytes { $0[0] = 11 }
    print(view.scalars(), copy.scalars())  // [11, 20, 30] [10, 20, 30]
    // end
    #expect(view.scalars() == [11, 20, 30] && copy.scalars() == [10, 20, 30])
    withExtendedLifetime(live) {}
  }

  @Test func `tensors are read and changed`() throws {
    // page: Tensors
    let tensor = Tensor<Float>([1, 2, 3, 4], shape: [2, 2])
    tensor.withUnsafeMutableBytes { $0[1] = 200 }
    print(tensor.scalars())
    tensor.anyTensor.bytes { pointer, count, dataType in
      guard dataType == .float else { return }
      print(UnsafeBufferPointer(start: pointer.assumingMemoryBound(to: Float.self), count: count).max() ?? 0)
    }
    try tensor.resize(to: [4, 1])
    // end
    #expect(tensor.scalars() == [1, 200, 3, 4] && tensor.shape == [4, 1])
    // page: Tensors
    let values = [Value(tensor), Value(200), Value("world"), Value(false), Value(2.718)]
    print(values.map(\.tag))
    // end
    #expect(values.map(\.tag) == [.tensor, .integer, .string, .boolean, .double])
  }

  @Test func `messages are heard`() {
    // page: Logging
    final class ErrorList: LogSink {
      private(set) var lines: [String] = []

      func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String) {
        switch level {
        case .error, .fatal: lines.append("\(filename):\(line) \(message)")
        default: break
        }
      }
    }

    let errors = ErrorList()
    Log.shared.add(sink: errors)
    // end
    let missing = "missing-\(UUID().uuidString).pte"
    #expect(throws: ErrorCode.self) { try Module(filePath: missing).load() }
    Log.shared.remove(sink: errors)
    #if DEBUG || Logging
      #expect(errors.lines.contains { $0.hasPrefix("Module.swift:") && $0.contains(missing) })
    #else
      #expect(errors.lines.isEmpty, "release builds keep messages only with the trait Logging")
    #endif
  }

  @Test(arguments: ["ExecuTorch", "RunningAModel", "Tensors", "Logging"])
  func `the code of a page is the code that is tested`(page: String) throws {
    try Pages.check("Sources/ExecuTorch/ExecuTorch.docc/\(page).md", page: page, testedIn: #filePath)
  }
}
