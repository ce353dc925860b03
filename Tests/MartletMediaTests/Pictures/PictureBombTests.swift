import Foundation
import MartletMedia
import Testing

#if os(Linux)
  /// What this process has used so far.
  private struct ProcessUse {
    /// Processor time in seconds.
    private let time: Double
    /// The largest resident size in bytes.
    private let peak: Int

    /// Ends the counting of what came before.
    private init() throws {
      try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
      time = Self.time()
      peak = try Self.peak()
    }

    private static func time() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    private static func peak() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      return try #require(Int(line.split(separator: " ")[1])) * 1024
    }

    /// Records an issue unless every run takes less than 10 MB of memory and one of at most ten less than 50 ms of processor time, since
    /// single runs are slow on a busy machine. Debug builds are allowed more.
    static func expectLittle(_ name: String = "", location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws {
      // The limits are those of optimised code.
      #if DEBUG
        let (seconds, bytes) = (0.5, 40 << 20)
      #else
        let (seconds, bytes) = (0.05, 10 << 20)
      #endif
      var leastTime = Double.infinity
      for _ in 0..<10 where leastTime >= seconds {
        let start = try ProcessUse()
        try body()
        leastTime = min(leastTime, time() - start.time)
        #expect(try peak() - start.peak < bytes, "\(name)", sourceLocation: location)
      }
      #expect(leastTime < seconds, "\(name)", sourceLocation: location)
    }
  }

  /// Files that declare more than they hold are refused within 50 ms and 10 MB. Each test has a process of its own: what others take at the
  /// same time would count.
  @Suite("Picture bombs")
  struct PictureBombTests {
    @Test func `a declared size over the limits is refused before memory is taken`() async {
      await #expect(processExitsWith: .success) {
        var files: [(String, [UInt8])] = []
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
          let length: [UInt8] = [0, 0, UInt8(content.count >> 8), UInt8(content.count & 255)]
          let checksum: [UInt8] = [0, 0, 0, 0]
          return length + Array(type.utf8) + content + checksum
        }
        func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
          var header: [UInt8] = []
          for number in [width, height] {
            for shift: UInt32 in [24, 16, 8, 0] { header.append(UInt8(truncatingIfNeeded: number >> shift)) }
          }
          header += [8, 6, 0, 0, 0]
          let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]
          return signature + chunk("IHDR", header) + chunk("IDAT", [UInt8](repeating: 0, count: 20_000))
        }
        files.append(("10⁹ pixels", png(40_000, 25_000)))
        files.append(("100,000 wide", png(100_000, 1)))
        files.append(("more than 2³¹ wide", png(0xFFFF_FFFF, 0xFFFF_FFFF)))
        var jpeg = try PictureFixture.bytes("baseline444.jpg")
        let frame = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        files.append(("a JPEG of 65,500²", jpeg))
        var heic = try PictureFixture.bytes("rgb.heic")
        let size = try #require((0..<heic.count - 16).first { heic[$0..<$0 + 4].elementsEqual("ispe".utf8) })
        heic.replaceSubrange(size + 8..<size + 16, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30])
        files.append(("a HEIC file of 30,000²", heic))
        var webP = try PictureFixture.bytes("lossless.webp")
        webP.replaceSubrange(24..<30, with: [0x2F, 0x75, 0, 0x2F, 0x75, 0])
        files.append(("a WebP file of 30,000²", webP))
        for (name, file) in files {
          try ProcessUse.expectLittle(name) {
            let error = #expect(throws: MediaError.self, "\(name)") { try PictureFile(file, name: "m") }
            if case .tooLarge = error?.reason {} else { Issue.record("\(name): \(String(describing: error))") }
          }
        }
      }
    }

    @Test func `a hundred thousand scans are refused`() async {
      await #expect(processExitsWith: .success) {
        let file = try PictureFixture.bytes("progressive.jpg")
        let first = try #require(file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0]
        let many = Array(file[..<first]) + [[UInt8]](repeating: scan, count: 100_000).joined() + [0xFF, 0xD9]
        try ProcessUse.expectLittle {
          let error = #expect(throws: MediaError.self) { try PictureFile(many, name: "m") }
          #expect(error?.reason == .tooLarge(declared: 100_000, limit: 500))
        }
      }
    }

    @Test func `places of HEIF items that take no bytes are not all kept`() async {
      await #expect(processExitsWith: .success) {
        let good = try PictureFixture.bytes("rgb.heic")
        let start = try #require((0..<good.count - 4).first { good[$0..<$0 + 4].elementsEqual("iloc".utf8) }) - 4
        let size = Int(good[start + 2]) << 8 | Int(good[start + 3])
        // 2,000 items, each with 65,535 extents whose numbers have no bytes, as a box that ends the file.
        var box: [UInt8] = Array("iloc".utf8) + [0, 0, 0, 0, 0, 0, 0x07, 0xD0]
        for _ in 0..<2000 { box += [0, 1, 0, 0, 0xFF, 0xFF] }
        let count = box.count + 4
        box = [0, 0, UInt8(count >> 8), UInt8(count & 255)] + box
        var file = Array(good[..<start]) + box + good[(start + size)...]
        // The box around it is longer.
        let meta = try #require((0..<file.count - 4).first { file[$0..<$0 + 4].elementsEqual("meta".utf8) }) - 4
        let longer = (Int(file[meta + 2]) << 8 | Int(file[meta + 3])) + count - size
        file.replaceSubrange(meta..<meta + 4, with: [0, UInt8(longer >> 16), UInt8(longer >> 8 & 255), UInt8(longer & 255)])
        try ProcessUse.expectLittle { try #expect(PictureFile(file, name: "m").pictureCount == 1) }
      }
    }

    @Test(.enabled(if: PNGCodec.isAvailable)) func `a profile that inflates past the limit is refused`() async {
      await #expect(processExitsWith: .success) {
        // 100 MB of zeros, which PNG's compression makes a thousand times smaller.
        let picture = try PictureFixture.file("gray8.png").decode(at: 0)
        var metadata = PictureMetadata()
        metadata.profile = [UInt8](repeating: 0, count: 100 << 20)
        let file = try PictureFile(try PNGCodec.encode(picture, metadata, name: "m"), name: "m")
        metadata.profile = nil
        try ProcessUse.expectLittle {
          let error = #expect(throws: MediaError.self) { try file.metadata(at: 0) }
          #expect(error?.field == "PNG colour profile")
        }
        // The picture itself is fine.
        #expect(try file.decode(at: 0) == picture)
      }
    }
  }
#endif
