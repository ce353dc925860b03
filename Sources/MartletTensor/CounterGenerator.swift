/// Counter-based random generator Philox 4x32 with 10 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). It
/// maps a key and a position to random bits, so that any part of a stream can be computed on any thread.
package struct CounterGenerator: Sendable {
  package let key: UInt64

  package init(key: UInt64) { self.key = key }

  /// The 128 random bits at `position` of the stream.
  package func bits(at position: UInt64) -> SIMD4<UInt32> {
    var counter = SIMD4<UInt32>(UInt32(truncatingIfNeeded: position), UInt32(truncatingIfNeeded: position >> 32), 0, 0)
    var low = UInt32(truncatingIfNeeded: key)
    var high = UInt32(truncatingIfNeeded: key >> 32)
    for _ in 0..<10 {
      let first = UInt64(0xD251_1F53) * UInt64(counter[0])
      let second = UInt64(0xCD9E_8D57) * UInt64(counter[2])
      counter = SIMD4(
        UInt32(truncatingIfNeeded: second >> 32) ^ counter[1] ^ low, UInt32(truncatingIfNeeded: second),
        UInt32(truncatingIfNeeded: first >> 32) ^ counter[3] ^ high, UInt32(truncatingIfNeeded: first))
      low &+= 0x9E37_79B9
      high &+= 0xBB67_AE85
    }
    return counter
  }

  /// Two values in `0 ..< 1` with `digits` random bits (at most 53).
  package func uniforms(at position: UInt64, digits: Int) -> SIMD2<Double> {
    let random = bits(at: position)
    let first = UInt64(random[0]) << 32 | UInt64(random[1])
    let second = UInt64(random[2]) << 32 | UInt64(random[3])
    let shift = UInt64(64 - digits)
    return SIMD2(Double(first >> shift), Double(second >> shift)) * Double(sign: .plus, exponent: -digits, significand: 1)
  }
}
