/// Changes a file. The seed determines the changes.
///
/// - Parameters:
///   - bytes: the file.
///   - suffix: extension of the file's name, which selects the format; empty if the content tells.
///   - seed: for the choice of changes.
///   - donor: a file whose parts may replace those of the file; may be empty.
package typealias FileMutation = @Sendable (_ bytes: [UInt8], _ suffix: String, _ seed: UInt64, _ donor: [UInt8]) -> [UInt8]

/// Mutates a file of any kind without knowledge of models: text as text, others as bytes, with the checksums of pictures.
package enum FileMutator {
  /// - Parameter suffix: extension of the file's name, which selects the format.
  package static func mutate(_ bytes: [UInt8], as suffix: String, seed: UInt64) -> [UInt8] {
    var random = FuzzRandom(seed: seed)
    switch suffix {
    case "mil", "json", "npy":
      var text = TextMutator(bytes, isBinaryAfterFirstLine: suffix == "npy", random: FuzzRandom(seed: random.next()))
      return random.one(in: 12) ? changed(bytes, &random) : text.mutated()
    default: return withChecksums(changed(bytes, &random))
    }
  }

  /// Changes bytes and numbers of 1, 2, 4 and 8 bytes, and removes, repeats and moves ranges.
  private static func changed(_ original: [UInt8], _ random: inout FuzzRandom) -> [UInt8] {
    var bytes = original
    for _ in 0...random.below(random.one(in: 3) ? 8 : 2) {
      guard !bytes.isEmpty else { return bytes }
      // Headers are at the start, directories of archives at the end.
      let position =
        switch random.below(4) {
        case 0: random.below(bytes.count)
        case 1: bytes.count - 1 - random.below(min(bytes.count, 128))
        default: random.below(min(bytes.count, 256))
        }
      switch random.below(8) {
      case 0: bytes[position] ^= 1 << UInt8(random.below(8))
      case 1: bytes[position] = UInt8(truncatingIfNeeded: random.next())
      case 2: bytes.removeSubrange(position..<min(position + 1 + random.below(64), bytes.count))
      case 3: bytes.insert(contentsOf: bytes[position..<min(position + 1 + random.below(64), bytes.count)], at: random.below(bytes.count))
      case 4: if random.one(in: 3) { bytes.removeLast(random.below(bytes.count)) }
      default:
        let count = random.pick([1, 2, 4, 8])
        let value = UInt64(bitPattern: random.hostileInteger())
        let isBigEndian = random.one(in: 2)
        for index in 0..<count where position + index < bytes.count {
          bytes[position + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (isBigEndian ? count - 1 - index : index)))
        }
      }
    }
    return bytes
  }

  /// Corrects the checksums of a PNG file's chunks, so that decoders read on.
  private static func withChecksums(_ original: [UInt8]) -> [UInt8] {
    guard original.count > 16, Array(original[1..<4]) == Array("PNG".utf8) else { return original }
    var bytes = original
    var position = 8
    while position + 12 <= bytes.count {
      let count = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      guard count <= bytes.count - position - 12 else { break }
      let end = position + 8 + count
      var checksum = ~UInt32(0)
      for byte in bytes[position + 4..<end] {
        checksum ^= UInt32(byte)
        for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
      }
      checksum = ~checksum
      for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * index)) }
      position = end + 4
    }
    return bytes
  }
}

/// Mutates text that consists of words, numbers and brackets: JSON, text programs, headers of arrays.
package struct TextMutator {
  /// The file, and texts that are new.
  private var pool: [UInt8]
  /// Ranges of `pool`.
  private var tokens: [Range<Int>] = []
  private let rest: Range<Int>
  private var random: FuzzRandom

  /// - Parameter isBinaryAfterFirstLine: keep what follows the first line: the elements of an `.npy` file.
  package init(_ bytes: [UInt8], isBinaryAfterFirstLine: Bool, random: FuzzRandom) {
    self.random = random
    pool = bytes
    let end = isBinaryAfterFirstLine ? (bytes.firstIndex(of: 10).map { $0 + 1 } ?? bytes.count) : bytes.count
    rest = end..<bytes.count
    guard end > 0 else { return }
    tokens.reserveCapacity(end)
    var start = 0
    var kind = Self.kinds[Int(bytes[0])]
    for index in 1..<end {
      let next = Self.kinds[Int(bytes[index])]
      if next != kind || next == 3 {
        tokens.append(start..<index)
        start = index
      }
      kind = next
    }
    tokens.append(start..<end)
  }

  /// Numbers 0, words 1, white space 2, and everything else 3, of which each character is a token.
  private static let kinds: [UInt8] = (0...UInt8.max).map { byte in
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): 0
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): 1
    case 9, 10, 13, 32: 2
    default: 3
    }
  }

  private var numbers: [Int] { tokens.indices.filter { Self.kinds[Int(pool[tokens[$0].lowerBound])] == 0 } }

  /// A token with a new text, which is not empty.
  private mutating func token(_ text: some Sequence<UInt8>) -> Range<Int> {
    let start = pool.count
    pool += text
    return start..<pool.count
  }

  package mutating func mutated() -> [UInt8] {
    for _ in 0...random.below(random.one(in: 3) ? 8 : 2) {
      guard !tokens.isEmpty else { break }
      let position = random.below(tokens.count)
      switch random.below(10) {
      case 0: tokens.remove(at: position)
      case 1: tokens.insert(random.pick(tokens), at: position)
      case 2: tokens.swapAt(position, random.below(tokens.count))
      case 3:
        // Repeats a range: an attribute, an operation, a level of nesting.
        let range = Array(tokens[position..<min(position + 1 + random.below(40), tokens.count)])
        let count = 1 + random.below(random.one(in: 20) ? 2000 : 3)
        tokens.insert(contentsOf: repeatElement(range, count: count).joined(), at: position)
      case 4: tokens.removeSubrange(position..<min(position + 1 + random.below(40), tokens.count))
      case 5:
        let byte = random.pick(Array("[({\"9-.\\".utf8))
        tokens[position] = token(repeatElement(byte, count: 1 << random.below(14)))
      default:
        let places = numbers
        guard !places.isEmpty else { continue }
        let text = random.one(in: 6) ? "\(random.hostileDouble())" : "\(random.hostileInteger())"
        tokens[random.pick(places)] = token(text.utf8)
      }
      // Repeated repetition would make files of any size.
      if tokens.count > 200_000 { tokens.removeLast(tokens.count - 200_000) }
    }
    var text: [UInt8] = []
    text.reserveCapacity(pool.count)
    // Neighbours in the file are copied together.
    var run = 0..<0
    for token in tokens + [rest] {
      if token.lowerBound == run.upperBound {
        run = run.lowerBound..<token.upperBound
      } else {
        text += pool[run]
        run = token
      }
    }
    return text + pool[run]
  }
}
