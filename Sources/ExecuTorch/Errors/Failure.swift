import Foundation
package import Martlet

/// Logs an error with its source location and returns it.
func failure(_ code: ErrorCode.Code, _ description: String, file: String = #fileID, line: UInt = #line) -> NSError {
  MartletLog.Log.error(description, file: file, line: line)
  return Error(code: code, description: description)
}

/// Converts an error of the engine. Logs it with the source location of the caller, unless it is one that the engine has logged.
func failure(_ error: any Swift.Error, file: String = #fileID, line: UInt = #line) -> NSError {
  if let error = error as? MartletError {
    return Error(code: ErrorCode.Code(error.kind), description: error.message)
  }
  let known = error as NSError
  if known.domain == ErrorDomain { return known }
  MartletLog.Log.error("\(error)", file: file, line: line)
  return failure(MartletError(error))
}

extension ErrorCode.Code {
  /// The code of an error of the engine.
  package init(_ kind: MartletError.Kind) {
    self =
      switch kind {
      case .invalidFile, .encrypted: .invalidProgram
      case .unsupported: .operatorMissing
      case .invalidInput, .executionFailed, .customLayer, .customModel, .outOfWork: .invalidArgument
      case .outOfMemory: .memoryAllocationFailed
      }
  }
}
