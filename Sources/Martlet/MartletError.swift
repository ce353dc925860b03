public import Foundation

/// Why a model could not be loaded or run: a kind to decide by, the parts that say where and what, and a text made of them.
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
    /// The file cannot be read, is malformed or of no known kind.
    case invalidFile
    /// The file is well formed but needs something that the engine does not have.
    case unsupported
    /// A method, input or tensor does not fit the model.
    case invalidInput
    /// A run failed on its data, such as an index out of range.
    case executionFailed
    /// More memory is needed than ``ModelOptions/memoryLimit`` allows, or than the system gives.
    case outOfMemory
  }

  public let kind: Kind
  /// Path or name of the model's file.
  public var file: String?
  /// The byte in the file, and the field by its path from the root of the format, where the file is at fault.
  public var byteOffset: Int?
  public var field: String?
  public var method: String?
  /// Where in the method, e.g. `instruction 12 of chain 0`.
  public var node: String?
  /// The operator by its name in the file where it could not be imported, e.g. `aten::add.out`, else by its name in the graph.
  public var `operator`: String?
  /// What would have been accepted, such as a type or a limit.
  public var expected: String?
  /// What was given instead.
  public var found: String?
  /// What is wrong, without the place and without a final full stop.
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
  /// All parts but the kind, e.g. `model.pte: method forward, aten::add.out (instruction 3 of chain 0): reason`.
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
  /// In words, as the descriptions of errors begin.
  var text: String {
    switch self {
    case .invalidFile: "invalid file"
    case .unsupported: "unsupported"
    case .invalidInput: "invalid input"
    case .executionFailed: "execution failed"
    case .outOfMemory: "out of memory"
    }
  }

  /// Matches errors by kind, as in `catch MartletError.Kind.invalidFile`.
  public static func ~= (kind: Self, error: any Error) -> Bool { (error as? MartletError)?.kind == kind }
}
