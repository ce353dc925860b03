public import CoreVideo
import Foundation

/// Errors of Vision's requests, with a message.
public enum VisionError: Error, LocalizedError, Sendable {
  case internalError(String)
  /// A file cannot be read.
  case ioError(String)
  /// The model failed.
  case operationFailed(String)
  case outOfBoundsError(String)
  case outOfMemory(String)
  case pixelBufferCreationFailed(CVReturn)
  /// The task was cancelled.
  case requestCancelled(String)
  case timeStampNotFound(String)
  case timeout(String)
  /// A region of interest is not inside of the picture.
  case invalidArgument(String)
  /// Pixels are in a format that cannot be used.
  case invalidFormat(String)
  /// The picture cannot be decoded.
  case invalidImage(String)
  /// The model takes no image.
  case invalidModel(String)
  case invalidOperation(String)
  /// An output that the model declares is missing.
  case dataUnavailable(String)
  case unsupportedComputeDevice(String)
  case unsupportedComputeStage(String)
  case unsupportedRequest(String)
  case unsupportedRevision(String)

  public var description: String {
    switch self {
    case .internalError(let message), .ioError(let message), .operationFailed(let message), .outOfBoundsError(let message),
      .outOfMemory(let message), .requestCancelled(let message), .timeStampNotFound(let message), .timeout(let message),
      .invalidArgument(let message), .invalidFormat(let message), .invalidImage(let message), .invalidModel(let message),
      .invalidOperation(let message), .dataUnavailable(let message), .unsupportedComputeDevice(let message),
      .unsupportedComputeStage(let message), .unsupportedRequest(let message), .unsupportedRevision(let message):
      message
    case .pixelBufferCreationFailed(let code): "A pixel buffer cannot be created (\(code))"
    }
  }

  public var errorDescription: String? { description }
}
