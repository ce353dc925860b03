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

  mutating func keep(_ range: Range<Int>) {
    ids = Array(ids[range])
    offsets = Array(offsets[range])
    typeIDs = Array(typeIDs[range])
    isSpecial = Array(isSpecial[range])
    isAttended = Array(isAttended[range])
  }

  mutating func pad(to length: Int, id: Int, typeID: Int, onLeft: Bool) {
    guard count < length else { return }
    var padding = Encoding()
    for _ in count..<length {
      padding.append(special: id, typeID: typeID)
      padding.isAttended[padding.count - 1] = false
    }
    if onLeft {
      padding.append(self)
      self = padding
    } else {
      append(padding)
    }
  }
}
