import CMartletFiles
import Testing

@Suite struct ChecksumTests {
  /// CRC-32C, bit by bit.
  private func reference(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~0 as UInt32) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
  }

  @Test func `A checksum is the CRC-32C of the quarters' CRC-32Cs, with instructions for it and without`() {
    // The check value of the algorithm's catalogue entry.
    #expect(reference("123456789".utf8) == 0xE306_9283)
    let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 7) }
    for (start, count) in [(0, 0), (0, 1), (3, 7), (1, 31), (0, 32), (5, 33), (2, 127), (0, 4096), (7, 10_001), (4, 65_536)] {
      let quarter = count / 32 * 8
      let parts = (0..<4).map { part in
        reference(bytes[start + part * quarter..<(part == 3 ? start + count : start + (part + 1) * quarter)])
      }
      let expected = reference(parts.flatMap { part in (0..<4).map { UInt8(truncatingIfNeeded: part >> (8 * UInt32($0))) } })
      unsafe bytes.withUnsafeBytes { bytes in
        #expect(unsafe martlet_block_checksum(bytes.baseAddress! + start, count) == expected)
        #expect(unsafe martlet_block_checksum_portable(bytes.baseAddress! + start, count) == expected)
      }
    }
  }
}
