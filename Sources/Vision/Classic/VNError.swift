import Foundation

/// The domain of Vision's errors.
public let VNErrorDomain: String = "com.apple.vis"

/// Codes of errors in the domain `VNErrorDomain`.
public enum VNErrorCode: Int, Sendable, Hashable {
  case turiCoreErrorCode = -1
  case OK = 0
  /// The request was cancelled.
  case requestCancelled = 1
  /// Pixels are in a format that cannot be used.
  case invalidFormat = 2
  /// The model failed; the error that it reported is the underlying one.
  case operationFailed = 3
  case outOfBoundsError = 4
  case invalidOption = 5
  /// A file cannot be read.
  case ioError = 6
  case missingOption = 7
  case notImplemented = 8
  case internalError = 9
  case outOfMemory = 10
  case unknownError = 11
  case invalidOperation = 12
  /// The picture cannot be decoded.
  case invalidImage = 13
  /// A region of interest is not inside of the picture.
  case invalidArgument = 14
  /// The model takes no image.
  case invalidModel = 15
  /// The request has a revision that does not exist.
  case unsupportedRevision = 16
  /// An output that the model declares is missing.
  case dataUnavailable = 17
  case timeStampNotFound = 18
  /// The request is of a kind that cannot be performed.
  case unsupportedRequest = 19
  case timeout = 20
  case unsupportedComputeStage = 21
  case unsupportedComputeDevice = 22
}

extension VisionError {
  /// The code of the same error in the classic interface.
  var code: VNErrorCode {
    switch self {
    case .internalError: .internalError
    case .ioError: .ioError
    case .operationFailed: .operationFailed
    case .outOfBoundsError: .outOfBoundsError
    case .outOfMemory, .pixelBufferCreationFailed: .outOfMemory
    case .requestCancelled: .requestCancelled
    case .timeStampNotFound: .timeStampNotFound
    case .timeout: .timeout
    case .invalidArgument: .invalidArgument
    case .invalidFormat: .invalidFormat
    case .invalidImage: .invalidImage
    case .invalidModel: .invalidModel
    case .invalidOperation: .invalidOperation
    case .dataUnavailable: .dataUnavailable
    case .unsupportedComputeDevice: .unsupportedComputeDevice
    case .unsupportedComputeStage: .unsupportedComputeStage
    case .unsupportedRequest: .unsupportedRequest
    case .unsupportedRevision: .unsupportedRevision
    }
  }
}
