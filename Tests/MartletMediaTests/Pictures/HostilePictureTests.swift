import Foundation
import MartletMedia
import MartletPixels
import Testing

/// Whatever a picture file holds: no trap, and no memory before the limits are compared.
@Suite("Hostile picture files", .serialized)
struct HostilePictureTests {
  static let names = [
    "described.png", "palette8_transparent.png", "rgba16.png", "gray1_interlaced.png", "described.jpg", "progressive.jpg", "ycck.jpg",
    "rgb.heic", "rgba.heic", "two.heic", "odd.heic", "rgb.avif", "lossless.webp", "lossy.webp", "animated.webp", "plain.tiff",
  ]

  /// The last chunk says that it has a gigabyte.
  private static let hostileNames = ["chunk_beyond_the_file.png"]

  /// Everything that can be asked of a file.
  fileprivate static func use(_ bytes: [UInt8]) {
    var limits = PictureLimits()
    limits.pixelCount = 1 << 20
    guard let file = try? PictureFile(bytes, name: "m", limits: limits) else { return }
    for index in 0..<min(file.pictureCount, 4) {
      _ = file.header(at: index)
      _ = file.orientation(at: index)
      if let metadata = try? file.metadata(at: index) {
        if let exif = metadata.exif { _ = try? ExifBlock(exif[...]) }
        if let iptc = metadata.iptc { _ = IPTCRecords(iptc[...]) }
        if let profile = metadata.profile { _ = ColorProfile(profile) }
      }
      _ = try? file.decode(at: index)
      _ = try? file.decode(at: index, PictureDecoding(sufficientExtent: 4))
    }
  }

  @Test(arguments: names)
  func `a file that is cut short never traps`(name: String) throws {
    let file = try PictureFixture.bytes(name)
    // Large files at fewer places.
    for count in stride(from: 0, to: file.count, by: max(1, file.count / 2500)) { Self.use(Array(file[..<count])) }
  }

  @Test(arguments: names)
  func `a damaged file never traps and takes no memory for long`(name: String) throws {
    let file = try PictureFixture.bytes(name)
    for copy in damaged(file, count: 50, seed: 1) { Self.use(copy) }
    let before = residentByteCount()
    for copy in damaged(file, count: 600, seed: 11) { Self.use(copy) }
    #expect(residentByteCount() - before < 64 << 20)
  }

  /// Files that fuzzing found, in a process of its own.
  @Test func `files that once took memory without need take little`() async {
    await #expect(processExitsWith: .success) {
      let files = try HostilePictureTests.hostileNames.map { try PictureFixture.bytes($0) }
      // Loads the libraries.
      for name in HostilePictureTests.names { HostilePictureTests.use(try PictureFixture.bytes(name)) }
      let before = try HostilePictureTests.peakByteCount()
      for file in files { HostilePictureTests.use(file) }
      // Also memory that is asked for and not used.
      if try HostilePictureTests.peakByteCount() - before > 64 << 20 { exit(4) }
    }
  }

  /// The largest size of the process's address space so far.
  private static func peakByteCount() throws -> Int {
    let text = String(decoding: try FileContents.read(path: "/proc/self/status"), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmPeak:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
  }

  /// Memory of the process that is in use now.
  private func residentByteCount() -> Int {
    guard let text = try? FileContents.read(path: "/proc/self/statm"),
      let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * 4096
  }
}
