/// A file that cannot be opened or whose content violates its format.
///
/// Readers throw no other errors. The message names the file, the absolute byte offset if known, the path of the field from the root of
/// the format (`program.execution_plan[0].values[12].sizes`) and the reason.
@usableFromInline package struct FileError: Error, Sendable, Hashable {
  /// The properties. One reference keeps the code short that every throwing call needs.
  private struct Content: Sendable, Hashable {
    var file: String
    var byteOffset: Int?
    var field: String
    var reason: String
    var isEncrypted = false
  }

  private final class Box: Sendable {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  private var box: Box

  private var content: Content {
    get { box.content }
    set { box = Box(newValue) }
  }

  /// Path of the file, or a name such as `<memory>` for bytes from elsewhere.
  @usableFromInline package var file: String {
    get { content.file }
    set { content.file = newValue }
  }
  /// Absolute byte offset in the file.
  package var byteOffset: Int? {
    get { content.byteOffset }
    set { content.byteOffset = newValue }
  }
  /// Path of the field, outermost first; empty if the error concerns the whole file.
  package var field: String {
    get { content.field }
    set { content.field = newValue }
  }
  /// Description of the error, as a phrase without a final full stop.
  package var reason: String {
    get { content.reason }
    set { content.reason = newValue }
  }
  /// True if the file is encrypted: nothing is wrong with it, but it cannot be read without a key.
  package var isEncrypted: Bool {
    get { content.isEncrypted }
    set { content.isEncrypted = newValue }
  }

  @usableFromInline package init(file: String, byteOffset: Int? = nil, field: String = "", reason: String) {
    box = Box(Content(file: file, byteOffset: byteOffset, field: field, reason: reason))
  }

  @usableFromInline package static func == (a: FileError, b: FileError) -> Bool { a.content == b.content }

  @usableFromInline package func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }

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
