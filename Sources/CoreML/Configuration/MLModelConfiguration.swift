public import Foundation
import Martlet

/// The processors that a model may use.
///
/// There are no graphics processors and neural engines here: whatever is chosen, models run on the machine's processors. `cpuOnly` also
/// keeps sums exact where `allowLowPrecisionAccumulationOnGPU` would not.
public enum MLComputeUnits: Int, Sendable, Hashable {
  case cpuOnly = 0
  case cpuAndGPU = 1
  case all = 2
  case cpuAndNeuralEngine = 3
}

/// The use that a model is prepared for. Results do not depend on it.
public struct MLOptimizationHints: Sendable, Hashable {
  /// How often shapes of inputs change.
  ///
  /// A plan of the computation belongs to the shapes of the inputs. With `frequent` the plans of the last 16 combinations of shapes are
  /// kept, with `infrequent` those of the last two, which takes less memory.
  public enum ReshapeFrequency: Int, Sendable, Hashable {
    case frequent = 0
    case infrequent = 1
  }

  /// The time that is saved.
  ///
  /// With `default` a model of fixed shapes is prepared when it is loaded, and one of flexible shapes by the first prediction with each
  /// shape. With `fastPrediction` loading also prepares the default shape and enumerated ones, so that no first prediction waits.
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
  /// The processors that the model may use; see `MLComputeUnits` for what that means here.
  public var computeUnits = MLComputeUnits.all
  /// Whether products of float32 matrices and convolutions may be made of factors with 16 significant bits, which is faster on processors
  /// with matrix tiles: errors are then about 1e-5 of the sum of the products' magnitudes. Has no effect with `computeUnits` `.cpuOnly`.
  public var allowLowPrecisionAccumulationOnGPU = false
  /// The model's name in error and log messages; nil for its file's name.
  public var modelDisplayName: String?
  /// The function of a model with several that predictions run; nil for its default function.
  public var functionName: String?
  /// Parameters of the model. Numbers, strings, URLs, data, multi-arrays and arrays of these are archived; values of other types are not.
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

  open func encode(with coder: NSCoder) {
    coder.encode(computeUnits.rawValue, forKey: "computeUnits")
    coder.encode(allowLowPrecisionAccumulationOnGPU, forKey: "allowLowPrecisionAccumulationOnGPU")
    coder.encode(modelDisplayName as NSString?, forKey: "modelDisplayName")
    coder.encode(functionName as NSString?, forKey: "functionName")
    coder.encode(optimizationHints.reshapeFrequency.rawValue, forKey: "reshapeFrequency")
    coder.encode(optimizationHints.specializationStrategy.rawValue, forKey: "specializationStrategy")
    guard let parameters else { return }
    let archived = Array(parameters.compactMapValues { Self.archivable($0) })
    coder.encode(archived.map(\.key) as NSArray, forKey: "parameterKeys")
    coder.encode(archived.map(\.value) as NSArray, forKey: "parameterValues")
    // An archive keeps one of several equal objects, and the number 1 equals true.
    coder.encode(archived.map { Self.isTruthValue(parameters[$0.key]) ? "1" : "0" }.joined() as NSString, forKey: "parametersThatAreBool")
  }

  private static func isTruthValue(_ value: Any?) -> Bool {
    if let value, type(of: value) == Bool.self { return true }
    return (value as? NSNumber).map { unsafe UInt8(bitPattern: $0.objCType.pointee) == UInt8(ascii: "c") } ?? false
  }

  private static func archivable(_ value: Any) -> NSObject? {
    switch value {
    case let array as MLMultiArray: return array
    case let text as String: return text as NSString
    case let url as URL: return url as NSURL
    case let data as Data: return data as NSData
    case let number as NSNumber: return number
    case let list as [Any]:
      let objects = list.compactMap { archivable($0) }
      return objects.count == list.count ? objects as NSArray : nil
    default: return nil
    }
  }

  public required init?(coder: NSCoder) {
    super.init()
    computeUnits = MLComputeUnits(rawValue: coder.decodeInteger(forKey: "computeUnits")) ?? .all
    allowLowPrecisionAccumulationOnGPU = coder.decodeBool(forKey: "allowLowPrecisionAccumulationOnGPU")
    modelDisplayName = coder.decodeObject(of: NSString.self, forKey: "modelDisplayName") as String?
    functionName = coder.decodeObject(of: NSString.self, forKey: "functionName") as String?
    optimizationHints.reshapeFrequency = .init(rawValue: coder.decodeInteger(forKey: "reshapeFrequency")) ?? .frequent
    optimizationHints.specializationStrategy = .init(rawValue: coder.decodeInteger(forKey: "specializationStrategy")) ?? .default
    let classes: [AnyClass] = [
      NSArray.self, MLParameterKey.self, MLMultiArray.self, NSString.self, NSURL.self, NSData.self, NSNumber.self,
    ]
    guard let keys = coder.decodeObject(of: [NSArray.self, MLParameterKey.self], forKey: "parameterKeys") as? [MLParameterKey],
      let values = coder.decodeObject(of: classes, forKey: "parameterValues") as? [Any], keys.count == values.count,
      let truths = coder.decodeObject(of: NSString.self, forKey: "parametersThatAreBool") as String?, truths.count == keys.count
    else { return }
    let typed = zip(values, truths).map { value, isTruth -> Any in
      guard let number = value as? NSNumber else { return value }
      if isTruth == "1" { return number.boolValue }
      return Self.isTruthValue(number) ? NSNumber(value: number.intValue) : number
    }
    parameters = Dictionary(zip(keys, typed), uniquingKeysWith: { $1 })
  }
}

extension MLModelConfiguration {
  /// How the engine is to load and run the model.
  var engineOptions: ModelOptions {
    var options = ModelOptions()
    options.keepsStates = false
    options.displayName = modelDisplayName
    if allowLowPrecisionAccumulationOnGPU, computeUnits != .cpuOnly { options.precision = .near }
    if optimizationHints.reshapeFrequency == .infrequent { options.planCapacity = 2 }
    return options
  }
}

/// How one prediction is made.
open class MLPredictionOptions: NSObject {
  /// Arrays and pixel buffers, by output, that the prediction writes its outputs into.
  public var outputBackings: [String: Any] = [:]
  public var usesCPUOnly = false

  public override init() { super.init() }
}
