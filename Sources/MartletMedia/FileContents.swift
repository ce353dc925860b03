import FoundationEssentials
import MartletSystem
import MartletBytes

/// Reads and writes whole files, with this module's errors.
package enum FileContents {
  package static func read(path: String) throws(MediaError) -> [UInt8] {
    do {
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw MediaError(file: path, field: "file", reason: .unreadable(error.fileReason))
    }
  }

  /// Replaces the file atomically: readers see either the old or the new content.
  package static func write(_ bytes: [UInt8], path: String) throws(MediaError) {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw MediaError(file: path, field: "file", reason: .unwritable(error.fileReason))
    }
  }
}
