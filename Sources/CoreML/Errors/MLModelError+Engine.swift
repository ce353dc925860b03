import Martlet

extension MLModelError {
  /// The error of a model for an error of the engine.
  /// - Parameter model: the model's name, for errors that do not name a file themselves.
  init(_ error: any Error, model: String? = nil) {
    switch error {
    case let error as MLModelError: self = error
    case is CancellationError: self.init(.predictionCancelled, "The prediction was cancelled")
    default: self.init(MartletError(error, file: model))
    }
  }

  private init(_ error: MartletError) {
    switch error.kind {
    case .invalidFile: self.init(.io, error.message)
    case .encrypted: self.init(.modelDecryptionKeyFetch, error.message)
    case .invalidInput: self.init(.featureType, error.message)
    case .customLayer: self.init(.customLayer, error.message)
    case .customModel: self.init(.customModel, error.message)
    case .unsupported, .executionFailed, .outOfMemory, .outOfWork: self.init(.generic, "\(error)")
    }
  }
}
