#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files in which the system reports its state: those of `/proc` and `/sys`.
///
/// Read without Foundation, whose first use costs a program more than all these files.
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
