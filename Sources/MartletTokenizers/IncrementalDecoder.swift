/// Decodes tokens one by one, and gives text as soon as it is certain.
///
/// ```swift
/// var decoder = tokenizer.makeIncrementalDecoder()
/// for id in ids { print(decoder.append(id), terminator: "") }
/// print(decoder.finish())
/// ```
public struct IncrementalDecoder: Sendable {
  private let engine: any TokenEngine
  private let skipsSpecialTokens: Bool
  /// Bytes of a character that is not complete.
  public private(set) var pendingBytes: [UInt8] = []
  private var isFirst = true
  /// For tokens whose text depends on those around them: what has not become text for good, and how long the text of its start is.
  private var ids: [Int] = []
  private var settledCount = 0

  init(engine: any TokenEngine, skipsSpecialTokens: Bool, previous: [Int]) {
    self.engine = engine
    self.skipsSpecialTokens = skipsSpecialTokens
    guard !previous.isEmpty else { return }
    isFirst = false
    ids = previous.suffix(4)
    settledCount = engine.decode(ids, skipsSpecialTokens: skipsSpecialTokens).count
  }

  /// The text that a token completes; empty while a character is not complete.
  public mutating func append(_ id: Int) -> String {
    if skipsSpecialTokens, engine.isSpecial(id) { return "" }
    guard let bytes = engine.increment(id, isFirst: isFirst) else { return appendDependent(id) }
    if !bytes.isEmpty || !engine.stripsUntilText { isFirst = false }
    pendingBytes += bytes
    return takeWhole()
  }

  /// The text of what is left: bytes that never became a character are U+FFFD.
  public mutating func finish() -> String {
    let rest = text(pendingBytes[...])
    pendingBytes = []
    guard !ids.isEmpty else { return rest }
    let text = engine.decode(ids, skipsSpecialTokens: skipsSpecialTokens)
    ids = []
    let settled = settledCount
    settledCount = 0
    return rest + String(decoding: text.dropFirst(settled), as: UTF8.self)
  }

  /// Takes all bytes but those of a character that more bytes may complete.
  private mutating func takeWhole() -> String {
    var end = pendingBytes.count
    // The last lead byte among the last three.
    for distance in 1...3 where distance <= pendingBytes.count {
      let byte = pendingBytes[pendingBytes.count - distance]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      if length > distance, Self.mayBegin(pendingBytes.suffix(distance)) { end -= distance }
      break
    }
    let text = text(pendingBytes[..<end])
    pendingBytes.removeFirst(end)
    return text
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return engine.replacesEachByte ? Decoder.replacingBytes(Array(bytes)) : String(decoding: bytes, as: UTF8.self)
  }

  /// True if bytes, of which the first is a lead byte, are the start of a character.
  private static func mayBegin(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, (0xC2...0xF4).contains(first) else { return false }
    guard let second = bytes.dropFirst().first else { return true }
    switch first {
    case 0xE0: return second >= 0xA0
    case 0xED: return second < 0xA0
    case 0xF0: return second >= 0x90
    case 0xF4: return second < 0x90
    default: return true
    }
  }

  private mutating func appendDependent(_ id: Int) -> String {
    ids.append(id)
    let text = engine.decode(ids, skipsSpecialTokens: skipsSpecialTokens)
    guard text.count > settledCount, !text.suffix(3).elementsEqual(Decoder.replacement) else { return "" }
    let new = String(decoding: text[settledCount...], as: UTF8.self)
    settledCount = text.count
    // A few tokens are enough to decode the next one as it is in the whole text.
    if ids.count > 8 {
      ids.removeFirst(ids.count - 4)
      settledCount = engine.decode(ids, skipsSpecialTokens: skipsSpecialTokens).count
    }
    return new
  }
}
