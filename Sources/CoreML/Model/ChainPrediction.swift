import Foundation
import Martlet
import MartletFeatures

/// Predictions of functions that are not one graph: pipelines and models of text and dictionaries.
extension ModelFunction {
  /// Makes one prediction.
  func predictValues(
    _ provider: any MLFeatureProvider, backings: [String: Any], cancellation: CallCancellation?
  ) throws -> MLDictionaryFeatureProvider {
    let inputs = try description.inputs.indices.map { try modelValue(from: provider, at: $0) }
    let results: [ModelValue]
    do {
      results = try method.run(inputs, cancellation: cancellation)
    } catch {
      throw MLModelError(error, model: model.name)
    }
    return try features(of: results, backings)
  }

  /// The value of an input.
  /// - Throws: as `takeInputs`.
  func modelValue(from provider: any MLFeatureProvider, at position: Int) throws -> ModelValue {
    let declared = inputDescriptions[position]
    let name = declared.name
    let value = provider.featureValue(for: name)
    guard let value, !(value.isUndefined && declared.isOptional) else {
      if declared.isOptional { return .none }
      throw missing(value, declared)
    }
    try check(value, declared)
    return try FeatureConversion(description.inputs[position], declared).modelValue(value)
  }

  /// Makes the predictions of a batch, each stage for all of them before the next one.
  func predictValues(_ batch: any MLBatchProvider, backings: [String: Any]) throws -> MLArrayBatchProvider {
    let inputs = try (0..<batch.count).map { row in
      let provider = batch.features(at: row)
      return try description.inputs.indices.map { try modelValue(from: provider, at: $0) }
    }
    do {
      return MLArrayBatchProvider(array: try method.run(batch: inputs).map { try features(of: $0, backings) })
    } catch {
      throw MLModelError(error, model: model.name)
    }
  }

  /// The features for the results of a prediction.
  private func features(of results: [ModelValue], _ backings: [String: Any]) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(results.count)
    for (position, result) in results.enumerated() {
      values[description.outputs[position].name] = try featureValue(result, at: position, backings)
    }
    return MLDictionaryFeatureProvider(values: values)
  }

  func featureValue(_ value: ModelValue, at position: Int, _ backings: [String: Any]) throws -> MLFeatureValue {
    try FeatureConversion(description.outputs[position], outputDescriptions[position]).featureValue(value, backings)
  }
}
