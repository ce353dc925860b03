/// How integers of 1 to 8 bits are packed into a stream of bytes without gaps.
package struct BitPacking: Sendable, Hashable {
  /// Bits of an integer.
  package let bits: Int
  /// True for two's complement.
  package let isSigned: Bool
  /// True if the stream begins with the highest bit of the first byte and integers with their highest bit; otherwise both begin with the
  /// lowest.
  package let highBitFirst: Bool

  package init(bits: Int, isSigned: Bool, highBitFirst: Bool = false) {
    self.bits = bits
    self.isSigned = isSigned
    self.highBitFirst = highBitFirst
  }
}
