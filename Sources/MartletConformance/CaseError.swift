package import MartletBytes
package import MartletMedia

/// A recorded case that cannot be read.
package enum CaseError: Error, Sendable, Equatable {
  /// `case.json` is not valid JSON.
  case notJSON(path: String, JSONValue.ParseError)
  /// A key of `case.json` is missing or unknown, or its value is not allowed by the format.
  case invalid(path: String, key: String, reason: String)
  /// A file referenced by the case cannot be read.
  case media(MediaError)
  /// The folder with the cases does not exist, or contains none.
  case noCases(path: String)
}

extension CaseError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notJSON(let path, let error): "\(path): \(error)"
    case .invalid(let path, let key, let reason): "\(path): \(key): \(reason)"
    case .media(let error): "\(error)"
    case .noCases(let path): "\(path): contains no case.json"
    }
  }
}
