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
    let weights = try MLMultiArray([1.5, 2.5])
    let folder = URL(fileURLWithPath: "/models/")
    configuration.parameters = [
      .learningRate: 0.5, .shuffle: true, .linkedModelFileName: "name", .linkedModelSearchPath: folder, .epochs: [3, 2, 5],
      .miniBatchSize: 1, .weights.scoped(to: "layer"): weights,
    ]
    let copy = try #require(configuration.copy() as? MLModelConfiguration)
    configuration.functionName = "g"
    #expect(copy.functionName == "f" && copy.computeUnits == .cpuAndNeuralEngine && copy.parameters?[.learningRate] as? Double == 0.5)
    let data = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
    let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLModelConfiguration.self, from: data))
    #expect(read.functionName == "f" && read.modelDisplayName == "name" && read.computeUnits == .cpuAndNeuralEngine)
    #expect(read.allowLowPrecisionAccumulationOnGPU && read.optimizationHints == copy.optimizationHints)
    let parameters = try #require(read.parameters)
    #expect(parameters.count == 7 && parameters[.learningRate] as? Double == 0.5 && parameters[.shuffle] as? Bool == true)
    #expect(parameters[.linkedModelFileName] as? String == "name" && parameters[.linkedModelSearchPath] as? URL == folder)
    #expect(parameters[.epochs] as? [Int] == [3, 2, 5] && parameters[.miniBatchSize] as? Int == 1)
    #expect(parameters[.weights.scoped(to: "layer")] as? MLMultiArray == weights)
    #expect(read.optimizationHints.reshapeFrequency == .infrequent && MLOptimizationHints() != read.optimizationHints)
  }

  @Test func `a parameter that cannot be archived is left out`() throws {
    let configuration = MLModelConfiguration()
    configuration.parameters = [.seed: ConfigurationTests.self, .eps: 1e-3]
    let data = try NSKeyedArchiver.archivedData(withRootObject: configuration, requiringSecureCoding: true)
    let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLModelConfiguration.self, from: data))
    #expect(read.parameters?.count == 1 && read.parameters?[.eps] as? Double == 1e-3)
  }

  @Test(arguments: [MLComputeUnits.all, .cpuAndGPU, .cpuAndNeuralEngine, .cpuOnly])
  func `sums may be less exact, except on processors only`(_ units: MLComputeUnits) throws {
    for isAllowed in [false, true] {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = units
      configuration.allowLowPrecisionAccumulationOnGPU = isAllowed
      let model = try MLModel(contentsOf: try Fixture.url("arithmetic.mlpackage"), configuration: configuration)
      #expect(try model.engineOptions.precision == (isAllowed && units != .cpuOnly ? .near : .exact))
    }
  }

  @Test func `hints say how many plans are kept, and which are made while loading`() throws {
    func model(_ name: String, _ change: (inout MLOptimizationHints) -> Void = { _ in }) throws -> MLModel {
      let configuration = MLModelConfiguration()
      change(&configuration.optimizationHints)
      return try MLModel(contentsOf: try Fixture.url(name), configuration: configuration)
    }
    #expect(try model("half.mlpackage").planCount == 0)
    #expect(try model("half.mlpackage") { $0.specializationStrategy = .fastPrediction }.planCount == 1)
    #expect(try model("optional.mlpackage") { $0.specializationStrategy = .fastPrediction }.planCount == 2)
    for (frequency, count) in [(MLOptimizationHints.ReshapeFrequency.frequent, 8), (.infrequent, 2)] {
      let model = try model("half.mlpackage") { $0.reshapeFrequency = frequency }
      for length in (1...8) + [8] {
        let x = MLShapedArray<Float16>(repeating: 1, shape: [1, length])
        let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x]))
        #expect(floats(output, "y") == Array(repeating: 2.5, count: length))
      }
      #expect(try model.planCount == count)
    }
  }

  @Test func `errors name the model as the configuration does`() throws {
    let zero = MLShapedArray<Int32>(repeating: 0, shape: [3])
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": zero, "y": zero])
    for (name, expected) in [("Quotients", "Quotients: "), (nil, "division.mlpackage: ")] {
      let configuration = MLModelConfiguration()
      configuration.modelDisplayName = name
      let model = try MLModel(contentsOf: try Fixture.url("division.mlpackage"), configuration: configuration)
      #expect(thrown { _ = try model.prediction(from: input) }?.localizedDescription.contains(expected) == true)
    }
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
    let names = [
      MLParameterKey.learningRate, .momentum, .miniBatchSize, .beta1, .beta2, .eps, .epochs, .shuffle, .seed, .numberOfNeighbors, .weights,
      .biases, .linkedModelFileName, .linkedModelSearchPath,
    ].map(\.name)
    #expect(
      names == [
        "learningRate", "momentum", "miniBatchSize", "beta1", "beta2", "eps", "epochs", "shuffle", "seed", "numberOfNeighbors", "weights",
        "biases", "linkedModelFileName", "linkedModelSearchPath",
      ])
    // A scope is one within that of the key.
    let inner = MLParameterKey.biases.scoped(to: "model1").scoped(to: "FullyConnected")
    #expect(inner.scope == "model1.FullyConnected" && inner.description == "model1.FullyConnected.biases")
    // A metric is no parameter, whatever its name.
    #expect(MLMetricKey.lossValue.name == "lossValue" && MLMetricKey.lossValue != MLMetricKey.epochIndex)
    #expect(MLMetricKey.lossValue as MLKey != MLParameterKey.seed)
  }

  @Test func `metadata keys are strings`() {
    #expect(Set<MLModelMetadataKey>([.description, .author, .license, .versionString, .creatorDefinedKey]).count == 5)
    #expect(MLModelMetadataKey(rawValue: MLModelMetadataKey.author.rawValue) == .author)
  }
}
