import Foundation
import Martlet

/// The parameters of a model by Core ML's keys.
struct ModelParameters {
  private let asset: ModelAsset

  init(_ asset: ModelAsset) { self.asset = asset }

  // MARK: Values of a program

  /// The values that a program gives, checked.
  /// - Throws: `MLModelError.parameters` for a parameter that the model does not have, and a value that it does not allow.
  func values(_ given: [MLParameterKey: Any]) throws -> [TrainingParameter.Name: TrainingParameter.Value] {
    var result: [TrainingParameter.Name: TrainingParameter.Value] = [:]
    for (key, value) in given {
      let (parameter, path, checked) = try self.checked(key, value)
      guard isTrained(path) else { throw Self.notSettable(key) }
      result[parameter.name] = checked
    }
    return result
  }

  /// A parameter of the model, the place of the model that has it, and the value that a program gives it.
  /// - Throws: `MLModelError.parameters` if the model has no such parameter or does not allow the value.
  private func checked(
    _ key: MLParameterKey, _ value: Any
  ) throws -> (parameter: TrainingParameter, path: [Int], value: TrainingParameter.Value) {
    guard let (parameter, path) = self.parameter(for: key) else { throw Self.notSettable(key) }
    guard let converted = TrainingParameter.Value(value) else {
      throw MLModelError(.parameters, "The parameter '\(key)' cannot be \(value)")
    }
    do {
      return (parameter, path, try parameter.checked(converted))
    } catch {
      throw MLModelError(.parameters, MartletError(error).message)
    }
  }

  private static func notSettable(_ key: MLParameterKey) -> MLModelError {
    MLModelError(.parameters, "The model has no parameter '\(key)' that can be set")
  }

  /// A parameter with the place of the model that has it; nil if the scope or the parameter does not exist.
  private func parameter(for key: MLParameterKey) -> (TrainingParameter, [Int])? {
    guard let path = asset.parameterPath(key.scope) else { return nil }
    return asset.trainingParameters(at: path).first { $0.name.rawValue == key.name }.map { ($0, path) }
  }

  /// True for the place of the model that training changes.
  private func isTrained(_ path: [Int]) -> Bool { path == asset.parameterPath(nil) }

  /// True for a key without a scope, and one whose scope is the model that training changes.
  func isOfTrained(_ key: MLParameterKey) -> Bool { asset.parameterPath(key.scope).map(isTrained) ?? false }

  /// The model with those of the given parameters that predictions depend on: numbers of neighbours.
  /// - Throws: `MLModelError.parameters` for a parameter that the model does not have, and a value that it does not allow.
  func applied(_ given: [MLParameterKey: Any]) throws -> ModelAsset {
    var result = asset
    for (key, value) in given where !key.locatesModel {
      let (parameter, path, checked) = try self.checked(key, value)
      if parameter.name == .numberOfNeighbors, case .int(let count) = checked { result = result.withNeighborCount(count, at: path) }
    }
    return result
  }

  // MARK: Values of the model

  /// The value of a parameter, a layer's weights or biases.
  /// - Parameter given: values of a configuration, which override those of the model.
  /// - Throws: `MLModelError.parameters` if the model has no such parameter.
  func value(for key: MLParameterKey, _ given: [MLParameterKey: Any]?) throws -> Any {
    try Self.value(for: key, weights: asset.weights(ofLayer:), biases: asset.biases(ofLayer:)) { name in
      guard let (parameter, path) = self.parameter(for: key) else { return nil }
      let own = given?.first { $0.key.name == key.name && asset.parameterPath($0.key.scope) == path }?.value
      return try own.map { try checked(key, $0).value } ?? parameter.defaultValue
    }
  }

  static func value(
    for key: MLParameterKey, weights: (String) throws -> Martlet.Tensor, biases: (String) throws -> Martlet.Tensor,
    parameter: (TrainingParameter.Name) throws -> TrainingParameter.Value?
  ) throws -> Any {
    func missing() -> MLModelError { MLModelError(.parameters, "The model has no parameter '\(key)'") }
    guard key.name == MLParameterKey.weights.name || key.name == MLParameterKey.biases.name else {
      guard let name = TrainingParameter.Name(rawValue: key.name), let value = try parameter(name) else { throw missing() }
      return value.object
    }
    guard let layer = key.scope else { throw missing() }
    do {
      let tensor = key.name == MLParameterKey.weights.name ? try weights(layer) : try biases(layer)
      return MLMultiArray(storage: tensor.host.sharedStorage, form: ArrayForm(rowMajor: tensor.shape), dataType: .float32)
    } catch {
      throw MLModelError(.parameters, MartletError(error).message)
    }
  }

  // MARK: Descriptions

  var descriptions: [MLParameterKey: MLParameterDescription] {
    var result: [MLParameterKey: MLParameterDescription] = [:]
    for parameter in asset.trainingParameters {
      let key = MLParameterKey(parameter.name)
      let constraint: MLNumericConstraint? =
        switch parameter.allowed {
        case .any: nil
        case .range(let range):
          MLNumericConstraint(
            minNumber: NSNumber(value: range.lowerBound), maxNumber: NSNumber(value: range.upperBound), enumeratedNumbers: nil)
        case .set(let values):
          MLNumericConstraint(
            minNumber: NSNumber(value: values.min() ?? 0), maxNumber: NSNumber(value: values.max() ?? 0),
            enumeratedNumbers: Set(values.map { NSNumber(value: $0) }))
        }
      result[key] = MLParameterDescription(key: key, defaultValue: parameter.defaultValue.object, numericConstraint: constraint)
    }
    return result
  }
}

extension MLParameterKey {
  convenience init(_ name: TrainingParameter.Name) { self.init(name: name.rawValue) }

  /// True for the keys that say where a linked model lies.
  var locatesModel: Bool { name == Self.linkedModelFileName.name || name == Self.linkedModelSearchPath.name }
}

extension TrainingParameter.Value {
  /// The value as Core ML's faces give it.
  var object: Any {
    switch self {
    case .int(let value): value
    case .double(let value): value
    case .bool(let value): value
    }
  }

  /// Nil for a value that is not a number.
  init?(_ value: Any) {
    switch value {
    case let value where MLModelConfiguration.isTruthValue(value):
      guard let truth = value as? Bool ?? (value as? NSNumber)?.boolValue else { return nil }
      self = .bool(truth)
    case let value as Int: self = .int(value)
    case let value as Double: self = .double(value)
    case let value as Float: self = .double(Double(value))
    case let value as NSNumber: self = Int(exactly: value.doubleValue).map { .int($0) } ?? .double(value.doubleValue)
    case let value as any BinaryInteger: self = .int(Int(clamping: value))
    default: return nil
    }
  }
}
