import ExecuTorch
import Foundation
import Martlet
import MartletTextGeneration

/// The domain of every error that a runner throws. The code is -1 if the runner cannot be made, -2 for an input of no known type, and
/// otherwise that of ExecuTorch's runtime.
public let ErrorDomain = "org.pytorch.executorch.llm.error"

/// The error of a model or a tokenizer that no runner can be made of. Its failure reason names file, field and fault.
func creationFailure(_ cause: any Swift.Error) -> NSError {
  let reason = (cause as? MartletError)?.message ?? "\(cause)"
  MartletLog.Log.error("no runner can be made: \(reason)")
  return NSError(
    domain: ErrorDomain, code: -1,
    userInfo: [NSLocalizedDescriptionKey: "Failed to create runner", NSLocalizedFailureReasonErrorKey: reason])
}

/// The error with a code of the runtime.
func failure(_ code: ErrorCode.Code, _ reason: String) -> NSError {
  MartletLog.Log.error(reason)
  return NSError(
    domain: ErrorDomain, code: code.rawValue,
    userInfo: [
      NSLocalizedDescriptionKey: ErrorDescription(code) + ": " + reason, NSLocalizedFailureReasonErrorKey: reason,
    ])
}

/// Converts an error of the engine.
func failure(_ error: any Swift.Error) -> NSError {
  guard let error = error as? GenerationError else {
    let error = MartletError(error)
    return failure(ErrorCode.Code(error.kind), error.message)
  }
  return switch error.kind {
  case .invalidModel: creationFailure(error)
  case .invalidArgument: failure(.invalidArgument, error.description)
  case .nothingToContinue: failure(.invalidState, error.description)
  case .invalidLogits: failure(.invalidArgument, error.description)
  }
}
