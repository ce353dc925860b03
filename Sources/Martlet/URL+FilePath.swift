import FoundationEssentials

extension URL {
  /// The path of a file, equal to `path`. The first use of `path` in a process takes ten times as long: Foundation makes a set for it, and
  /// the Swift runtime searches all protocol conformances for that of the set's elements.
  var filePath: String {
    guard !isEncoded else { return path }
    var text = path(percentEncoded: false)
    while text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
    return text
  }

  /// The last component of the path, equal to `lastPathComponent`, whose first use takes as long as that of `path`.
  var fileName: String {
    guard !isEncoded else { return lastPathComponent }
    let path = filePath
    guard let last = path.utf8.lastIndex(of: UInt8(ascii: "/")), path != "/" else { return lastPathComponent }
    return String(path[path.utf8.index(after: last)...])
  }

  /// True if there may be characters to decode.
  private var isEncoded: Bool { absoluteString.utf8.contains(UInt8(ascii: "%")) }
}
