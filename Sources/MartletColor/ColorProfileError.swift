/// Why a colour profile or a conversion cannot be used.
package struct ColorProfileError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Reason: Sendable, Equatable {
    /// The part extends beyond the end of what contains it; both counts are in bytes.
    case truncated(needed: Int, available: Int)
    /// The content violates the format.
    case invalid(String)
    /// The content is valid but not supported.
    case unsupported(String)
    /// More than the limit; both counts are in the unit of the part.
    case tooLarge(declared: Int, limit: Int)
    /// The system library for profiles with tables is not installed.
    case missingLibrary(name: String, debianPackage: String, detail: String)
  }

  /// The affected part of the profile: `header` or a tag.
  package let field: String
  package let reason: Reason

  package init(field: String, reason: Reason) {
    self.field = field
    self.reason = reason
  }

  package var description: String {
    switch reason {
    case .truncated(let needed, let available): "colour profile: \(field): truncated, needs \(needed) bytes, \(available) are left"
    case .invalid(let detail): "colour profile: \(field): \(detail)"
    case .unsupported(let detail): "colour profile: \(field): not supported: \(detail)"
    case .tooLarge(let declared, let limit): "colour profile: \(field): \(declared) is more than the limit of \(limit)"
    case .missingLibrary(let name, let debianPackage, let detail):
      "colour profile: \(field): needs \(name), which could not be loaded (\(detail)); "
        + "install the Debian package \(debianPackage): apt-get install \(debianPackage)"
    }
  }
}
