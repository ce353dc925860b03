import Foundation

/// What commands read from standard input.
enum StandardInput {
  /// Bytes beyond which text is refused.
  static let limit = 64 << 20

  /// The text up to the end of standard input.
  /// - Parameter content: what the text is, for the message where there is none.
  static func text(as content: String) throws -> String {
    guard isatty(STDIN_FILENO) != 1 else { throw CommandFailure("give \(content), as an argument or on standard input") }
    var bytes = Data()
    while let chunk = try FileHandle.standardInput.read(upToCount: 1 << 16), !chunk.isEmpty {
      bytes.append(chunk)
      guard bytes.count <= limit else { throw CommandFailure("standard input has more than \(Formatting.bytes(limit))") }
    }
    guard let text = String(data: bytes, encoding: .utf8) else { throw CommandFailure("standard input is not UTF-8") }
    return text
  }
}
