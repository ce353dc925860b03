import MartletTensor

/// Tokens of a text, or of two, with all that a model may ask of them.
public struct Encoding: Sendable, Hashable {
  /// The ids of the tokens.
  public internal(set) var ids: [Int] = []
  /// For each token the bytes of the text (in UTF-8) that it stands for; empty for tokens that were added.
  public internal(set) var offsets: [Range<Int>] = []
  /// For each token the number of the text in a pair, or what a template says.
  public internal(set) var typeIDs: [Int] = []
  /// For each token, true if it was added: the start or the end of a text, padding.
  public internal(set) var isSpecial: [Bool] = []
  /// For each token, false if it is padding.
  public internal(set) var isAttended: [Bool] = []
  /// What the file's rule for length has cut off, in parts made like this one, which overlap as that rule says; only if it was asked for.
  public internal(set) var overflow: [Encoding] = []

  init() {}

  init(ids: [Int], offsets: [Range<Int>], typeID: Int) {
    self.ids = ids
    self.offsets = offsets
    typeIDs = Array(repeating: typeID, count: ids.count)
    isSpecial = Array(repeating: false, count: ids.count)
    isAttended = Array(repeating: true, count: ids.count)
  }

  var count: Int { ids.count }

  mutating func append(special id: Int, typeID: Int) {
    ids.append(id)
    offsets.append(0..<0)
    typeIDs.append(typeID)
    isSpecial.append(true)
    isAttended.append(true)
  }

  mutating func append(_ other: Encoding) {
    ids += other.ids
    offsets += other.offsets
    typeIDs += other.typeIDs
    isSpecial += other.isSpecial
    isAttended += other.isAttended
  }

  private func part(_ range: Range<Int>) -> Encoding {
    var part = Encoding()
    part.ids = Array(ids[range])
    part.offsets = Array(offsets[range])
    part.typeIDs = Array(typeIDs[range])
    part.isSpecial = Array(isSpecial[range])
    part.isAttended = Array(isAttended[range])
    return part
  }

  /// Keeps `length` tokens at one end.
  /// - Parameter stride: the tokens that a part of what is cut off has in common with the one before it; nil if those are not wanted.
  /// - Throws: `TokenizerError` if parts would have nothing of their own, or far more tokens together than the text.
  mutating func cut(to length: Int, onLeft: Bool, stride: Int?) throws(TokenizerError) {
    guard count > length else { return }
    let first = onLeft ? count - length..<count : 0..<length
    guard let stride else { return self = part(first) }
    guard length > 0 else {
      let whole = self
      self = Encoding()
      overflow = [whole]
      return
    }
    guard stride < length else {
      throw TokenizerError(field: "truncation.stride", "is \(stride), which leaves nothing of \(length) tokens")
    }
    let step = length - stride
    let partCount = (count - length + step - 1) / step
    guard Self.mayOverflow(by: Extent(partCount) * length, of: Extent(count)) else {
      throw TokenizerError(field: "truncation.stride", "makes \(partCount) parts of \(length) tokens, too many")
    }
    let parts = (1...partCount).map { number in
      let start = number * step
      return part(onLeft ? max(count - start - length, 0)..<count - start : start..<min(start + length, count))
    }
    self = part(first)
    overflow = parts
  }

  /// Whether what is cut off from a text may be made of so many tokens.
  static func mayOverflow(by count: Extent, of text: Extent) -> Bool {
    count.clamped <= max(TokenizerLimits.overflowTokenCount, (text * TokenizerLimits.overflowFactor).clamped)
  }

  mutating func pad(to length: Int, id: Int, typeID: Int, onLeft: Bool) {
    for index in overflow.indices { overflow[index].pad(to: length, id: id, typeID: typeID, onLeft: onLeft) }
    guard count < length else { return }
    var padding = Encoding()
    for _ in count..<length {
      padding.append(special: id, typeID: typeID)
      padding.isAttended[padding.count - 1] = false
    }
    if onLeft {
      padding.append(self)
      padding.overflow = overflow
      self = padding
    } else {
      append(padding)
    }
  }
}
