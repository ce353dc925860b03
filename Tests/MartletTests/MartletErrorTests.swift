import Foundation
import Martlet
import MartletTensor
import Testing

@Suite("Errors")
struct MartletErrorTests {
  private static func file(_ name: String, _ type: String) -> URL {
    Bundle.module.url(forResource: name, withExtension: type, subdirectory: "Fixtures")!
  }

  @Test func `The text is made of the parts that there are`() {
    var error = MartletError.unsupported("no such operator is known")
    #expect("\(error)" == "unsupported: no such operator is known")
    error.file = "model.pte"
    error.method = "forward"
    error.node = "instruction 3 of chain 0"
    error.operator = "aten::add.out"
    #expect(error.message == "model.pte: method forward, aten::add.out (instruction 3 of chain 0): no such operator is known")
    error.expected = "float32"
    error.found = "int64"
    #expect(error.message.hasSuffix("no such operator is known: expected float32, found int64"))
    #expect(error.localizedDescription == error.description)

    var damaged = MartletError.invalidFile("too short")
    (damaged.file, damaged.byteOffset, damaged.field) = ("model.pte", 16, "program.segments")
    #expect("\(damaged)" == "invalid file: model.pte, byte 16, program.segments: too short")
  }

  @Test(arguments: MartletError.Kind.allCases)
  func `Errors match by kind`(kind: MartletError.Kind) {
    for other in MartletError.Kind.allCases {
      do {
        throw MartletError(other, "reason")
      } catch kind {
        #expect(kind == other)
      } catch {
        #expect(kind != other)
      }
    }
  }

  @Test func `A file that is damaged is told with the byte`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString).pte")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data([0xff, 0xff, 0xff, 0xff] + Array("ET12".utf8) + Array(repeating: 0, count: 32)).write(to: file)
    let error = #expect(throws: MartletError.self) { try Model(contentsOf: file) }
    #expect(error?.kind == .invalidFile)
    #expect(error?.file == file.path)
    #expect(error?.field?.isEmpty == false)
  }

  @Test func `A call that needs more memory than it may take is an error of its own`() throws {
    var options = ModelOptions()
    options.memoryLimit = 16
    let model = try Model(contentsOf: Self.file("network", "mlpackage"), options: options)
    let error = #expect(throws: MartletError.self) { try model.load() }
    #expect(error?.kind == .outOfMemory)
    #expect(error?.method == model.defaultMethod)
    #expect(error?.file?.hasSuffix("network.mlpackage") == true)
    #expect(error?.expected == "at most 16 bytes")
    #expect(error?.found.flatMap { Int($0) }.map { $0 > 16 } == true)
  }

  @Test func `A model that takes more work than it may is an error of its own`() async throws {
    var options = ModelOptions()
    options.workLimit = 1
    let model = try Model(contentsOf: Self.file("network", "mlpackage"), options: options)
    func load() throws { try model.load() }
    let error = #expect(throws: MartletError.self) { try load() }
    #expect(error?.kind == .outOfWork)
    #expect(error?.method == model.defaultMethod)
    #expect(error?.expected == "at most 1 units")
  }

  @Test func `A cancelled task does not load a model, and the next one does`() async throws {
    let model = try Model(contentsOf: Self.file("network", "mlpackage"))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await model.load()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!model.isLoaded(method: model.defaultMethod))
    try await model.load()
    #expect(model.isLoaded(method: model.defaultMethod))
  }

  @Test func `A cancelled task or command stops calls that name no cancellation`() throws {
    let model = try Model(contentsOf: Self.file("network", "mlpackage"))
    let inputs = try model.signature(of: nil).inputs.map { input in
      guard case .tensor(_, let shape, _) = input.kind else { throw MartletError.invalidInput("no tensor") }
      return ModelValue.tensor(try Tensor([Float](repeating: 0, count: shape.reduce(1, *)), shape: shape))
    }
    let cancellation = Cancellation()
    try Cancellation.$current.withValue(cancellation) {
      _ = try model.run(inputs)
      cancellation.cancel()
      let failure = #expect(throws: (any Error).self) { _ = try model.run(inputs) as [ModelValue] }
      #expect(failure is CancellationError)
      let other = try Model(contentsOf: Self.file("network", "mlpackage"))
      #expect(throws: CancellationError.self) { try other.load(method: nil, precision: nil) }
      #expect(!other.isLoaded(method: other.defaultMethod))
    }
    _ = try model.run(inputs)
  }

  @Test func `An input that does not fit is told with its method and both types`() throws {
    let model = try Model(contentsOf: Self.file("network", "mlpackage"))
    let wrong = try Tensor([Int32](repeating: 0, count: 2), shape: [2])
    let error = #expect(throws: MartletError.self) {
      func run() throws { _ = try model.run([.tensor(wrong)]) }
      try run()
    }
    #expect(error?.kind == .invalidInput)
    #expect(error?.method == model.defaultMethod)
    #expect(error?.expected?.hasPrefix("float") == true)
    #expect(error?.found == "int32[2]")
  }
}
