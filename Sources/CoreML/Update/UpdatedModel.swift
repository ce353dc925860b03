import Foundation
import Martlet
import MartletFeatures

/// A model in training, or the model that it was at some moment.
final class TrainedContent: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  /// Nil once the content does not follow the training any more.
  private var trainer: Trainer?
  private var frozen: TrainedModel?
  private var loaded: ModelFunction?
  private let parameters: ModelParameters
  let description: MLModelDescription
  let configuration: MLModelConfiguration

  init(_ trainer: Trainer, _ asset: ModelAsset, _ configuration: MLModelConfiguration) {
    self.trainer = trainer
    parameters = ModelParameters(asset)
    description = MLModelDescription(asset, function: asset.features.defaultFunction)
    self.configuration = configuration
  }

  /// Keeps the present weights.
  func freeze() throws {
    try lock.withLock {
      _ = try trained()
      trainer = nil
    }
  }

  /// The model with the present weights, loaded at the first call.
  var function: ModelFunction {
    get throws {
      try lock.withLock {
        if let loaded { return loaded }
        do {
          let asset = try trained().makeAsset()
          let function = try ModelFunction(Model(asset, options: configuration.engineOptions()), of: asset, named: nil)
          loaded = function
          return function
        } catch {
          throw MLModelError(error)
        }
      }
    }
  }

  func write(to url: URL) throws {
    try lock.withLock {
      do {
        try trained().write(to: url)
      } catch {
        throw MLModelError(.io, MartletError(error).message)
      }
    }
  }

  func parameterValue(for key: MLParameterKey) throws -> Any {
    try lock.withLock {
      if let trainer {
        return try ModelParameters.value(for: key, weights: trainer.weights(ofLayer:), biases: trainer.biases(ofLayer:)) { name in
          parameters.isOfTrained(key) ? trainer.value(of: name) : nil
        }
      }
      return try ModelParameters(trained().makeAsset()).value(for: key, configuration.parameters)
    }
  }

  private func trained() throws -> TrainedModel {
    if let frozen { return frozen }
    guard let trainer else { throw MLModelError(.update, "The model is not available any more") }
    let trained = try trainer.snapshot()
    frozen = trained
    return trained
  }
}

/// The model of an update context.
final class UpdatedModel: MLModel, MLWritable, @unchecked Sendable {
  private let content: TrainedContent

  init(_ content: TrainedContent) {
    self.content = content
    super.init()
  }

  override var function: ModelFunction { get throws { try content.function } }
  override var modelDescription: MLModelDescription { content.description }
  override var configuration: MLModelConfiguration { content.configuration }
  override func parameterValue(for key: MLParameterKey) throws -> Any { try content.parameterValue(for: key) }
  func write(to url: URL) throws { try content.write(to: url) }
}
