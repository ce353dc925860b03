import MartletTensor

/// A step from the texts of tokens to a text.
enum Decoder: Sendable {
  case byteLevel
  case replaceText([UInt8], with: [UInt8])
  case replacePattern(Int, with: [UInt8])
  case wordPiece(prefix: [UInt8], cleansUp: Bool)
  case byteFallback
  case fuse
  case strip(UInt32, start: Int, stop: Int)
  case metaspace(PreTokenizer.Metaspace)
  case bytePair(suffix: [UInt8])
  case connectionist(padding: [UInt8], delimiter: [UInt8], cleansUp: Bool)

  /// The replacement character.
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  func apply(_ tokens: [[UInt8]], patterns: [RegexProgram]) -> [[UInt8]] {
    switch self {
    case .byteLevel:
      var bytes: [UInt8] = []
      for token in tokens {
        let isMapped = unsafe token.withUnsafeBufferPointer { unsafe ByteAlphabet.append($0, to: &bytes) }
        if !isMapped { bytes += token }
      }
      return [Array(String(decoding: bytes, as: UTF8.self).utf8)]
    case .replaceText(let wanted, let content): return tokens.map { $0.replacing(wanted, with: content) }
    case .replacePattern(let pattern, let content):
      let cache = RegexCache(patterns[pattern])
      return tokens.map { token in
        var result: [UInt8] = []
        var last = 0
        unsafe token.withUnsafeBufferPointer { bytes in
          unsafe cache.forEachMatch(in: bytes) { match in
            result += token[last..<match.lowerBound] + content
            last = match.upperBound
          }
        }
        return result + token[last...]
      }
    case .wordPiece(let prefix, let cleansUp):
      return tokens.enumerated().map { index, token in
        var token = token
        if index > 0 { token = token.starts(with: prefix) ? Array(token.dropFirst(prefix.count)) : [0x20] + token }
        return cleansUp ? Self.cleanedUp(token) : token
      }
    case .byteFallback:
      var result: [[UInt8]] = []
      var bytes: [UInt8] = []
      func flush() {
        guard !bytes.isEmpty else { return }
        if String(validating: bytes, as: UTF8.self) != nil {
          result.append(bytes)
        } else {
          result += bytes.map { _ in Self.replacement }
        }
        bytes = []
      }
      for token in tokens {
        if let byte = ByteTokens.byte(of: token) {
          bytes.append(byte)
        } else {
          flush()
          result.append(token)
        }
      }
      flush()
      return result
    case .fuse: return [Array(tokens.joined())]
    case .strip(let scalar, let start, let stop):
      var mark: [UInt8] = []
      UTF8Text.append(scalar, to: &mark)
      return tokens.map { token in
        var rest = token[...]
        var count = 0
        while count < start, rest.starts(with: mark) {
          rest = rest.dropFirst(mark.count)
          count += 1
        }
        count = 0
        while count < stop, rest.count >= mark.count, rest.suffix(mark.count).elementsEqual(mark) {
          rest = rest.dropLast(mark.count)
          count += 1
        }
        return Array(rest)
      }
    case .metaspace(let metaspace):
      var mark: [UInt8] = []
      UTF8Text.append(metaspace.replacement, to: &mark)
      return tokens.enumerated().map { index, token in
        token.replacing(mark, with: index == 0 && metaspace.scheme != .never ? [] : [0x20])
      }
    case .bytePair(let suffix):
      return tokens.enumerated().map { index, token in
        token.replacing(suffix, with: index == tokens.count - 1 ? [] : [0x20])
      }
    case .connectionist(let padding, let delimiter, let cleansUp):
      var result: [[UInt8]] = []
      var previous: [UInt8]?
      for token in tokens where token != previous {
        previous = token
        var text = token.replacing(padding, with: [])
        if cleansUp { text = Self.cleanedUp(text).replacing(delimiter, with: [0x20]) }
        if !text.isEmpty { result.append(text) }
      }
      return result
    }
  }

  private static func cleanedUp(_ text: [UInt8]) -> [UInt8] {
    let pairs = [
      (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"), (" do not", " don't"),
      (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
    ]
    return pairs.reduce(text) { $0.replacing(Array($1.0.utf8), with: Array($1.1.utf8)) }
  }
}

extension Decoder {
  /// Bytes as text, with U+FFFD for each byte that is no part of a character.
  static func replacingBytes(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let first = bytes[position]
      let length = first < 0x80 ? 1 : (0xC2...0xF4).contains(first) ? UTF8Text.length(first: first) : 0
      let end = position + length
      if length > 0, end <= bytes.count, String(validating: bytes[position..<end], as: UTF8.self) != nil {
        text += bytes[position..<end]
        position = end
      } else {
        text += replacement
        position += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The bytes with each occurrence of others replaced; nothing is replaced if those are none.
  func replacing(_ wanted: [UInt8], with content: [UInt8]) -> [UInt8] {
    guard let first = wanted.first, contains(first) else { return self }
    var result: [UInt8] = []
    var last = 0
    unsafe withUnsafeBufferPointer { bytes in
      unsafe UTF8Text.forEachOccurrence(of: wanted, in: bytes) { match in
        unsafe result.append(contentsOf: bytes[last..<match.lowerBound])
        result += content
        last = match.upperBound
      }
      unsafe result.append(contentsOf: bytes[last...])
    }
    return result
  }
}

/// Tokens that stand for single bytes: `<0x00>` … `<0xFF>`.
enum ByteTokens {
  /// The byte of a token; nil if it is none.
  static func byte(of token: [UInt8]) -> UInt8? {
    guard token.count == 6, token.starts(with: Array("<0x".utf8)), token[5] == UInt8(ascii: ">") else { return nil }
    // A sign is a digit to some.
    if token[3] == UInt8(ascii: "+"), let digit = Character(Unicode.Scalar(token[4])).hexDigitValue { return UInt8(clamping: digit) }
    guard let high = Character(Unicode.Scalar(token[3])).hexDigitValue, let low = Character(Unicode.Scalar(token[4])).hexDigitValue,
      token[3] < 0x80, token[4] < 0x80
    else { return nil }
    return UInt8(clamping: high << 4 | low)
  }

  /// The tokens of all bytes in a vocabulary; -1 for those that are missing.
  static func ids(in vocabulary: Vocabulary) -> [Int32] {
    let digits = Array("0123456789ABCDEF".utf8)
    return (0..<256).map { byte in
      vocabulary.id(Array("<0x".utf8) + [digits[byte >> 4], digits[byte & 15], UInt8(ascii: ">")])
    }
  }
}
