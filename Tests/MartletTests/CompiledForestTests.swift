import Foundation
import Martlet
import MartletBytes
import MartletCoreMLFile
import Testing

/// Models of trees, whose compiled form holds them as kernels walk them.
@Suite struct CompiledForestTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/classic")

  /// The compiled model of a recorded case.
  private static func compiled(_ name: String, in folder: TemporaryFolder) throws -> (source: URL, compiled: URL) {
    let source = fixtures.appendingPathComponent("\(name)/model.mlmodel")
    let compiled = folder("\(name).mlmodelc")
    try Model.compile(source, to: compiled)
    return (source, compiled)
  }

  private static func outputs(_ url: URL) throws -> [String: ModelValue] {
    let model = try Model(contentsOf: url)
    let inputs = try model.signature().inputs.enumerated().map { position, input -> ModelValue in
      guard case .tensor(let type, let shape, _) = input.kind else { return .double(Double(position) / 2 - 1) }
      let count = shape.reduce(1) { $0 * $1 }
      let numbers = (0..<count).map { Double($0 % 7) / 3 - 1 }
      return .tensor(try type == .float64 ? Tensor(numbers, shape: shape) : Tensor(numbers.map { Float($0) }, shape: shape))
    }
    let results = try model.run(inputs)
    return Dictionary(zip(try model.signature().outputs.map(\.name), results), uniquingKeysWith: { first, _ in first })
  }

  @Test(arguments: [
    "tree-classifier-binary-logistic", "tree-classifier-softmax", "tree-classifier-sums", "tree-regressor-0", "tree-regressor-2",
    "pipeline-regressor", "glm-tie", "svm-four-classes",
  ])
  func `A compiled classic model gives the same`(name: String) throws {
    let folder = try TemporaryFolder()
    let (source, compiled) = try Self.compiled(name, in: folder)
    #expect(FileManager.default.fileExists(atPath: compiled.appendingPathComponent("martlet/model.bin").path))
    let (expected, found) = (try Self.outputs(source), try Self.outputs(compiled))
    #expect(expected.keys.sorted() == found.keys.sorted())
    // Dictionaries describe their pairs in any order.
    for (key, value) in expected { #expect("\(value)".sorted() == "\(found[key] ?? .none)".sorted()) }
    let sizes = try [source, compiled].map { try ModelInspection(contentsOf: $0).component?.sizes }
    #expect(sizes[0] == sizes[1])
  }

  @Test func `A compiled forest holds no nodes, and nothing in it is trusted`() throws {
    let folder = try TemporaryFolder()
    let (_, compiled) = try Self.compiled("tree-classifier-softmax", in: folder)
    let file = compiled.appendingPathComponent("martlet/model.bin")
    guard case .classic(.treeEnsembleClassifier(let classifier)) = try CoreMLModel(contentsOfPath: compiled.path).content else {
      Issue.record("the model is no forest")
      return
    }
    let packed = try #require(classifier.trees.packed)
    try classifier.trees.forEachTree { _ in Issue.record("the forest has trees") }
    #expect(packed.bytes.isAligned(to: 64) && packed.nodeCount > 0)
    let original = [UInt8](try Data(contentsOf: file))
    let start = packed.bytes.offset
    for position in stride(from: start, to: start + packed.bytes.count, by: 3) {
      var damaged = original
      damaged[position] ^= 0xFF
      try Data(damaged).write(to: file)
      // Other numbers, or an error; never a read out of bounds.
      do { _ = try Self.outputs(compiled) } catch is MartletError {}
    }
  }
}
