import MartletTensor

/// The alphabet in which byte-level vocabularies write bytes: visible characters for themselves, others from U+0100 on.
enum ByteAlphabet {
  /// The character of each byte.
  static let scalars: [UInt32] = {
    var next: UInt32 = 0x100
    return (UInt32(0)..<256).map { byte in
      if (0x21...0x7E).contains(byte) || (0xA1...0xAC).contains(byte) || (0xAE...0xFF).contains(byte) { return byte }
      next += 1
      return next - 1
    }
  }()

  /// The byte of each character below U+0144; -1 for others.
  static let bytes: [Int16] = {
    var bytes = [Int16](repeating: -1, count: 0x144)
    for (byte, scalar) in scalars.enumerated() { bytes[Int(widening: scalar)] = Int16(clamping: byte) }
    return bytes
  }()

  /// Appends the bytes that a text in this alphabet stands for; false, with nothing appended, if it has another character.
  static func append(_ text: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) -> Bool {
    let count = result.count
    var position = 0
    while position < text.count {
      let (scalar, length) = unsafe UTF8Text.scalar(text, position)
      guard scalar < 0x144, bytes[Int(widening: scalar)] >= 0 else {
        result.removeLast(result.count - count)
        return false
      }
      result.append(UInt8(truncatingIfNeeded: bytes[Int(widening: scalar)]))
      position &+= length
    }
    return true
  }

  /// The text with each byte written in the alphabet.
  static func mapped(_ text: AlignedText) -> AlignedText {
    var result = AlignedText(tracksOrigins: text.tracksOrigins)
    result.bytes.reserveCapacity(text.bytes.count * 2)
    for (index, byte) in text.bytes.enumerated() {
      result.append(scalars[Int(widening: byte)], origin: text.origin(index))
    }
    return result
  }
}
