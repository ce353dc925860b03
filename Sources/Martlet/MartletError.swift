public import FoundationEssentials

/// A failure to load or run a model: its kind, the parts that identify place and cause, and a message composed of them.
///
/// ```swift
/// do {
///   try model.load()
/// } catch MartletError.Kind.unsupported {
///   // The engine lacks something that the model needs.
/// } catch let error as MartletError {
///   print(error.kind, error.method ?? "", error.operator ?? "", error.message)
/// }
/// ```
public struct MartletError: Error, Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The file cannot be read, is malformed, or has an unknown format.
    case invalidFile
    /// The model is encrypted. Only Apple's systems get its key.
    case encrypted
    /// The file is well-formed but requires a feature that the engine does not support.
    case unsupported
    /// A method, input or tensor does not match the model.
    case invalidInput
    /// A run failed because of its data, for example an index out of range.
    case executionFailed
    /// A layer that the program implements threw an error.
    case customLayer
    /// A model that the program implements threw an error, or does not exist.
    case customModel
    /// The model needs more memory than ``ModelOptions/memoryLimit`` allows or the system provides.
    case outOfMemory
    /// Loading or running the model takes more work than ``ModelOptions/workLimit`` allows.
    case outOfWork
  }

  public let kind: Kind
  /// Path or name of the model's file.
  public var file: String?
  /// If the file is malformed, the offset of the error and the path of the field from the root of the format.
  public var byteOffset: Int?
  public var field: String?
  public var method: String?
  /// The position in the method, e.g. `instruction 12 of chain 0`.
  public var node: String?
  /// The operator: its name in the file if it could not be imported, e.g. `aten::add.out`, otherwise its name in the graph.
  public var `operator`: String?
  /// The accepted value, such as a type or a limit.
  public var expected: String?
  /// The value found instead.
  public var found: String?
  /// The cause, without the place and without a final full stop.
  public let reason: String

  public init(_ kind: Kind, _ reason: String, expected: String? = nil, found: String? = nil) {
    self.kind = kind
    self.reason = reason
    self.expected = expected
    self.found = found
  }
}

extension MartletError {
  public static func invalidFile(_ reason: String) -> MartletError { MartletError(.invalidFile, reason) }
  public static func unsupported(_ reason: String) -> MartletError { MartletError(.unsupported, reason) }

  public static func invalidInput(_ reason: String, expected: String? = nil, found: String? = nil) -> MartletError {
    MartletError(.invalidInput, reason, expected: expected, found: found)
  }

  public static func executionFailed(_ reason: String) -> MartletError { MartletError(.executionFailed, reason) }

  public static func outOfMemory(_ reason: String, expected: String? = nil, found: String? = nil) -> MartletError {
    MartletError(.outOfMemory, reason, expected: expected, found: found)
  }
}

extension MartletError: CustomStringConvertible, LocalizedError {
  /// All parts except the kind, e.g. `model.pte: method forward, aten::add.out (instruction 3 of chain 0): reason`.
  public var message: String {
    let place = [file, byteOffset.map { "byte \($0)" }, field].compactMap { $0 }.joined(separator: ", ")
    let call: String? =
      switch (`operator`, node) {
      case (let op?, let node?): "\(op) (\(node))"
      case (let op, let node): op ?? node
      }
    let inside = [method.map { "method \($0)" }, call].compactMap { $0 }.joined(separator: ", ")
    let values = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap { $0 }.joined(separator: ", ")
    return [place, inside, reason, values].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  public var description: String { "\(kind.text): \(message)" }
  public var errorDescription: String? { description }
}

extension MartletError.Kind {
  /// The kind in words, as it appears at the beginning of descriptions.
  var text: String {
    switch self {
    case .invalidFile: "invalid file"
    case .encrypted: "encrypted"
    case .unsupported: "unsupported"
    case .invalidInput: "invalid input"
    case .executionFailed: "execution failed"
    case .customLayer: "custom layer"
    case .customModel: "custom model"
    case .outOfMemory: "out of memory"
    case .outOfWork: "too much work"
    }
  }

  /// Matches errors by kind, as in `catch MartletError.Kind.invalidFile`.
  public static func ~= (kind: Self, error: any Error) -> Bool { (error as? MartletError)?.kind == kind }
}
