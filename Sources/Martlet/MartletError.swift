/// Why a model could not be loaded or run. The message says what was found, where and what was expected.
public enum MartletError: Error, Sendable, Hashable {
  /// The file cannot be read, is malformed or of no known kind.
  case invalidFile(String)
  /// The file is well formed but needs something that the engine does not have: the message names the operator, the
  /// node and the file.
  case unsupported(String)
  /// A method, input or tensor does not fit the model.
  case invalidInput(String)
  /// A run failed on its data, such as an index out of range.
  case executionFailed(String)
}

extension MartletError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidFile(let reason): "invalid file: \(reason)"
    case .unsupported(let reason): "unsupported: \(reason)"
    case .invalidInput(let reason): "invalid input: \(reason)"
    case .executionFailed(let reason): "execution failed: \(reason)"
    }
  }
}
