import Foundation
import Martlet
import Testing

/// The neural networks that `Oracles/make_network_fixtures.py` writes.
struct NetworkModelTests {
  private func url(_ name: String) -> URL {
    Bundle.module.url(forResource: name, withExtension: "mlmodel", subdirectory: "Fixtures")!
  }

  private func inputs(_ name: String) throws -> [ModelValue] {
    if name == "network_pipeline" { return [.tensor(try Tensor([1, -2, 3, -4] as [Float], shape: [4]))] }
    let pixels = (0..<16 * 12 * 3).map { UInt8(truncatingIfNeeded: $0 * 37) }
    return [.image(try Picture(width: 16, height: 12, format: .rgb, pixels: pixels)), .none]
  }

  /// The numbers of the first output.
  private func numbers(_ model: Model, _ name: String) throws -> [Double] {
    let output = try #require(try model.run(inputs(name)).first)
    if case .dictionary(.byString(let scores)) = output { return scores.sorted { $0.key < $1.key }.map(\.value) }
    return try #require(output.tensor).scalars(as: Float.self).map { Double($0) }
  }

  // MARK: Inspection

  @Test func `layers, weights, preprocessing and training of a network are those of its file`() throws {
    let inspection = try ModelInspection(contentsOf: url("picture_classifier"))
    let network = try #require(inspection.component?.network)
    #expect(network.layers.first?.name == "innerProduct" && network.layers.first?.count == 2)
    #expect(Set(network.layers.map(\.name)) == ["innerProduct", "convolution", "activation", "flatten", "add", "softmax"])
    #expect(network.weights.map(\.encoding) == ["float32", "float16", "4-bit linear"])
    #expect(network.weights.map(\.count) == [3, 1, 1])
    #expect(network.weights.map(\.elementCount) == [40 * 1120 + 40 + 6, 216, 240])
    // Scale and bias of the quantised weights belong to them.
    #expect(network.weights.map(\.byteCount) == [(40 * 1120 + 40 + 6) * 4, 432, 120 + 8])
    #expect(inspection.constantCount == 5 && inspection.constantByteCount == (40 * 1120 + 40 + 6) * 4 + 432 + 120)
    #expect(network.preprocessing.map(\.input) == ["picture"])
    #expect(network.preprocessing.map(\.step) == [.scale(factor: 1 / Float(127.5), red: -1, green: -0.5, blue: -0.25, gray: 0)])
    let training = try #require(network.training)
    #expect(training.layers == ["hidden"] && training.optimizer == "sgd" && training.learningRate == 0.25)
    #expect(training.miniBatchSize == 4 && training.epochs == 3)
    #expect(training.losses.map(\.function) == ["categoricalCrossEntropy"] && training.losses.map(\.target) == ["label"])
    #expect(inspection.methods[0].signature.classLabels == .strings(["ant", "bee", "cat", "dog", "eel", "fox"]))
    #expect(inspection.methods[0].signature.inputs.map(\.isOptional) == [false, true])
  }

  @Test func `the signature has the bounds of flexible arrays, and fixed axes as they are`() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    for (name, text) in [
      ("size-array-range-exact-2x4x5", "float32[2, ≤10, ?], default [2, 4, 5], from [2, 1...10, 1...]"),
      ("size-array-enumerated-old-2x4x5", "float32[2, ≤7, ≤9], default [2, 4, 5], one of [2, 4, 5] [2, 7, 3] [2, 2, 9]"),
      ("size-sequence-1", "float32[≤20, 3], default [4, 3], from [1...20, 3]"), ("conv-old-seq-batch", "float32[2, 4, 5]"),
    ] {
      let url = tests.appendingPathComponent("Fixtures/network/\(name)/model.mlmodel")
      #expect("\(try Model(contentsOf: url).signature(of: nil).inputs[0])" == "x: \(text)")
    }
  }

  @Test func `the layers of branches count, as do the weights of a pipeline's networks`() throws {
    let inspection = try ModelInspection(contentsOf: url("network_pipeline"))
    let stages = try #require(inspection.component?.stages)
    #expect(stages.map(\.name) == ["first", "second"] && inspection.component?.network == nil)
    #expect(stages[0].network?.layers.map(\.name) == ["activation", "branch", "copy", "reduceSum"])
    #expect(stages[1].network?.weights.map(\.elementCount) == [15])
    #expect(inspection.constantCount == 2 && inspection.constantByteCount == 60)
  }

  @Test func `a custom layer's class and parameters are named`() throws {
    let network = try #require(try ModelInspection(contentsOf: url("custom_layer")).component?.network)
    let layer = try #require(network.customLayers.first)
    #expect(layer.name == "mine" && layer.className == "Swirl" && layer.weightCount == 1)
    #expect(layer.parameters.map(\.name) == ["angle", "mode"] && layer.parameters.map(\.value) == ["0.5", "\"left\""])
  }

  // MARK: Compiled folders

  @Test(arguments: ["picture_classifier", "network_pipeline"])
  func `a compiled network gives the same from any place, with its packed weights`(name: String) throws {
    let folder = try TemporaryFolder()
    let file = folder("\(name).mlmodel")
    try FileManager.default.copyItem(at: url(name), to: file)
    let compiled = folder("\(name).mlmodelc")
    try Model.compile(file, to: compiled)
    try FileManager.default.removeItem(at: file)
    let moved = folder("moved.mlmodelc")
    try FileManager.default.moveItem(at: compiled, to: moved)
    let original = try Model(contentsOf: url(name))
    let expected = try numbers(original, name)
    #expect(try numbers(Model(contentsOf: moved), name) == expected)
    #expect(try Model(contentsOf: moved).signature() == original.signature())

    // Other packed weights with their checksums give other results: so they are used.
    let packed = moved.appendingPathComponent("martlet/packed.bin")
    var content = [UInt8](try Data(contentsOf: packed))
    PackedWeights.clear(&content)
    try Data(content).write(to: packed)
    #expect(try numbers(Model(contentsOf: moved), name) != expected)
    try FileManager.default.removeItem(at: packed)
    #expect(try numbers(Model(contentsOf: moved), name) == expected)

    // Another version of the engine reads the original.
    let form = moved.appendingPathComponent("martlet/model.bin")
    var structure = [UInt8](try Data(contentsOf: form))
    structure[64] ^= 1
    try Data(structure).write(to: form)
    #expect(try numbers(Model(contentsOf: moved), name) == expected)
    let again = folder("again.mlmodelc")
    try Model.compile(moved, to: again)
    #expect(try numbers(Model(contentsOf: again), name) == expected)
  }

  @Test func `a network that cannot run is not compiled`() throws {
    let folder = try TemporaryFolder()
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    #expect {
      try Model.compile(tests.appendingPathComponent("Fixtures/limits/pad_2_60.mlmodel"), to: folder("x.mlmodelc"))
    } throws: { error in
      (error as? MartletError)?.kind == .unsupported && "\(error)".contains("padAmounts")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  // MARK: Plans

  @Test func `the plan of a pipeline has the layers of all its networks`() throws {
    let model = try Model(contentsOf: url("network_pipeline"))
    let plan = try model.plan()
    #expect(plan.operations.map(\.op).contains("branch") && plan.operations.last?.name == "main/1: dense")
    #expect(abs(plan.operations.reduce(0) { $0 + $1.share } - 1) < 1e-9)
    #expect { try model.graphDump() } throws: { "\($0)".contains("expected main/0, main/1") }
    #expect(try model.graphDump(method: "main/1").contains("innerProduct dense"))
  }
}
