import MartletTensor

/// Segmentation of the highest sum of scores.
struct UnigramModel: Sendable {
  var vocabulary: Vocabulary
  var trie: ByteTrie
  var scores: [Double]
  /// The token for characters that no piece covers; -1 for none.
  var unknown: Int32
  /// The score of an unknown character.
  var unknownScore: Double
  /// The tokens `<0x00>` … `<0xFF>`; nil without byte fallback.
  var fallback: [Int32]?
  /// True if sums are rounded to single precision, as by SentencePiece; `tokenizers` keeps double precision.
  var isSinglePrecision = false

  /// Best segmentations up to each place.
  struct Lattice {
    fileprivate var scores: [Double] = []
    fileprivate var starts: [Int32] = []
    fileprivate var ids: [Int32] = []
    fileprivate var path: [MergePart] = []
  }

  /// Appends the tokens of the text at `range`; stretches of unknown characters are one token, or their bytes' tokens.
  /// - Returns: false if a character is unknown and there is no token for that.
  func encode(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ workspace: Workspace, to buffer: inout TokenBuffer
  ) -> Bool {
    guard !range.isEmpty else { return true }
    let base = range.lowerBound
    let count = range.count
    var lattice = workspace.takeLattice()
    defer { workspace.lattice = lattice }
    if lattice.starts.count <= count {
      lattice.scores = Array(repeating: 0, count: count + 1)
      lattice.starts = Array(repeating: -1, count: count + 1)
      lattice.ids = Array(repeating: 0, count: count + 1)
    }
    for index in 0...count { lattice.starts[index] = -1 }
    lattice.scores[0] = 0
    var position = 0
    while position < count {
      let length = unsafe UTF8Text.length(first: text[base &+ position])
      let before = lattice.scores[position]
      var hasSingle = false
      var node = ByteTrie.root
      var end = position
      while end < count {
        node = unsafe trie.child(node, text[base &+ end])
        if node < 0 { break }
        end &+= 1
        let id = trie.value(node)
        guard id >= 0 else { continue }
        hasSingle = hasSingle || end &- position == length
        improve(&lattice, end, from: position, id, sum(scores[Int(widening: id)], before))
      }
      if !hasSingle {
        guard unknown >= 0 else { return false }
        improve(&lattice, position &+ length, from: position, unknown, sum(unknownScore, before))
      }
      position &+= length
    }
    lattice.path.removeAll(keepingCapacity: true)
    var end = count
    while end > 0 {
      let start = Int(widening: lattice.starts[end])
      let id = lattice.ids[end]
      if id == unknown, let last = lattice.path.last, last.id == unknown {
        lattice.path[lattice.path.count - 1].start = Int32(truncatingIfNeeded: base &+ start)
      } else {
        lattice.path.append(MergePart(id: id, start: Int32(truncatingIfNeeded: base &+ start), end: Int32(truncatingIfNeeded: base &+ end)))
      }
      end = start
    }
    for part in lattice.path.reversed() { unsafe append(part, text, to: &buffer) }
    return true
  }

  @inline(__always)
  private func sum(_ a: Double, _ b: Double) -> Double { isSinglePrecision ? Double(Float(a) + Float(b)) : a + b }

  @inline(__always)
  private func improve(_ lattice: inout Lattice, _ place: Int, from start: Int, _ id: Int32, _ score: Double) {
    guard lattice.starts[place] < 0 || score > lattice.scores[place] else { return }
    lattice.scores[place] = score
    lattice.starts[place] = Int32(truncatingIfNeeded: start)
    lattice.ids[place] = id
  }

  private func append(_ part: MergePart, _ text: UnsafeBufferPointer<UInt8>, to buffer: inout TokenBuffer) {
    let range = Int(widening: part.start)..<Int(widening: part.end)
    guard part.id == unknown else { return buffer.append(part.id, range.lowerBound, range.upperBound) }
    // A stretch of unknown characters may be a piece by chance.
    let known = isSinglePrecision ? -1 : unsafe vocabulary.id(UnsafeBufferPointer(rebasing: text[range]))
    if known >= 0 { return buffer.append(known, range.lowerBound, range.upperBound) }
    if let fallback, unsafe text[range].allSatisfy({ fallback[Int(widening: $0)] >= 0 }) {
      for index in range {
        let id = unsafe fallback[Int(widening: text[index])]
        if isSinglePrecision { buffer.append(id, index, index + 1) } else { buffer.append(id, range.lowerBound, range.upperBound) }
      }
      return
    }
    buffer.append(unknown, range.lowerBound, range.upperBound)
  }
}
