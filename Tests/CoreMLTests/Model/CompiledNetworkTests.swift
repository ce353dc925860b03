import CoreML
import Foundation
import Testing

/// Compiled networks of Apple's tools through Core ML's names. `Oracles/make_espresso_cases.py` writes the folders.
@Suite struct CompiledNetworkTests {
  private static func url(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/espresso/\(name)")
  }

  @Test func `A compiled classifier predicts, with its labels`() throws {
    let model = try MLModel(contentsOf: Self.url("classifier-text/model.mlmodelc"))
    #expect(model.modelDescription.classLabels as? [String] == ["cat", "dog", "ox"])
    let x = try MLMultiArray(shape: [1, 6], dataType: .float32)
    for index in 0..<6 { x[index] = NSNumber(value: Float(index) / 3 - 1) }
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x]))
    let chances = try #require(result.featureValue(for: "classProbability")?.dictionaryValue as? [String: NSNumber])
    #expect(abs(chances.values.reduce(0) { $0 + $1.doubleValue } - 1) < 1e-5)
    let label = try #require(result.featureValue(for: "label")?.stringValue)
    #expect(chances[label]?.doubleValue == chances.values.map(\.doubleValue).max())
  }

  @Test func `An encrypted model lacks its key`() throws {
    #expect {
      try MLModel(contentsOf: Self.url("refused/encrypted.mlmodelc"))
    } throws: {
      ($0 as? MLModelError)?.code == .modelDecryptionKeyFetch
    }
  }

  @Test func `The structure lists layers, also those that do not run`() async throws {
    for (name, types) in [
      ("classifier-text/model.mlmodelc", ["innerProduct", "softmaxND"]), ("refused/layer.mlmodelc", ["innerProduct", "rnn_arch"]),
    ] {
      guard case .neuralNetwork(let network) = try await MLModelStructure.load(contentsOf: Self.url(name)) else {
        Issue.record("\(name) is no network")
        continue
      }
      #expect(network.layers.map(\.type) == types)
    }
  }
}
