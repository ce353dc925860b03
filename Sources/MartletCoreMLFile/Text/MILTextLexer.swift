import MartletBytes

/// A token in the text form of programs.
enum MILToken: Equatable {
  /// Names, keywords and the words `true`, `false`, `inf` and `nan`.
  case identifier(String)
  /// Uninterpreted text: integers, decimal and hexadecimal floating-point numbers.
  case number(String)
  case string(String)
  /// One of `( ) [ ] { } < > , ; = ? *`.
  case punctuation(UInt8)
  case arrow
  case end

  static func symbol(_ character: Unicode.Scalar) -> MILToken { .punctuation(UInt8(ascii: character)) }
}

extension MILToken: CustomStringConvertible {
  var description: String {
    switch self {
    case .identifier(let text), .number(let text): "'\(text)'"
    case .string(let text): "\"\(text.prefix(40))\""
    case .punctuation(let byte): "'\(Character(Unicode.Scalar(byte)))'"
    case .arrow: "'->'"
    case .end: "the end"
    }
  }
}

/// Splits the text form of programs into tokens.
struct MILTextLexer {
  /// Path of the file, for errors.
  let path: String
  private let bytes: [UInt8]
  /// First byte after the last token.
  private var position = 0
  /// First byte of the last token.
  private(set) var tokenStart = 0
  /// Number of line ends before `position`, so that an error need not count them from the beginning.
  private var lineCount = 0
  /// Maximum length of a number in bytes: several times that of the longest decimal expansion of a finite double.
  private static let longestNumber = 4096

  init(_ text: ByteView) {
    path = text.owner.path
    bytes = text.array
  }

  func error(_ reason: String, at position: Int) -> FileError {
    let after = bytes[min(position, self.position)..<self.position].count(where: { $0 == UInt8(ascii: "\n") })
    // In range: counts of lines in memory.
    let line = lineCount - after + 1
    return FileError(file: path, byteOffset: position, field: "line \(line)", reason: reason)
  }

  private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = byte(at: position) {
      if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
        if byte == UInt8(ascii: "\n") { lineCount += 1 }
        position += 1
      } else if byte == UInt8(ascii: "/"), self.byte(at: position + 1) == UInt8(ascii: "/") {
        while let byte = self.byte(at: position), byte != UInt8(ascii: "\n") { position += 1 }
      } else {
        return
      }
    }
  }

  /// The next token.
  ///
  /// - Throws: `FileError` for a byte that cannot start a token, and for an unterminated string.
  mutating func next() throws(FileError) -> MILToken {
    skipSpace()
    tokenStart = position
    guard let first = byte(at: position) else { return .end }
    switch first {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "?"),
      UInt8(ascii: "*"):
      position += 1
      return .punctuation(first)
    case UInt8(ascii: "-") where byte(at: position + 1) == UInt8(ascii: ">"):
      position += 2
      return .arrow
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): return .number(try number())
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), 128...:
      return .identifier(try word())
    default: throw error("the byte \(first) cannot start a token", at: position)
    }
  }

  private mutating func word() throws(FileError) -> String {
    let start = position
    while let byte = byte(at: position) {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: ":"), 128...:
        position += 1
        continue
      default: break
      }
      break
    }
    return try text(bytes[start..<position], at: start)
  }

  /// A sign, digits, letters (hexadecimal digits, exponents, `inf` and `nan`), and the sign of an exponent.
  private mutating func number() throws(FileError) -> String {
    let start = position
    var isHexadecimal = bytes[start] | 32 == UInt8(ascii: "x")
    position += 1
    while let byte = byte(at: position) {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "."):
        isHexadecimal = isHexadecimal || byte | 32 == UInt8(ascii: "x")
        position += 1
        continue
      case UInt8(ascii: "+"), UInt8(ascii: "-"):
        guard bytes[position - 1] | 32 == UInt8(ascii: isHexadecimal ? "p" : "e") else { break }
        position += 1
        continue
      default: break
      }
      break
    }
    // Converting a number takes time that grows with the square of its length.
    guard position - start <= Self.longestNumber else { throw error("a number of \(position - start) characters", at: start) }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func string() throws(FileError) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while let byte = byte(at: position) {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return try text(content[...], at: start)
      case UInt8(ascii: "\\"):
        guard let escaped = self.byte(at: position) else { throw error("a string is not terminated", at: start) }
        position += 1
        switch escaped {
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "r"): content.append(13)
        default:
          if escaped == UInt8(ascii: "\n") { lineCount += 1 }
          content.append(escaped)
        }
      default:
        if byte == UInt8(ascii: "\n") { lineCount += 1 }
        content.append(byte)
      }
    }
    throw error("a string is not terminated", at: start)
  }

  private func text(_ bytes: ArraySlice<UInt8>, at position: Int) throws(FileError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw error("is not UTF-8", at: position) }
    return text
  }
}
