import Foundation
import Martlet

extension MLModel {
  /// Makes a prediction from tensors by input name, on another thread. Ignores tensors that are not inputs of the model.
  /// - Throws: `MLModelError.featureType` if an input is missing or does not fit, or an input or output of the model is not a
  ///   multi-array;
  ///   `.generic` if the data made the prediction fail.
  public func prediction(from inputs: [String: MLTensor]) async throws -> [String: MLTensor] {
    try tensors(of: try await prediction(from: try await computedFeatures(of: inputs), options: MLPredictionOptions()))
  }

  /// Makes a prediction from tensors by input name that reads and updates a state.
  /// - Throws: as `prediction(from:)`; `MLModelError.generic` if the state is in use.
  public func prediction(from inputs: [String: MLTensor], using state: MLState) async throws -> [String: MLTensor] {
    try tensors(of: try await prediction(from: try await computedFeatures(of: inputs), using: state, options: MLPredictionOptions()))
  }

  private func computedFeatures(of inputs: [String: MLTensor]) async throws -> MLDictionaryFeatureProvider {
    let plans = TensorPlans.current
    return try await onBackgroundThread { try TensorPlans.$current.withValue(plans) { try self.features(of: inputs) } }
  }

  /// The tensors as features. Pending tensors are computed together.
  private func features(of inputs: [String: MLTensor]) throws -> MLDictionaryFeatureProvider {
    for (name, description) in modelDescription.outputDescriptionsByName where description.type != .multiArray {
      throw MLModelError(
        .featureType, "The output '\(name)' is \(description.expectation); predictions from tensors give multi-arrays only")
    }
    var tensors: [String: MLTensor] = [:]
    for (name, tensor) in inputs {
      guard let description = modelDescription.inputDescriptionsByName[name] else { continue }
      guard description.type == .multiArray else {
        throw MLModelError(.featureType, "The feature '\(name)' is a tensor, but the model expects \(description.expectation)")
      }
      // Multi-arrays do not support all scalar types of tensors.
      tensors[name] = MLMultiArrayDataType(tensor.dtype) == nil ? tensor.cast(to: tensor.dtype == .uint32 ? .float32 : .int32) : tensor
    }
    var features: [String: MLFeatureValue] = [:]
    do {
      try TensorExpression.compute(tensors.values.map(\.expression))
      for (name, tensor) in tensors {
        guard let dataType = MLMultiArrayDataType(tensor.dtype) else { continue }
        let array = MLMultiArray(
          storage: try tensor.expression.storage(), shape: tensor.shape, strides: Shape.contiguousStrides(tensor.shape),
          dataType: dataType)
        features[name] = MLFeatureValue(multiArray: array)
      }
    } catch {
      throw MLModelError(error)
    }
    return MLDictionaryFeatureProvider(values: features)
  }

  /// The outputs as tensors that share the memory of the arrays.
  private func tensors(of outputs: any MLFeatureProvider) throws -> [String: MLTensor] {
    var tensors: [String: MLTensor] = [:]
    for name in outputs.featureNames {
      guard let array = outputs.featureValue(for: name)?.multiArrayValue else {
        throw MLModelError(.featureType, "The output '\(name)' is not a multi-array")
      }
      tensors[name] =
        switch array.dataType {
        case .float16: MLTensor(MLShapedArray<Float16>(sharing: array))
        case .float32: MLTensor(MLShapedArray<Float>(sharing: array))
        case .int32: MLTensor(MLShapedArray<Int32>(sharing: array))
        case .int8: MLTensor(MLShapedArray<Int8>(sharing: array))
        // Tensors do not support Double.
        case .double: MLTensor(MLShapedArray<Float>(converting: array))
        }
    }
    return tensors
  }
}

extension MLShapedArray {
  /// An array that shares the memory of a multi-array of its type, which must have no other owner.
  fileprivate init(sharing array: MLMultiArray) {
    self.init(content: ShapedContent(storage: array.storage, shape: array.extents, strides: array.steps))
  }
}
