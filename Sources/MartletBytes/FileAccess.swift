/// The way a file is brought into memory.
package struct FileAccess: Sendable {
  package enum Mode: Sendable {
    /// Memory-mapped: pages are read on first access. Small files, and files that other users may write to, are read as a whole.
    case map
    /// Read into memory as a whole.
    case read
    /// As `map`, but locked in physical memory; fails if the system does not allow this.
    case lock
    /// As `map`, but locked in physical memory if the system allows it.
    case lockIfPossible
  }

  package var mode: Mode
  /// The largest file, in bytes, that is read into memory. Asked only for files that are not small.
  package var copyLimit: @Sendable () -> Int

  package init(_ mode: Mode, copyLimit: @escaping @Sendable () -> Int = { .max }) {
    self.mode = mode
    self.copyLimit = copyLimit
  }

  package static let map = FileAccess(.map)
  package static let read = FileAccess(.read)
}
