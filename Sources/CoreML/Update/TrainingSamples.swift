import Foundation
import Martlet
import MartletFeatures

/// The samples of a batch provider as the engine takes them.
final class TrainingSamples: @unchecked Sendable {
  private let batch: any MLBatchProvider
  private let features: [FeatureDescription]
  private let declarations: [MLFeatureDescription]
  let count: Int
  /// True for a provider whose samples stay the same.
  let areConstant: Bool

  init(_ batch: any MLBatchProvider, _ asset: ModelAsset) {
    self.batch = batch
    features = asset.features.trainingInputs
    declarations = features.map { MLFeatureDescription($0) }
    count = batch.count
    areConstant = type(of: batch) == MLArrayBatchProvider.self
  }

  /// The values of the training inputs.
  /// - Throws: `MLModelError.update` with the name of a feature that is missing or does not fit.
  func sample(at index: Int) throws -> [String: ModelValue] {
    let provider = batch.features(at: index)
    var result: [String: ModelValue] = [:]
    for (feature, declared) in zip(features, declarations) {
      guard let value = provider.featureValue(for: feature.name), !value.isUndefined else {
        if declared.isOptional { continue }
        throw MLModelError(.update, "The feature '\(feature.name)' of training sample \(index) is missing")
      }
      if let found = declared.objection(to: value), !value.isSequence(of: feature) {
        throw MLModelError(
          .update, "The feature '\(feature.name)' of training sample \(index) is \(found), but the model expects \(declared.expectation)")
      }
      result[feature.name] = try FeatureConversion(feature, declared).modelValue(value)
    }
    return result
  }
}

extension MLFeatureValue {
  /// True for an array with Seq and Batch before its declared axes.
  fileprivate func isSequence(of feature: FeatureDescription) -> Bool {
    guard case .multiArray(let array) = feature.type, let given = multiArrayValue else { return false }
    return [(1, 3), (1, 5), (3, 5)].contains { $0 == (array.shape.count, given.shape.count) }
  }
}
