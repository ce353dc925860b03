import FoundationEssentials

extension URL {
  /// The path of a file: as `path`, whose first use in a process searches all protocol conformances.
  var filePath: String {
    // Without percent signs there is nothing to decode.
    guard !absoluteString.utf8.contains(UInt8(ascii: "%")) else { return path }
    var text = path(percentEncoded: false)
    while text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
    return text
  }
}
