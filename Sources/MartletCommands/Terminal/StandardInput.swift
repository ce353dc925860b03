import MartletSystem
import MartletBytes

/// What commands read from standard input.
enum StandardInput {
  /// Bytes beyond which text is refused.
  static let limit = 64 << 20

  /// The text up to the end of standard input.
  /// - Parameter content: what the text is, for the message where there is none.
  static func text(as content: String) throws -> String {
    guard isatty(STDIN_FILENO) != 1 else { throw CommandFailure("give \(content), as an argument or on standard input") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw CommandFailure("standard input cannot be read: \(systemMessage(errno))") }
      if count == 0 { break }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw CommandFailure("standard input has more than \(Formatting.bytes(limit))") }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw CommandFailure("standard input is not UTF-8") }
    return text
  }
}
