public import Foundation

/// The type of a backend option's value.
public enum BackendOptionType: Int, Sendable {
  case boolean = 0
  case integer
  case string
}

/// An option of a backend: a key and a value. Options are immutable and compare equal if key, type and value are equal.
public final class BackendOption: NSObject, @unchecked Sendable {
  private enum Content: Hashable {
    case boolean(Bool)
    case integer(Int)
    case string(String)
  }

  public let key: String
  private let content: Content

  public init(_ key: String, _ value: Bool) {
    self.key = key
    content = .boolean(value)
  }

  public init(_ key: String, _ value: Int) {
    self.key = key
    content = .integer(value)
  }

  public init(_ key: String, _ value: String) {
    self.key = key
    content = .string(value)
  }

  public var type: BackendOptionType {
    switch content {
    case .boolean: .boolean
    case .integer: .integer
    case .string: .string
    }
  }

  /// The value, or false if it is of another type.
  public var boolValue: Bool { if case .boolean(let value) = content { value } else { false } }
  /// The value, or 0 if it is of another type.
  public var intValue: Int { if case .integer(let value) = content { value } else { 0 } }
  /// The value, or nil if it is of another type.
  public var stringValue: String? { if case .string(let value) = content { value } else { nil } }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? BackendOption else { return false }
    return key == other.key && content == other.content
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(content)
    return hasher.finalize()
  }

  public override var description: String {
    let value =
      switch content {
      case .boolean(let value): "\(value) (bool)"
      case .integer(let value): "\(value) (int)"
      case .string(let value): "\"\(value)\" (string)"
      }
    return "<ExecuTorchBackendOption \(key)=\(value)>"
  }

  public override var debugDescription: String { description }
}
