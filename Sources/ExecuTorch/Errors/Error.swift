public import Foundation

/// The domain of every error that the runtime throws.
public let ErrorDomain = "org.pytorch.executorch.error"

/// The description of a code, in upstream's words; empty for `.ok`.
public func ErrorDescription(_ code: ErrorCode.Code) -> String {
  switch code {
  case .ok: ""
  case .internal: "Internal error"
  case .invalidState: "Invalid executor state"
  case .endOfMethod: "No more execution steps"
  case .notSupported: "Operation not supported"
  case .notImplemented: "Operation not implemented"
  case .invalidArgument: "Invalid argument"
  case .invalidType: "Invalid type"
  case .operatorMissing: "Operator missing"
  case .registrationExceedingMaxKernels: "Exceeded maximum number of kernels"
  case .registrationAlreadyRegistered: "Kernel is already registered"
  case .notFound: "Resource not found"
  case .memoryAllocationFailed: "Memory allocation failed"
  case .accessFailed: "Access failed"
  case .invalidProgram: "Invalid program contents"
  case .invalidExternalData: "Invalid external data"
  case .outOfResources: "Out of resources"
  case .delegateInvalidCompatibility: "Delegate version incompatible"
  case .delegateMemoryAllocationFailed: "Delegate memory allocation failed"
  case .delegateInvalidHandle: "Delegate handle invalid"
  }
}

/// An error of `ErrorDomain` with `code` and its description.
public func Error(code: ErrorCode.Code) -> NSError {
  Error(code: code, description: nil)
}

/// An error of `ErrorDomain` with `code`; `description`, unless nil or empty, follows the code's own after a colon.
public func Error(code: ErrorCode.Code, description: String?) -> NSError {
  let general = ErrorDescription(code)
  let details = description.flatMap { $0.isEmpty ? nil : $0 }
  return NSError(
    domain: ErrorDomain, code: code.rawValue,
    userInfo: [NSLocalizedDescriptionKey: details.map { general + ": " + $0 } ?? general])
}
