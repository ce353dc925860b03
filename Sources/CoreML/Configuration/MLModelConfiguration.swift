public import Foundation
import Martlet

/// The processors that a model may use.
///
/// Martlet runs every model on the CPU, whichever value is chosen. `cpuOnly` also disables the reduced precision of
/// `allowLowPrecisionAccumulationOnGPU`.
public enum MLComputeUnits: Int, Sendable, Hashable {
  case cpuOnly = 0
  case cpuAndGPU = 1
  case all = 2
  case cpuAndNeuralEngine = 3
}

/// Expected use, for which a model is prepared. Results do not depend on it.
public struct MLOptimizationHints: Sendable, Hashable {
  /// How often the shapes of the inputs change.
  ///
  /// A plan is made for each combination of input shapes. `frequent` keeps the plans of the last 16 combinations. `infrequent` keeps the
  /// last two, which takes less memory.
  public enum ReshapeFrequency: Int, Sendable, Hashable {
    case frequent = 0
    case infrequent = 1
  }

  /// The time that preparation saves.
  ///
  /// With `default` a model of fixed shapes is prepared when it is loaded, and a model of flexible shapes by the first prediction with
  /// each shape. `fastPrediction` also prepares the default and enumerated shapes when the model is loaded, so that no first prediction
  /// waits.
  public enum SpecializationStrategy: Int, Sendable, Hashable {
    case `default` = 0
    case fastPrediction = 1
  }

  public var reshapeFrequency = ReshapeFrequency.frequent
  public var specializationStrategy = SpecializationStrategy.default

  public init() {}
}

/// Options for loading a model.
open class MLModelConfiguration: NSObject, NSCopying, NSSecureCoding {
  /// The processors that the model may use; see `MLComputeUnits` for what that means here.
  public var computeUnits = MLComputeUnits.all
  /// Allows reduced precision in products and convolutions of float32: factors keep 16 significant bits, which is faster on processors
  /// with matrix units. The error is about 1e-5 of the sum of the products' magnitudes. Layers with `int8DynamicQuantize` also quantise
  /// their input to int8, with one scale for the whole tensor. Has no effect if `computeUnits` is `.cpuOnly`.
  public var allowLowPrecisionAccumulationOnGPU = false
  /// The model's name in error and log messages; nil for the name of its file.
  public var modelDisplayName: String?
  /// The function that predictions run; nil for the model's default function.
  public var functionName: String?
  /// Parameters of the model. An archive keeps numbers, strings, URLs, data, multi-arrays and arrays of these, and omits other values.
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

  static func isTruthValue(_ value: Any?) -> Bool {
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
  /// The engine's options for loading and running the model.
  /// - Throws: `MLModelError.parameters` for a parameter of another type than its key stands for.
  func engineOptions() throws -> ModelOptions {
    var options = ModelOptions()
    options.customLayers = CustomLayerObject.layers
    options.customModelProvider = { try CustomModelObject.model($0) }
    options.keepsStates = false
    options.displayName = modelDisplayName
    if allowLowPrecisionAccumulationOnGPU, computeUnits != .cpuOnly { options.precision = .near }
    if optimizationHints.reshapeFrequency == .infrequent { options.planCapacity = 2 }
    options.linkedModels = try linkedModels()
    return options
  }

  /// - Parameter unused: the scopes of `linkedModels` that stand for no linked model.
  /// - Throws: `MLModelError.parameters` if there is one.
  func checkLocations(unused: [String]) throws {
    guard let scope = unused.first else { return }
    throw MLModelError(.parameters, scope.isEmpty ? "The model has no linked model" : "The model has no linked model '\(scope)'")
  }

  /// Where linked models lie, by the scope of the parameters that say so.
  private func linkedModels() throws -> [String: LinkedModelLocation] {
    var locations: [String: LinkedModelLocation] = [:]
    for (key, value) in parameters ?? [:] {
      let isName = key.name == MLParameterKey.linkedModelFileName.name
      guard isName || key.name == MLParameterKey.linkedModelSearchPath.name else { continue }
      guard let text = value as? String ?? (value as? URL)?.path else {
        throw MLModelError(.parameters, "The parameter '\(key)' is \(type(of: value)), not a String or a URL")
      }
      if isName {
        locations[key.scope ?? "", default: LinkedModelLocation()].fileName = text
      } else {
        locations[key.scope ?? "", default: LinkedModelLocation()].searchPath = text
      }
    }
    return locations
  }
}

/// Options for one prediction.
open class MLPredictionOptions: NSObject {
  /// Arrays and pixel buffers that receive the outputs, by name of the output.
  public var outputBackings: [String: Any] = [:]
  public var usesCPUOnly = false

  public override init() { super.init() }
}
