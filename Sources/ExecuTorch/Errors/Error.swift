public import Foundation

/// The domain of every error that the runtime throws.
public let ErrorDomain = "org.pytorch.executorch.error"

/// What went wrong in a few words; empty for `.ok`.
public func ErrorDescription(_ code: ErrorCode.Code) -> String {
  switch code {
  case .ok: ""
  case .internal: "Unexpected failure inside the runtime"
  case .invalidState: "Not possible in the present state"
  case .endOfMethod: "No steps of the method are left to run"
  case .notSupported: "Not supported"
  case .notImplemented: "Not implemented"
  case .invalidArgument: "Unusable argument"
  case .invalidType: "Value of the wrong type"
  case .operatorMissing: "The program needs an operator that is not available"
  case .registrationExceedingMaxKernels: "No room for another kernel"
  case .registrationAlreadyRegistered: "The kernel has been registered before"
  case .notFound: "Not found"
  case .memoryAllocationFailed: "Memory could not be allocated"
  case .accessFailed: "No access to the resource"
  case .invalidProgram: "The program is damaged or of an unknown format"
  case .invalidExternalData: "The data that belong to the program are damaged or do not match it"
  case .outOfResources: "A resource is used up"
  case .delegateInvalidCompatibility: "The delegate does not know this version of its format"
  case .delegateMemoryAllocationFailed: "Memory for the delegate could not be allocated"
  case .delegateInvalidHandle: "The delegate was given a handle it does not know"
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
