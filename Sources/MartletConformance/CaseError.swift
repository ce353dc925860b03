package import MartletMedia

/// Why a recorded case could not be read.
package enum CaseError: Error, Sendable, Equatable {
  /// `case.json` is no JSON.
  case notJSON(path: String, JSONValue.ParseError)
  /// A key of `case.json` is missing, unknown, or has a value that the format does not allow.
  case invalid(path: String, key: String, reason: String)
  /// A file that the case names cannot be read.
  case media(MediaError)
  /// The folder to look for cases in does not exist, or holds none.
  case noCases(path: String)
}

extension CaseError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notJSON(let path, let error): "\(path): \(error)"
    case .invalid(let path, let key, let reason): "\(path): \(key): \(reason)"
    case .media(let error): "\(error)"
    case .noCases(let path): "\(path): holds no case.json"
    }
  }
}
