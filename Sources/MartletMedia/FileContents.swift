import Foundation

/// Reads and writes whole files, with this module's errors.
package enum FileContents {
  package static func read(path: String) throws(MediaError) -> [UInt8] {
    do {
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw MediaError(file: path, field: "file", reason: .unreadable(FileContents.explanation(of: error)))
    }
  }

  /// Replaces the file atomically: readers see either the old or the new content.
  package static func write(_ bytes: [UInt8], path: String) throws(MediaError) {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw MediaError(file: path, field: "file", reason: .unwritable(FileContents.explanation(of: error)))
    }
  }

  /// The operating system's message if there is one.
  private static func explanation(of error: any Error) -> String {
    let outer = error as NSError
    if let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError, inner.domain == NSPOSIXErrorDomain,
      let code = POSIXErrorCode(rawValue: Int32(truncatingIfNeeded: inner.code))
    {
      return POSIXError(code).localizedDescription
    }
    return outer.localizedDescription
  }
}
