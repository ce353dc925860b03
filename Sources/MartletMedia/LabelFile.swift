/// A text file with one class label per line; line `i` (from 0) names class `i`.
package enum LabelFile {
  package static func read(path: String) throws(MediaError) -> [String] {
    try decode(FileContents.read(path: path), name: path)
  }

  /// - Parameter bytes: UTF-8 text. LF or CRLF ends a line; a byte order mark is skipped. An empty line in the middle is an empty label,
  ///   because dropping it would shift all following classes; empty lines at the end are ignored.
  /// - Parameter name: identifies the bytes in errors.
  package static func decode(_ bytes: [UInt8], name: String) throws(MediaError) -> [String] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
    var labels: [String] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let label = String(validating: content, as: UTF8.self) else {
        throw MediaError(file: name, field: "line \(index + 1)", reason: .invalid("is not UTF-8"))
      }
      labels.append(label)
    }
    while labels.last == "" { labels.removeLast() }
    return labels
  }
}
