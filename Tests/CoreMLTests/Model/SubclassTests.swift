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

  // A mock's description and a proxy around a model, as clients write them.
  private final class Description: MLModelDescription {
    let inputs: [String: MLFeatureDescription]
    init(inputs: [String: MLFeatureDescription]) {
      self.inputs = inputs
      super.init()
    }
    required init?(coder: NSCoder) { nil }
    override var inputDescriptionsByName: [String: MLFeatureDescription] { inputs }
    override var metadata: [MLModelMetadataKey: Any] { [.author: "a test"] }
  }

  private final class Proxy: MLModel {
    static nonisolated(unsafe) var loadCount = 0
    private let inner: MLModel
    init(_ inner: MLModel) {
      self.inner = inner
      super.init()
    }
    override var modelDescription: MLModelDescription { Description(inputs: inner.modelDescription.inputDescriptionsByName) }
    override var configuration: MLModelConfiguration {
      let configuration = MLModelConfiguration()
      configuration.modelDisplayName = "proxy"
      return configuration
    }
    override class var availableComputeDevices: [MLComputeDevice] { [] }
    override class func compileModel(at modelURL: URL) throws -> URL { modelURL }
    override class func load(
      contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()
    ) async throws -> MLModel {
      loadCount += 1
      return Proxy(try MLModel(contentsOf: url, configuration: configuration))
    }
    override func parameterValue(for key: MLParameterKey) throws -> Any { 1.5 }
    override func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider { try inner.prediction(from: input) }
  }

  @Test func `a proxy replaces what clients ask a model for, and describes it itself`() async throws {
    let url = try Fixture.url("arithmetic.mlpackage")
    let type: MLModel.Type = Proxy.self
    let model = try await type.load(contentsOf: url, configuration: MLModelConfiguration())
    #expect(Proxy.loadCount == 1 && model.configuration.modelDisplayName == "proxy" && type.availableComputeDevices.isEmpty)
    #expect(Set(model.modelDescription.inputDescriptionsByName.keys) == ["x", "y"])
    #expect(model.modelDescription.metadata[.author] as? String == "a test")
    #expect(try model.parameterValue(for: .learningRate) as? Double == 1.5)
    func compiled() throws -> URL { try type.compileModel(at: url) }
    #expect(try compiled() == url)
    let empty = MLModelDescription()
    #expect(empty.inputDescriptionsByName.isEmpty && empty.classLabels == nil && empty.predictedFeatureName == nil && !empty.isUpdatable)
  }
}
