/// A file that cannot be opened or whose content violates its format.
///
/// Readers throw no other errors. The message names the file, the absolute byte offset if known, the path of the field from the root of
/// the format (`program.execution_plan[0].values[12].sizes`) and the reason.
@usableFromInline package struct FileError: Error, Sendable, Hashable {
  /// Path of the file, or a name such as `<memory>` for bytes from elsewhere.
  @usableFromInline package var file: String
  /// Absolute byte offset in the file.
  package var byteOffset: Int?
  /// Path of the field, outermost first; empty if the error concerns the whole file.
  package var field: String
  /// Description of the error, as a phrase without a final full stop.
  package var reason: String
  /// True if the file is encrypted: nothing is wrong with it, but it cannot be read without a key.
  package var isEncrypted = false

  @usableFromInline package init(file: String, byteOffset: Int? = nil, field: String = "", reason: String) {
    self.file = file
    self.byteOffset = byteOffset
    self.field = field
    self.reason = reason
  }

  /// The same error with `component` prepended to its field path.
  @usableFromInline package func nested(in component: String) -> FileError {
    var error = self
    if field.isEmpty {
      error.field = component
    } else if component.isEmpty || field.hasPrefix("[") {
      error.field = component + field
    } else {
      error.field = component + "." + field
    }
    return error
  }
}

extension FileError: CustomStringConvertible {
  @usableFromInline package var description: String {
    var text = file
    if let byteOffset { text += ", byte \(byteOffset)" }
    if !field.isEmpty { text += ", \(field)" }
    return text + ": " + reason
  }
}

/// Runs `body` and prepends `component` to the field path of an error that it throws.
@inlinable
package func locating<Result>(
  _ component: @autoclosure () -> String, _ body: () throws(FileError) -> Result
) throws(FileError) -> Result {
  do {
    return try body()
  } catch {
    throw error.nested(in: component())
  }
}
