import CoreML
import Testing

/// Models as clients' tests replace them.
struct SubclassTests {
  private final class Recorder: MLModel {
    private(set) var names: [Set<String>] = []

    override func prediction(
      from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
    ) throws -> any MLFeatureProvider {
      names.append(input.featureNames)
      return try MLDictionaryFeatureProvider(dictionary: ["y": 1.5])
    }
  }

  private class Doubler: MLModel {
    override func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
      let output = try super.prediction(from: input)
      return try MLDictionaryFeatureProvider(dictionary: ["sum": 2 * (floats(output, "sum")?.first ?? 0)])
    }
  }

  @Test func `a subclass without a file predicts by itself`() throws {
    let model = Recorder()
    let output = try (model as MLModel).prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": 1]), options: MLPredictionOptions())
    #expect(output.featureValue(for: "y")?.doubleValue == 1.5 && model.names == [["x"]])
    #expect(model.modelDescription.inputDescriptionsByName.isEmpty && model.configuration.functionName == nil)
    #expect(thrown { _ = try model.prediction(from: MLDictionaryFeatureProvider()) }?.code == .generic)
    #expect(thrown { _ = try model.predictions(fromBatch: MLArrayBatchProvider(array: [])) }?.code == .generic)
  }

  @Test func `a subclass of a file's model adds to what it predicts`() throws {
    let model = try Doubler(contentsOf: try Fixture.url("arithmetic.mlpackage"), configuration: MLModelConfiguration())
    let x = MLShapedArray<Float>(repeating: 3, shape: [1, 3])
    let output = try (model as MLModel).prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x]))
    #expect(output.featureValue(for: "sum")?.doubleValue == 12)
    let other = try Fixture.model("arithmetic.mlpackage")
    #expect(model.isEqual(model) && model != other && Set([model, other, model]).count == 2)
  }
}
