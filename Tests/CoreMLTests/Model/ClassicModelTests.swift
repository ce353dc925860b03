import CoreML
import Foundation
import Testing

/// Classic models and pipelines through Core ML's names. The models are the recorded cases of `Oracles/make_classic_cases.py`.
@Suite struct ClassicModelTests {
  private static func model(_ name: String) throws -> MLModel {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try MLModel(contentsOf: tests.appendingPathComponent("Fixtures/classic/\(name)/model.mlmodel"))
  }

  private static func provider(_ values: [String: Any]) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: values)
  }

  private static func array(_ numbers: [Double]) throws -> MLMultiArray { try MLMultiArray(numbers) }

  @Test func aPipelineOfTextAndNumbersPredicts() throws {
    let model = try Self.model("pipeline-text-0")
    #expect(model.modelDescription.classLabels as? [String] == ["no", "yes"])
    let result = try model.prediction(from: Self.provider(["colour": "red", "x": Self.array([1, 2]), "n": -0.5]))
    let probabilities = try #require(result.featureValue(for: "p")?.dictionaryValue)
    let expected = 1 / (1 + exp(-(-1 + 0.25 - 1 - 1 + 0.1)))
    #expect(abs((probabilities["yes"]?.doubleValue ?? 0) - expected) < 1e-12)
    #expect(result.featureValue(for: "label")?.stringValue == "no")
    #expect(throws: MLModelError.self) { try model.prediction(from: Self.provider(["colour": 3, "x": Self.array([1, 2]), "n": 0.0])) }
    #expect(throws: MLModelError.self) { try model.prediction(from: Self.provider(["colour": "red", "n": 0.0])) }
  }

  @Test func sequencesAndDictionariesAreFeatures() throws {
    let model = try Self.model("similar-items")
    let result = try model.prediction(
      from: Self.provider([
        "items": MLFeatureValue(sequence: MLSequence(strings: ["a", "b"])), "k": 2,
        "only": MLFeatureValue(sequence: MLSequence(strings: ["b", "c", "d", "e"])),
        "not": MLFeatureValue(sequence: MLSequence(strings: ["e"])),
      ]))
    #expect(result.featureValue(for: "best")?.sequenceValue?.stringValues == ["d", "b"])
    #expect(result.featureValue(for: "scores")?.dictionaryValue.count == 2)
  }

  @Test(arguments: [("tree-classifier-softmax", 5), ("svm-sparse-probabilities", 5), ("pipeline-regressor", 3)])
  func aBatchGivesTheResultsOfSinglePredictions(_ name: String, _ count: Int) throws {
    let model = try Self.model(name)
    var inputs: [any MLFeatureProvider] = []
    for row in 0..<23 {
      let numbers = (0..<count).map { column -> Double in Double((row * 7 + column * 5) % 11) / 4 - 1 }
      inputs.append(try Self.provider(["x": try Self.array(numbers)]))
    }
    let batch = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    #expect(batch.count == inputs.count)
    for (row, input) in inputs.enumerated() {
      let single = try model.prediction(from: input)
      let result = batch.features(at: row)
      #expect(result.featureNames == single.featureNames)
      for name in single.featureNames {
        #expect(result.featureValue(for: name) == single.featureValue(for: name), "row \(row), \(name)")
      }
    }
    var bad = inputs
    bad[3] = try Self.provider(["x": Self.array([1])])
    let error = #expect(throws: MLModelError.self) { try model.predictions(fromBatch: MLArrayBatchProvider(array: bad)) }
    #expect(try #require(error).localizedDescription.contains("x"))
  }

  @Test func aBatchOfNamedNumbersMayLackOptionalOnes() throws {
    let model = try Self.model("tree-regressor-named")
    var inputs: [any MLFeatureProvider] = []
    for row in 0..<9 {
      var values: [String: Any] = ["a": Double(row), "b": row]
      if row % 2 == 1 { values["c"] = 0.5 }
      inputs.append(try Self.provider(values))
    }
    let batch = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    for (row, input) in inputs.enumerated() {
      #expect(batch.features(at: row).featureValue(for: "y") == (try model.prediction(from: input).featureValue(for: "y")))
    }
  }

  @Test func manyThreadsGetTheSameBits() async throws {
    let model = try Self.model("tree-classifier-softmax")
    let input = try Self.provider(["x": Self.array([0.1, -0.1, 0.5, .nan, 1])])
    let expected = try #require(await model.prediction(from: input).featureValue(for: "p"))
    let shared = Shared(model: model, input: input, expected: expected)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 where (try? await shared.model.prediction(from: shared.input).featureValue(for: "p")) != shared.expected {
            return false
          }
          return true
        }
      }
      for await isEqual in group { #expect(isEqual) }
    }
  }

  private struct Shared: @unchecked Sendable {
    let model: MLModel
    let input: MLDictionaryFeatureProvider
    let expected: MLFeatureValue
  }
}
