import Foundation
import Martlet
import MartletImages

/// An error of a request, for either interface.
struct Failure: Error {
  let error: VisionError
  /// Error reported by Core ML.
  var underlying: (any Error)?

  init(_ error: VisionError, underlying: (any Error)? = nil) {
    self.error = error
    self.underlying = underlying
  }

  /// The error of a picture that cannot be fitted to a model.
  init(_ failure: FittedBuffers.Failure) {
    switch failure {
    case .format(let name): self.init(.invalidFormat("Pixel buffers of the format \(name) cannot be scaled"))
    case .region: self.init(.invalidArgument("The region of interest is not inside of the picture, which spans 0 to 1 along each axis"))
    case .buffer(let code): self.init(.pixelBufferCreationFailed(code))
    case .image: self.init(.invalidImage("The image has fewer pixels than its size says"))
    }
  }

  /// The error of a prediction.
  init(prediction error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let failure as FittedBuffers.Failure: self.init(failure)
    case is CancellationError, MLModelError.predictionCancelled: self.init(.requestCancelled("The request was cancelled"))
    default:
      self.init(.operationFailed("The Core ML request failed: \(error.localizedDescription)"), underlying: error)
    }
  }

  /// The error that the classic interface reports.
  var classic: NSError {
    var information: [String: Any] = [NSLocalizedDescriptionKey: error.description]
    if let underlying { information[NSUnderlyingErrorKey] = underlying as NSError }
    return NSError(domain: VNErrorDomain, code: error.code.rawValue, userInfo: information)
  }
}
