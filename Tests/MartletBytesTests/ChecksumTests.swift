import CMartletMappedFiles
import Testing

@Suite struct ChecksumTests {
  private static let keys: [UInt64] = [
    0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5,
    0xD6E8_FEB8_6659_FD93, 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB,
  ]

  /// The checksum as the header defines it.
  private func reference(_ bytes: some Collection<UInt8>) -> UInt32 {
    let padded = Array(bytes) + [UInt8](repeating: 0, count: (256 - bytes.count % 256) % 256)
    var sums = [UInt64](repeating: UInt64(bytes.count), count: 32)
    for position in 0..<padded.count / 8 {
      let word = padded[8 * position..<8 * position + 8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      let (stripe, index) = (position / 32, position % 32)
      let mixed = word ^ UInt64(stripe + 1) &* Self.keys[index % 8]
      sums[index] &+= (mixed & 0xFFFF_FFFF) &* (mixed >> 32)
      sums[index ^ 1] &+= word
    }
    var hash: UInt64 = 0
    for lane in 0..<8 {
      let sum =
        sums[lane] &+ sums[lane + 8] &* Self.keys[0] &+ sums[lane + 16] &* Self.keys[1] &+ sums[lane + 24] &* Self.keys[3]
      hash = (hash ^ sum) &* Self.keys[0]
      hash ^= hash >> 32
    }
    return UInt32(truncatingIfNeeded: hash)
  }

  private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe martlet_block_checksum($0.baseAddress, $0.count) }
  }

  private let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 7) }

  @Test func `A checksum is as defined, with vector instructions and without`() {
    for (start, count) in [(0, 0), (0, 1), (3, 7), (1, 31), (0, 256), (5, 257), (2, 511), (0, 4096), (7, 10_001), (4, 65_536)] {
      let part = bytes[start..<start + count]
      let expected = reference(part)
      #expect(checksum(part) == expected)
      #expect(unsafe part.withUnsafeBytes { unsafe martlet_block_checksum_portable($0.baseAddress, $0.count) } == expected)
    }
  }

  @Test func `Changed, exchanged, added and missing bytes change the checksum`() {
    let original = Array(bytes[..<3000])
    var seen: Set = [checksum(original[...])]
    var count = 1
    func add(_ changed: [UInt8]) {
      seen.insert(checksum(changed[...]))
      count += 1
    }
    for position in stride(from: 0, to: original.count, by: 7) {
      var changed = original
      changed[position] ^= 1 << UInt8(position % 8)
      add(changed)
    }
    // Words at the same place of two stripes, and neighbouring words.
    for (one, other) in [(0, 256), (8, 2048), (64, 72), (640, 704)] {
      var changed = original
      for byte in 0..<8 { changed.swapAt(one + byte, other + byte) }
      add(changed)
    }
    add(original + [0])
    add(original.dropLast())
    add([UInt8](repeating: 0, count: 3000))
    add([UInt8](repeating: 0, count: 2999))
    #expect(seen.count == count)
  }
}
