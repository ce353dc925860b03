import FoundationEssentials

extension URL {
  /// The path of a file, equal to `path`. The first use of `path` in a process takes ten times as long: Foundation makes a set for it, and
  /// the Swift runtime searches all protocol conformances for that of the set's elements.
  var filePath: String {
    // Without percent signs there is nothing to decode.
    guard !absoluteString.utf8.contains(UInt8(ascii: "%")) else { return path }
    var text = path(percentEncoded: false)
    while text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
    return text
  }
}
