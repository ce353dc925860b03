public import Foundation

/// The processors that a model may use. All are accepted; the model runs on what the machine has.
public enum MLComputeUnits: Int, Sendable, Hashable {
  case cpuOnly = 0
  case cpuAndGPU = 1
  case all = 2
  case cpuAndNeuralEngine = 3
}

/// What a model is to be prepared for.
public struct MLOptimizationHints: Sendable, Hashable {
  /// How often shapes of inputs change.
  public enum ReshapeFrequency: Int, Sendable, Hashable {
    case frequent = 0
    case infrequent = 1
  }

  /// What preparing a model is to favour.
  public enum SpecializationStrategy: Int, Sendable, Hashable {
    case `default` = 0
    case fastPrediction = 1
  }

  public var reshapeFrequency = ReshapeFrequency.frequent
  public var specializationStrategy = SpecializationStrategy.default

  public init() {}
}

/// How a model is loaded.
open class MLModelConfiguration: NSObject, NSCopying, NSSecureCoding {
  public var computeUnits = MLComputeUnits.all
  public var allowLowPrecisionAccumulationOnGPU = false
  /// The model's name in messages and tools.
  public var modelDisplayName: String?
  /// The function of a model with several that predictions run; nil for its default function.
  public var functionName: String?
  public var parameters: [MLParameterKey: Any]?
  public var optimizationHints = MLOptimizationHints()

  public override init() { super.init() }

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = MLModelConfiguration()
    copy.computeUnits = computeUnits
    copy.allowLowPrecisionAccumulationOnGPU = allowLowPrecisionAccumulationOnGPU
    copy.modelDisplayName = modelDisplayName
    copy.functionName = functionName
    copy.parameters = parameters
    copy.optimizationHints = optimizationHints
    return copy
  }

  public static var supportsSecureCoding: Bool { true }

  /// Parameters are not archived.
  open func encode(with coder: NSCoder) {
    coder.encode(computeUnits.rawValue, forKey: "computeUnits")
    coder.encode(allowLowPrecisionAccumulationOnGPU, forKey: "allowLowPrecisionAccumulationOnGPU")
    coder.encode(modelDisplayName as NSString?, forKey: "modelDisplayName")
    coder.encode(functionName as NSString?, forKey: "functionName")
    coder.encode(optimizationHints.reshapeFrequency.rawValue, forKey: "reshapeFrequency")
    coder.encode(optimizationHints.specializationStrategy.rawValue, forKey: "specializationStrategy")
  }

  public required init?(coder: NSCoder) {
    super.init()
    computeUnits = MLComputeUnits(rawValue: coder.decodeInteger(forKey: "computeUnits")) ?? .all
    allowLowPrecisionAccumulationOnGPU = coder.decodeBool(forKey: "allowLowPrecisionAccumulationOnGPU")
    modelDisplayName = coder.decodeObject(of: NSString.self, forKey: "modelDisplayName") as String?
    functionName = coder.decodeObject(of: NSString.self, forKey: "functionName") as String?
    optimizationHints.reshapeFrequency = .init(rawValue: coder.decodeInteger(forKey: "reshapeFrequency")) ?? .frequent
    optimizationHints.specializationStrategy = .init(rawValue: coder.decodeInteger(forKey: "specializationStrategy")) ?? .default
  }
}

/// How one prediction is made.
open class MLPredictionOptions: NSObject {
  /// Arrays and pixel buffers, by output, that the prediction writes its outputs into.
  public var outputBackings: [String: Any] = [:]
  public var usesCPUOnly = false

  public override init() { super.init() }
}
