import MartletSystem

/// Text for standard output, standard error and other open files.
package enum OutputDescriptor {
  /// Writes the whole text without a buffer.
  /// - Returns: 0, or the number of the system's error.
  @discardableResult
  package static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in unsafe MartletSystem.write(descriptor, bytes.baseAddress, bytes.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}
