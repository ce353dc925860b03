/// The work behind `Tokenizer`, made by the reader of a format.
protocol TokenEngine: Sendable {
  /// One more than the largest id.
  var idEnd: Int { get }
  /// The patterns for which a workspace has caches.
  var patterns: [RegexProgram] { get }
  var startID: Int? { get }
  var endID: Int? { get }

  /// The tokens of a text without added ones, and their ranges in it if those are asked for.
  func encode(
    _ text: UnsafeBufferPointer<UInt8>, parsesSpecialTokens: Bool, tracksOffsets: Bool, _ workspace: Workspace
  ) throws(TokenizerError) -> (ids: [Int], offsets: [Range<Int>])

  /// Adds what belongs at the start and the end, between two texts, and in place of what is too long or missing.
  /// - Parameter keepsOverflow: whether the result has what is too long, too.
  func finish(
    _ texts: [Encoding], sources: [[UInt8]], addsSpecialTokens: Bool, keepsOverflow: Bool
  ) throws(TokenizerError) -> Encoding

  /// True if `finish` cuts or fills up.
  var limitsLength: Bool { get }

  /// The text of a token as the file writes it; nil for an id without a token.
  func piece(_ id: Int) -> [UInt8]?
  func id(_ piece: [UInt8]) -> Int?
  func isSpecial(_ id: Int) -> Bool

  func decode(_ ids: [Int], skipsSpecialTokens: Bool) -> [UInt8]

  /// True if each byte that is no part of a character is decoded to U+FFFD, not each start of a character.
  var replacesEachByte: Bool { get }

  /// True if all blanks before the first text are left out, not only those of the first token.
  var stripsUntilText: Bool { get }

  /// The text that a token adds when tokens are decoded one by one; nil if that depends on the tokens around it.
  func increment(_ id: Int, isFirst: Bool) -> [UInt8]?
}

extension TokenEngine {
  var limitsLength: Bool { false }
  var replacesEachByte: Bool { false }
  var stripsUntilText: Bool { false }

  /// A start token before a text, and no more.
  func finish(
    _ texts: [Encoding], sources: [[UInt8]], addsSpecialTokens: Bool, keepsOverflow: Bool
  ) throws(TokenizerError) -> Encoding {
    var result = Encoding()
    if addsSpecialTokens, let startID { result.append(special: startID, typeID: 0) }
    for text in texts { result.append(text) }
    return result
  }
}
