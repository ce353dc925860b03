import Martlet

/// The way a program's file is loaded into memory.
public enum ModuleLoadMode: Int, Sendable {
  /// Read completely into allocated memory.
  case file = 0
  /// Mapped; pages are read on first access.
  case mmap
  /// Mapped and locked in physical memory. Loading fails if the system refuses.
  case mmapUseMlock
  /// Mapped, and locked in physical memory if the system allows it.
  case mmapUseMlockIgnoreErrors
}

/// The extent of checks when a program is loaded.
///
/// Martlet checks the whole structure of the file at both levels, including every offset and index, before anything runs.
public enum ModuleVerification: UInt8, Sendable {
  case minimal = 0
  case internalConsistency
}

extension ModuleLoadMode {
  var fileAccess: ModelOptions.FileAccess {
    switch self {
    case .file: .read
    case .mmap: .map
    case .mmapUseMlock: .lock
    case .mmapUseMlockIgnoreErrors: .lockIfPossible
    }
  }
}
