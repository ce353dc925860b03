import MartletTensor

/// Text in UTF-8 on its way through normalizers and pre-tokenizers. If asked to, each byte knows the bytes of the source that it stands
/// for.
struct AlignedText: Sendable {
  /// Bytes of the source.
  struct Origin: Sendable, Equatable {
    var start: UInt32
    var end: UInt32
  }

  var bytes: [UInt8] = []
  /// One for each byte, if origins are tracked.
  var origins: [Origin] = []
  let tracksOrigins: Bool

  init(tracksOrigins: Bool) { self.tracksOrigins = tracksOrigins }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
  }

  /// Appends characters of the source that begin at `start` there.
  mutating func append(source: UnsafeBufferPointer<UInt8>, range: Range<Int>) {
    unsafe bytes.append(contentsOf: source[range])
    guard tracksOrigins else { return }
    var position = range.lowerBound
    while position < range.upperBound {
      let length = unsafe UTF8Text.length(first: source[position])
      let origin = Origin(start: UInt32(clamping: position), end: UInt32(clamping: position + length))
      for _ in 0..<length { origins.append(origin) }
      position += length
    }
  }

  mutating func append(_ other: AlignedText, _ range: Range<Int>) {
    bytes.append(contentsOf: other.bytes[range])
    if tracksOrigins { origins.append(contentsOf: other.origins[range]) }
  }

  mutating func append(_ other: AlignedText) {
    bytes.append(contentsOf: other.bytes)
    if tracksOrigins { origins.append(contentsOf: other.origins) }
  }

  /// Appends a character that stands for an origin.
  @inline(__always)
  mutating func append(_ scalar: UInt32, origin: Origin) {
    let count = bytes.count
    UTF8Text.append(scalar, to: &bytes)
    if tracksOrigins { for _ in count..<bytes.count { origins.append(origin) } }
  }

  mutating func append(_ text: [UInt8], origin: Origin) {
    bytes.append(contentsOf: text)
    if tracksOrigins { for _ in text.indices { origins.append(origin) } }
  }

  /// Origin of a byte; `fallback` before the first.
  @inline(__always)
  func origin(_ index: Int, fallback: Int = 0) -> Origin {
    guard tracksOrigins else { return Origin(start: 0, end: 0) }
    guard index >= 0 else { return Origin(start: UInt32(clamping: fallback), end: UInt32(clamping: fallback)) }
    return index < origins.count ? origins[index] : origins.last ?? Origin(start: 0, end: 0)
  }

  /// The bytes of the source that a range of bytes stands for.
  func sourceRange(_ range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    let start = Int(widening: origin(range.lowerBound).start)
    return start..<max(start, Int(widening: origin(range.upperBound - 1).end))
  }
}

/// A stretch of text between splits.
struct PreToken: Sendable {
  var start: Int32
  var end: Int32
  /// The added token that the stretch is; -1 if it is text.
  var id: Int32

  @inline(__always)
  init(_ start: Int, _ end: Int, id: Int32 = -1) {
    self.start = Int32(truncatingIfNeeded: start)
    self.end = Int32(truncatingIfNeeded: end)
    self.id = id
  }

  @inline(__always)
  var range: Range<Int> { Int(widening: start)..<Int(widening: end) }
}

/// Writes a changed text, character by character. A change is 0 for a character that replaces the next one, 1 for one that is inserted, and
/// -n for one that replaces the next and removes n more.
struct TextChanges {
  private let source: AlignedText
  private(set) var result: AlignedText
  /// Position of the next character that is replaced.
  private var position: Int

  /// - Parameter removed: characters removed at the start.
  init(of source: AlignedText, removed: Int = 0) {
    self.source = source
    result = AlignedText(tracksOrigins: source.tracksOrigins)
    result.bytes.reserveCapacity(source.bytes.count)
    position = 0
    skip(removed)
  }

  private mutating func skip(_ count: Int) {
    for _ in 0..<max(count, 0) where position < source.bytes.count { position += UTF8Text.length(first: source.bytes[position]) }
  }

  @inline(__always)
  mutating func put(_ scalar: UInt32, change: Int) {
    if change > 0 {
      result.append(scalar, origin: source.origin(position - 1))
    } else {
      result.append(scalar, origin: source.origin(position))
      if source.tracksOrigins { skip(1 - change) }
    }
  }
}

extension TextChanges {
  // Not inlined: these are the rare cases of the loops that call them, which compile faster without them.

  /// Puts a space before and after the next character.
  @inline(never)
  mutating func putApart(_ scalar: UInt32) {
    put(0x20, change: 0)
    put(scalar, change: 1)
    put(0x20, change: 1)
  }

  /// Replaces the next character by several.
  @inline(never)
  mutating func put(_ scalars: some Sequence<UInt32>) {
    var change = 0
    for scalar in scalars {
      put(scalar, change: change)
      change = 1
    }
  }
}

extension AlignedText {
  /// The characters in their order.
  var scalars: [UInt32] {
    var scalars: [UInt32] = []
    scalars.reserveCapacity(bytes.count)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count {
        let (scalar, length) = unsafe UTF8Text.scalar(bytes, position)
        scalars.append(scalar)
        position &+= length
      }
    }
    return scalars
  }

  /// Keeps the characters that `keep` holds for, replaced by `map`.
  mutating func filter(_ keep: (UInt32) -> Bool, map: (UInt32) -> UInt32 = { $0 }) {
    let scalars = scalars
    var kept: [(scalar: UInt32, removed: Int)] = []
    kept.reserveCapacity(scalars.count)
    var removedAtStart = 0
    for scalar in scalars {
      if keep(scalar) {
        kept.append((scalar, 0))
      } else if kept.isEmpty {
        removedAtStart += 1
      } else {
        kept[kept.count - 1].removed += 1
      }
    }
    var changes = TextChanges(of: self, removed: removedAtStart)
    for (scalar, removed) in kept { changes.put(map(scalar), change: -removed) }
    self = changes.result
  }

  /// Puts characters before the first one, if there is one; `index` is where the text begins.
  mutating func prepend(_ text: [UInt8]) {
    guard !isEmpty else { return }
    var result = AlignedText(tracksOrigins: tracksOrigins)
    result.append(text, origin: origin(0))
    result.append(self)
    self = result
  }
}
