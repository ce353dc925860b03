/// An error in reading or writing a data, image or label file.
package struct MediaError: Error, Sendable, Equatable {
  package enum Reason: Sendable, Equatable {
    /// The operating system could not read the file.
    case unreadable(String)
    /// The operating system could not write the file.
    case unwritable(String)
    /// The field extends beyond the end of the data; both counts are in bytes.
    case truncated(needed: Int, available: Int)
    /// The content violates the format.
    case invalid(String)
    /// The content is valid but not supported.
    case unsupported(String)
    /// The content exceeds the caller's limit; both counts are in the unit of the field.
    case tooLarge(declared: Int, limit: Int)
    /// A system library for decoding the format is not installed.
    case missingLibrary(name: String, debianPackage: String, detail: String)
  }

  /// The file's path, or the caller's name for bytes in memory.
  package let file: String
  /// The affected part of the file, in terms of the format.
  package let field: String
  package let reason: Reason

  package init(file: String, field: String, reason: Reason) {
    self.file = file
    self.field = field
    self.reason = reason
  }
}

extension MediaError: CustomStringConvertible {
  package var description: String {
    switch reason {
    case .unreadable(let detail): "\(file): cannot read \(field): \(detail)"
    case .unwritable(let detail): "\(file): cannot write \(field): \(detail)"
    case .truncated(let needed, let available):
      "\(file): \(field): truncated, needs \(needed) bytes, \(available) are left"
    case .invalid(let detail): "\(file): \(field): \(detail)"
    case .unsupported(let detail): "\(file): \(field): not supported: \(detail)"
    case .tooLarge(let declared, let limit): "\(file): \(field): \(declared) is more than the limit of \(limit)"
    case .missingLibrary(let name, let debianPackage, let detail):
      "\(file): \(field): needs \(name), which could not be loaded (\(detail)); "
        + "install the Debian package \(debianPackage): apt-get install \(debianPackage)"
    }
  }
}
