import CoreML
import Testing

/// Configurations, options, keys and devices.
struct ConfigurationTests {
  @Test func `a configuration has defaults, is copied and archived`() throws {
    let configuration = MLModelConfiguration()
    #expect(configuration.computeUnits == .all && configuration.functionName == nil && !configuration.allowLowPrecisionAccumulationOnGPU)
    #expect(configuration.optimizationHints.reshapeFrequency == .frequent)
    #expect(configuration.optimizationHints.specializationStrategy == .default)
    configuration.computeUnits = .cpuAndNeuralEngine
    configuration.functionName = "f"
    configuration.modelDisplayName = "name"
    configuration.allowLowPrecisionAccumulationOnGPU = true
    configuration.optimizationHints.specializationStrategy = .fastPrediction
    configuration.optimizationHints.reshapeFrequency = .infrequent
    configuration.parameters = [.learningRate: 0.5]
    let copy = try #require(configuration.copy() as? MLModelConfiguration)
    configuration.functionName = "g"
    #expect(copy.functionName == "f" && copy.computeUnits == .cpuAndNeuralEngine && copy.parameters?[.learningRate] as? Double == 0.5)
    let data = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
    let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLModelConfiguration.self, from: data))
    #expect(read.functionName == "f" && read.modelDisplayName == "name" && read.computeUnits == .cpuAndNeuralEngine)
    #expect(read.allowLowPrecisionAccumulationOnGPU && read.optimizationHints == copy.optimizationHints)
    #expect(read.optimizationHints.reshapeFrequency == .infrequent && MLOptimizationHints() != read.optimizationHints)
  }

  @Test(arguments: [MLComputeUnits.cpuOnly, .cpuAndGPU, .all, .cpuAndNeuralEngine])
  func `a model runs whatever units, hints and options it is given`(_ units: MLComputeUnits) throws {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    configuration.optimizationHints.reshapeFrequency = .infrequent
    configuration.optimizationHints.specializationStrategy = .fastPrediction
    let model = try MLModel(contentsOf: try Fixture.url("arithmetic.mlpackage"), configuration: configuration)
    let options = MLPredictionOptions()
    #expect(options.outputBackings.isEmpty && !options.usesCPUOnly)
    options.usesCPUOnly = true
    let x = MLShapedArray<Float>(repeating: 2, shape: [1, 3])
    let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x]), options: options)
    #expect(floats(output, "sum") == [4, 4, 4] && model.configuration.computeUnits == units)
  }

  @Test func `compute units have Apple's numbers`() {
    #expect([MLComputeUnits.cpuOnly, .cpuAndGPU, .all, .cpuAndNeuralEngine].map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test func `the machine's processors are the device`() {
    let devices = MLModel.availableComputeDevices
    #expect(devices == MLComputeDevice.allComputeDevices && devices.count == 1 && Set(devices).count == 1)
    guard case .cpu(let device) = devices[0] else {
      Issue.record("the device is \(devices[0])")
      return
    }
    #expect(device as any MLComputeDeviceProtocol is MLCPUComputeDevice)
  }

  @Test func `parameter keys are compared by name and scope`() {
    #expect(MLParameterKey.momentum.name == "momentum" && MLParameterKey.momentum.scope == nil)
    #expect(MLParameterKey.weights.scoped(to: "layer") == MLParameterKey.weights.scoped(to: "layer"))
    #expect(MLParameterKey.weights.scoped(to: "layer") != MLParameterKey.weights && MLParameterKey.weights != MLParameterKey.biases)
    #expect(Set([MLParameterKey.eps, .eps, .seed]).count == 2)
  }

  @Test func `metadata keys are strings`() {
    #expect(Set<MLModelMetadataKey>([.description, .author, .license, .versionString, .creatorDefinedKey]).count == 5)
    #expect(MLModelMetadataKey(rawValue: MLModelMetadataKey.author.rawValue) == .author)
  }
}
