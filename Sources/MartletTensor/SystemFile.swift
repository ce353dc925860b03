import MartletSystem

/// Files in which the system reports its state: those of `/proc` and `/sys`.
///
/// They are read without Foundation, whose first use takes longer than reading all of them.
package enum SystemFile {
  /// The file's text; nil if it cannot be read.
  package static func text(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      var count = 0
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, used in
        count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
        used = max(count, 0)
      }
      if count < 0 { return nil }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece
    }
  }
}

/// Control groups of the process, as `/proc/self/cgroup` lists them (cgroups(7)).
package enum ControlGroup {
  /// Path of the process's group in a hierarchy, from its root.
  /// - Parameters:
  ///   - groups: text of `/proc/self/cgroup`: lines `NUMBER:CONTROLLERS:PATH`.
  ///   - controller: a controller of the version 1 hierarchy; nil for version 2.
  package static func path(in groups: String, controller: String?) -> String? {
    for line in groups.lines {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isMember =
        controller.map { parts[1].parts(separatedBy: ",").contains($0[...]) } ?? (parts[0] == "0" && parts[1].isEmpty)
      if isMember { return String(parts[2]) }
    }
    return nil
  }
}

extension String {
  /// The lines of a text, without empty ones.
  package var lines: [Substring] { parts(separatedBy: "\n") }

  package func parts(separatedBy separator: Unicode.Scalar) -> [Substring] { self[...].parts(separatedBy: separator) }
}

extension Substring {
  /// The parts between occurrences of an ASCII character, without empty ones. Compares bytes, which is faster than comparing characters.
  package func parts(separatedBy separator: Unicode.Scalar) -> [Substring] {
    let byte = UInt8(ascii: separator)
    return utf8.split { $0 == byte }.map { Substring($0) }
  }
}
