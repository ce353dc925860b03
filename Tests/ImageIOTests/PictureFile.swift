import Foundation
import ImageIO
import Testing

/// Files made by Oracles/make_picture_fixtures.py.
enum PictureFile {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("MartletMediaTests/Fixtures")

  static func url(_ name: String) -> URL { folder.appendingPathComponent("pictures/\(name)") }

  static func source(_ name: String) throws -> CGImageSource {
    try #require(CGImageSourceCreateWithURL(url(name) as CFURL, nil), "\(name)")
  }

  static func properties(_ source: CGImageSource, _ index: Int = 0) throws -> [CFString: Any] {
    try #require(CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any])
  }

  static func image(_ name: String) throws -> CGImage {
    try #require(CGImageSourceCreateImageAtIndex(source(name), 0, nil), "\(name)")
  }

  /// Whether pictures of the format of a file can be decoded here: libraries for some formats are not everywhere.
  static func decodes(_ name: String) -> Bool {
    CGImageSourceCreateWithURL(url(name) as CFURL, nil).flatMap { CGImageSourceCreateImageAtIndex($0, 0, nil) } != nil
  }
}

extension CGImage {
  var bytes: [UInt8] { dataProvider?.data.map { [UInt8]($0 as Data) } ?? [] }

  /// Red, green and blue of a pixel of 8 bits, counted from the upper left.
  func color(_ x: Int, _ y: Int) -> [Int] {
    let start = y * bytesPerRow + x * bitsPerPixel / 8
    return bytes[start..<start + min(3, bitsPerPixel / 8)].map { Int($0) }
  }
}

/// A file written to memory.
func written(_ image: CGImage, _ type: String, _ properties: [CFString: Any]? = nil) throws -> CGImageSource {
  let data = CFMutableData()
  let destination = try #require(CGImageDestinationCreateWithData(data, type as CFString, 1, nil))
  CGImageDestinationAddImage(destination, image, properties as CFDictionary?)
  try #require(CGImageDestinationFinalize(destination))
  return try #require(CGImageSourceCreateWithData(data, nil))
}
