/// Little CMS, the library of the system that converts colours by profiles with tables. It is opened when it is first needed.
package enum ColorLibrary {
  /// Opens the library.
  /// - Returns: why it cannot be used, with the package that has it; nil if it can.
  package static var loadFailure: ColorProfileError? {
    if case .failure(let failure) = LittleCMS.shared { failure } else { nil }
  }
}
