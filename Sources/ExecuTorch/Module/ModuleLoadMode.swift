import Martlet

/// How a program's bytes come into memory.
public enum ModuleLoadMode: Int, Sendable {
  /// Read as a whole into memory of the process.
  case file = 0
  /// Mapped; pages are read when they are needed.
  case mmap
  /// Mapped and kept in physical memory; loading fails where the system refuses.
  case mmapUseMlock
  /// Mapped, and kept in physical memory where the system allows it.
  case mmapUseMlockIgnoreErrors
}

/// How thoroughly a program is checked when it is loaded.
///
/// Here both levels check the whole structure of the file, every offset and index in it, before anything runs.
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
