import MartletSystem

/// The folder of this program's executable, where SwiftPM places resources.
package enum ExecutableFolder {
  /// An absolute path without symbolic links. Without `/proc` it is that of the program's first argument.
  package static let path: String = {
    let name = CommandLine.arguments.first ?? "."
    guard let resolved = unsafe realpath("/proc/self/exe", nil) ?? realpath(name, nil) else { return "." }
    defer { unsafe free(resolved) }
    let file = unsafe String(cString: resolved)
    return file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
  }()
}
