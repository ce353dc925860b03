/// The checksum of ZIP and PNG files: CRC-32 with the reflected polynomial 0xEDB88320.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes { value = value >> 8 ^ table[Int((value ^ UInt32(byte)) & 0xFF)] }
    return ~value
  }
}
