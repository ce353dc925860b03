/// A table as text with comma-separated values (RFC 4180): fields may be quoted, a doubled quote stands for one, and LF or CRLF ends a record.
package struct SeparatedValues: Sendable {
  /// Names of the columns; nil if all fields of the first record are numbers.
  package let header: [String]?
  /// The fields of each column.
  package let columns: [[String]]

  package var rowCount: Int { columns.first?.count ?? 0 }

  package static func read(path: String) throws(MediaError) -> SeparatedValues {
    try SeparatedValues(FileContents.read(path: path), name: path)
  }

  /// - Parameters:
  ///   - bytes: UTF-8 text; a byte order mark and empty lines are skipped.
  ///   - name: identifies the bytes in errors.
  /// - Throws: `MediaError` naming the line if records differ in length, a quote is not closed, or the text is empty or not UTF-8.
  package init(_ bytes: [UInt8], name: String) throws(MediaError) {
    var reader = RecordReader(bytes, name: name)
    var first: [String]?
    var header: [String]?
    var columns: [[String]] = []
    while let record = try reader.next() {
      guard let first else {
        first = record
        columns = record.map { _ in [] }
        if record.allSatisfy({ Double($0) != nil }) {
          for (position, field) in record.enumerated() { columns[position].append(field) }
        } else {
          header = record
        }
        continue
      }
      guard record.count == first.count else {
        throw MediaError(
          file: name, field: "line \(reader.recordLine)",
          reason: .invalid("has \(record.count) fields, and the first line \(first.count)"))
      }
      for (position, field) in record.enumerated() { columns[position].append(field) }
    }
    guard first != nil else { throw MediaError(file: name, field: "line 1", reason: .invalid("the table is empty")) }
    self.header = header
    self.columns = columns
  }

  /// A record with a line break at its end.
  package static func record(_ fields: [String]) -> String {
    let special: Set<Character> = [",", "\"", "\n", "\r", "\r\n"]
    return fields.map { field in
      guard field.contains(where: special.contains) else { return field }
      return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }.joined(separator: ",") + "\n"
  }
}

/// Splits text into records.
private struct RecordReader {
  private let bytes: [UInt8]
  private let name: String
  private var position: Int
  private var line = 1
  /// The line on which the last record begins.
  private(set) var recordLine = 1

  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let comma = UInt8(ascii: ",")

  init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  mutating func next() throws(MediaError) -> [String]? {
    while position < bytes.count, endsLine(at: position) { skipLineEnd() }
    guard position < bytes.count else { return nil }
    recordLine = line
    var fields: [String] = []
    while true {
      fields.append(try field())
      guard position < bytes.count, bytes[position] == Self.comma else { break }
      position += 1
    }
    if position < bytes.count { skipLineEnd() }
    return fields
  }

  private func endsLine(at position: Int) -> Bool { bytes[position] == Self.lineFeed || bytes[position] == Self.carriageReturn }

  private mutating func skipLineEnd() {
    if bytes[position] == Self.carriageReturn, position + 1 < bytes.count, bytes[position + 1] == Self.lineFeed { position += 1 }
    position += 1
    line += 1
  }

  /// Reads up to the next comma, line end or the end of the text.
  private mutating func field() throws(MediaError) -> String {
    guard position < bytes.count, bytes[position] == Self.quote else {
      let start = position
      while position < bytes.count, bytes[position] != Self.comma, !endsLine(at: position) { position += 1 }
      return try text(bytes[start..<position])
    }
    position += 1
    var content: [UInt8] = []
    while true {
      guard position < bytes.count else { throw error("a quote is not closed") }
      let byte = bytes[position]
      position += 1
      if byte == Self.lineFeed { line += 1 }
      guard byte == Self.quote else {
        content.append(byte)
        continue
      }
      guard position < bytes.count, bytes[position] == Self.quote else { break }
      content.append(byte)
      position += 1
    }
    guard position == bytes.count || bytes[position] == Self.comma || endsLine(at: position) else {
      throw error("text follows a quoted field")
    }
    return try text(content[...])
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws(MediaError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw error("is not UTF-8") }
    return text
  }

  private func error(_ reason: String) -> MediaError { MediaError(file: name, field: "line \(recordLine)", reason: .invalid(reason)) }
}
