import MartletTensor

/// Tokens that are found in a text before anything else.
struct AddedTokens: Sendable {
  struct Token: Sendable {
    var id: Int32
    var content: [UInt8]
    /// The content in normalized text and before decoders; equal to `content` unless normalizing changes it.
    var normalizedContent: [UInt8]
    var isSpecial = false
    var isSingleWord = false
    var stripsLeft = false
    var stripsRight = false
    var isNormalized = false
  }

  let tokens: [Token]
  private let numbers: [Int32: Int]
  private let contents: [[UInt8]: Int32]
  /// Tokens found in the text as it is, and in normalized text; values are positions in `tokens`.
  private let plain: StringMatcher
  private let normalized: StringMatcher
  private let specialContents: Set<[UInt8]>

  /// - Parameter tokens: later ones replace earlier ones of the same id or content.
  init(_ tokens: [Token]) {
    self.tokens = tokens
    var numbers: [Int32: Int] = [:]
    var contents: [[UInt8]: Int32] = [:]
    for (number, token) in tokens.enumerated() {
      numbers[token.id] = number
      contents[token.content] = token.id
    }
    self.numbers = numbers
    self.contents = contents
    specialContents = Set(tokens.filter(\.isSpecial).map(\.content))
    func matcher(isNormalized: Bool) -> StringMatcher {
      var seen: Set<[UInt8]> = []
      var strings: [(bytes: [UInt8], value: Int32)] = []
      for (number, token) in tokens.enumerated().reversed() where token.isNormalized == isNormalized && numbers[token.id] == number {
        let text = isNormalized ? token.normalizedContent : token.content
        if !text.isEmpty, seen.insert(text).inserted { strings.append((text, Int32(clamping: number))) }
      }
      return StringMatcher(strings)
    }
    plain = matcher(isNormalized: false)
    normalized = matcher(isNormalized: true)
  }

  /// True if some are looked for in normalized text.
  var hasNormalized: Bool { !normalized.isEmpty }
  var largestID: Int { tokens.reduce(-1) { max($0, Int(widening: $1.id)) } }

  func token(_ id: Int) -> Token? {
    guard let id = Int32(exactly: id), let number = numbers[id] else { return nil }
    return tokens[number]
  }

  func id(_ content: [UInt8]) -> Int32? { contents[content] }

  func isSpecial(_ content: [UInt8]) -> Bool { specialContents.contains(content) }

  /// Calls `body` with the stretches of a text in order: added tokens with their ids, others with -1.
  func forEachStretch(
    of text: UnsafeBufferPointer<UInt8>, isNormalized: Bool, parsesSpecial: Bool, _ body: (_ range: Range<Int>, _ id: Int32) -> Void
  ) {
    let matcher = isNormalized ? normalized : plain
    var last = 0
    var position = 0
    while !matcher.isEmpty, let match = unsafe matcher.firstMatch(text, from: position) {
      position = match.range.upperBound
      let token = tokens[Int(widening: match.value)]
      // Contents of special tokens include those of tokens that are special themselves.
      if !parsesSpecial, specialContents.contains(token.content) { continue }
      var (start, end) = (match.range.lowerBound, match.range.upperBound)
      if token.isSingleWord, unsafe Self.isWordBefore(text, start) || Self.isWordAfter(text, end) { continue }
      if token.stripsLeft {
        while start > last {
          let (scalar, length) = unsafe UTF8Text.scalarBefore(text, start)
          guard Whitespace.contains(scalar) else { break }
          start -= length
        }
        start = max(start, last)
      }
      if token.stripsRight {
        while end < text.count {
          let (scalar, length) = unsafe UTF8Text.scalar(text, end)
          guard Whitespace.contains(scalar) else { break }
          end += length
        }
      }
      if start > last { body(last..<start, -1) }
      body(start..<end, token.id)
      last = end
    }
    if last < text.count { body(last..<text.count, -1) }
  }

  private static func isWordBefore(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Bool {
    unsafe position > 0 && UnicodeProperty.wordWithJoiners.contains(UTF8Text.scalarBefore(text, position).0)
  }

  private static func isWordAfter(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Bool {
    unsafe position < text.count && UnicodeProperty.wordWithJoiners.contains(UTF8Text.scalar(text, position).0)
  }
}
