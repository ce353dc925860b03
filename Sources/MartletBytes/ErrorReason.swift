import MartletSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Error {
  /// Why a file operation failed, for messages that name the file themselves: the operating system's message if there is one.
  package var fileReason: String {
    if let error = self as? POSIXError { return systemMessage(error.code.rawValue) }
    if let underlying = (self as? CocoaError)?.underlying { return underlying.fileReason }
    if let error = self as? FileError { return error.description }
    return (self as? any LocalizedError)?.errorDescription ?? "\(self)"
  }
}
