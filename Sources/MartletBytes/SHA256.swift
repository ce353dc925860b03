// Written by hand, because every target needs it: compiling the 246 C and C++ files of swift-crypto takes 100 s of processor time. This
// implementation processes 240 MB/s.

/// Incremental SHA-256 digest (FIPS 180-4).
package struct SHA256: Sendable {
  /// A digest of 32 bytes, comparable and printable.
  package struct Digest: Sendable, Hashable {
    /// The digest as four 64-bit words in order, each from big-endian bytes.
    package let words: [UInt64]

    package init(words: [UInt64]) { self.words = words }

    /// The digest with these 64 hexadecimal digits; nil for another text.
    package init?(text: String) {
      let digits = Array(text.utf8)
      guard digits.count == 64, digits.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }) else { return nil }
      words = stride(from: 0, to: 64, by: 16).map { start in
        digits[start..<start + 16].reduce(0) { $0 << 4 | UInt64($1 >= 0x61 ? $1 - 0x57 : $1 - 0x30) }
      }
    }

    package var bytes: [UInt8] {
      words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    /// 64 lowercase hexadecimal digits.
    package var text: String {
      words.map { word in
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
    }
  }

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var schedule = [UInt32](repeating: 0, count: 64)
  /// Bytes of an incomplete block.
  private var pending: [UInt8] = []
  private var byteCount: UInt64 = 0

  package init() { pending.reserveCapacity(64) }

  package mutating func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  package mutating func update(_ text: String) { update(Array(text.utf8)) }

  /// Appends the eight bytes of an integer, least significant first.
  package mutating func update(_ number: Int) {
    update((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }

  package mutating func update(_ view: ByteView) {
    unsafe view.withUnsafeBytes { unsafe update($0) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(bytes.count)
    var start = 0
    if !pending.isEmpty {
      start = min(64 - pending.count, bytes.count)
      unsafe pending.append(contentsOf: bytes[0..<start])
      guard pending.count == 64 else { return }
      let block = pending
      pending.removeAll(keepingCapacity: true)
      unsafe block.withUnsafeBytes { unsafe compress($0) }
    }
    while bytes.count - start >= 64 {
      // In bounds by the loop condition.
      unsafe compress(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]))
      start += 64
    }
    unsafe pending.append(contentsOf: bytes[start...])
  }

  /// The digest of all bytes so far.
  package consuming func digest() -> Digest {
    let bitCount = byteCount &* 8
    var tail: [UInt8] = [0x80]
    tail += [UInt8](repeating: 0, count: (119 - pending.count) % 64)
    tail += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
    update(tail)
    return Digest(words: (0..<4).map { UInt64(state[2 * $0]) << 32 | UInt64(state[2 * $0 + 1]) })
  }

  /// Processes one block of 64 bytes.
  private mutating func compress(_ block: UnsafeRawBufferPointer) {
    unsafe schedule.withUnsafeMutableBufferPointer { w in
      unsafe Self.roundConstants.withUnsafeBufferPointer { k in
        // All indices below are less than 64, the size of both arrays.
        for index in 0..<16 {
          unsafe w[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
          let early = unsafe w[index - 15]
          let late = unsafe w[index - 2]
          let s0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
          let s1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
          unsafe w[index] = w[index - 16] &+ s0 &+ w[index - 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
          let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
          let choice = e & f ^ ~e & g
          let first = unsafe h &+ s1 &+ choice &+ k[index] &+ w[index]
          let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
          let second = s0 &+ (a & b ^ a & c ^ b & c)
          (h, g, f, e) = (g, f, e, d &+ first)
          (d, c, b, a) = (c, b, a, first &+ second)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
      }
    }
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
