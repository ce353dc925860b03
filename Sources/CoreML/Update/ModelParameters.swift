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
      guard let parameter = asset.trainingParameters.first(where: { $0.name.rawValue == key.name }), hasScope(key) else {
        throw MLModelError(.parameters, "The model has no parameter '\(key)' that can be set")
      }
      guard let converted = TrainingParameter.Value(value) else {
        throw MLModelError(.parameters, "The parameter '\(key)' cannot be \(value)")
      }
      do {
        result[parameter.name] = try parameter.checked(converted)
      } catch {
        throw MLModelError(.parameters, MartletError(error).message)
      }
    }
    return result
  }

  /// True without a scope, and for the stage of a pipeline that has the parameters.
  private func hasScope(_ key: MLParameterKey) -> Bool { key.scope.map(asset.trainedStages.contains) ?? true }

  /// The model with those of the given parameters that predictions depend on: the number of neighbours.
  /// - Throws: `MLModelError.parameters` for a value that the model does not allow.
  func applied(_ given: [MLParameterKey: Any]) throws -> ModelAsset {
    let own = given.filter { $0.key.name == TrainingParameter.Name.numberOfNeighbors.rawValue }
    guard !own.isEmpty, case .int(let count)? = try values(own)[.numberOfNeighbors] else { return asset }
    return asset.withNeighborCount(count)
  }

  // MARK: Values of the model

  /// The value of a parameter, a layer's weights or biases.
  /// - Parameter given: values of a configuration, which override those of the model.
  /// - Throws: `MLModelError.parameters` if the model has no such parameter.
  func value(for key: MLParameterKey, _ given: [MLParameterKey: Any]?) throws -> Any {
    try Self.value(for: key, weights: asset.weights(ofLayer:), biases: asset.biases(ofLayer:)) { name in
      guard hasScope(key), let parameter = asset.trainingParameters.first(where: { $0.name == name }) else { return nil }
      let own = given?.first { $0.key.name == key.name }?.value
      return own.flatMap { TrainingParameter.Value($0) } ?? parameter.defaultValue
    }
  }

  static func value(
    for key: MLParameterKey, weights: (String) throws -> Martlet.Tensor, biases: (String) throws -> Martlet.Tensor,
    parameter: (TrainingParameter.Name) -> TrainingParameter.Value?
  ) throws -> Any {
    func missing() -> MLModelError { MLModelError(.parameters, "The model has no parameter '\(key)'") }
    guard key.name == MLParameterKey.weights.name || key.name == MLParameterKey.biases.name else {
      guard let name = TrainingParameter.Name(rawValue: key.name), let value = parameter(name) else { throw missing() }
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
