import MartletMedia
import Testing

@Suite("Metadata of pictures")
struct MetadataTests {
  @Test func `EXIF data that are written read back`() throws {
    var block = ExifBlock()
    block.main[0x010F] = .text("Möwe")
    block.main[0x0112] = .integers([8])
    block.main[0x011A] = .numbers([72.5])
    block.exif[0x829A] = .numbers([1.0 / 250])
    block.exif[0x9204] = .numbers([-2.0 / 3])
    block.exif[0x8827] = .integers([70_000, 3])
    block.exif[0x9000] = .bytes(Array("0232".utf8))
    block.exif[0x9101] = .bytes([1, 2, 3, 0])
    block.gps[2] = .numbers([48, 12, 30.25])
    block.gps[0] = .integers([2, 3, 0, 0])
    let read = try ExifBlock(block.bytes[...])
    #expect(read == block)
    #expect(try ExifBlock(ExifBlock().bytes[...]) == ExifBlock())
  }

  @Test(arguments: [0, 0.1, 1.0 / 3, 3.14159265, 1e-7, 123_456.789, 2e9, 5e10, -0.75])
  func `numbers become fractions that are as close as they can be`(number: Double) throws {
    var block = ExifBlock()
    block.exif[0x9204] = .numbers([number])
    guard case .numbers(let read)? = try ExifBlock(block.bytes[...]).exif[0x9204] else {
      Issue.record("no numbers")
      return
    }
    let expected = min(number, 2_147_483_647)
    #expect(abs(read[0] - expected) <= max(abs(expected) * 1e-6, 1e-9))
  }

  @Test func `damaged EXIF data is a typed error or is left out`() throws {
    let good = try #require(try PictureFixture.file("described.jpg").metadata(at: 0).exif)
    for count in 0..<good.count { _ = try? ExifBlock(good[..<count]) }
    for copy in damaged(good, count: 3000, seed: 4) { _ = try? ExifBlock(copy[...]) }
    #expect(throws: MediaError.self) { try ExifBlock([0x49, 0x49]) }
    #expect(throws: MediaError.self) { try ExifBlock([0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF]) }
  }

  @Test func `a directory that links to itself ends`() throws {
    // One entry, the link to EXIF data, which points to the main directory; the next directory is also the main one.
    let block: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8]
    #expect(try ExifBlock(block[...]).exif.values.isEmpty)
  }

  @Test func `values that overlap are not all kept`() throws {
    // 3,000 entries that each claim the whole block.
    var block: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0x0B, 0xB8]
    for tag in 0..<3000 {
      block += [UInt8(tag >> 8), UInt8(tag & 255), 0, 1, 0, 0, 0x80, 0, 0, 0, 0, 0]
    }
    block += [0, 0, 0, 0]
    #expect(throws: MediaError.self) { try ExifBlock(block[...]) }
  }

  @Test func `IPTC data that are written read back`() {
    var records = IPTCRecords()
    records.texts = [5: ["a name"], 25: ["sea", "gull"], 120: ["Möwe"]]
    #expect(IPTCRecords(records.bytes[...]) == records)
    for copy in damaged(records.bytes, count: 1000, seed: 9) { _ = IPTCRecords(copy[...]) }
  }

  @Test func `a profile's name is read from texts of both versions`() throws {
    let p3 = try #require(try PictureFixture.file("described.jpg").metadata(at: 0).profile)
    for count in 0..<p3.count { _ = ColorProfile(Array(p3[..<count])) }
    for copy in damaged(p3, count: 2000, seed: 5) { _ = ColorProfile(copy) }
    var old = [UInt8](repeating: 0, count: 128)
    old.replaceSubrange(36..<40, with: "acsp".utf8)
    let text = Array("desc\0\0\0\0\0\0\0\u{5}Lamp\0".utf8)
    old += [0, 0, 0, 1] + Array("desc".utf8) + [0, 0, 0, 144, 0, 0, 0, UInt8(text.count)] + text
    #expect(ColorProfile(old)?.name == "Lamp")
  }
}
