package import MartletPixels
import MartletTensor

extension Image {
  /// Default limit for the number of pixels that a file may declare. A file of a few kilobytes can declare gigabytes, so the limit is
  /// checked before anything is allocated.
  package static let defaultMaximumPixelCount = 1 << 27

  /// Reads a PNG, JPEG, PPM or PGM file. The format is determined by the content, not by the name.
  /// - Parameter orientation: replaces the orientation declared in the file.
  package static func read(
    path: String, orientation: ImageOrientation? = nil, maximumPixelCount: Int = defaultMaximumPixelCount
  ) throws(MediaError) -> Image {
    try decode(FileContents.read(path: path), name: path, orientation: orientation, maximumPixelCount: maximumPixelCount)
  }

  /// Decodes a PNG, JPEG, PPM or PGM file to `gray8`, `rgb8` or, if the file has transparency, `rgba8`. An image with an EXIF orientation
  /// is rotated upright.
  /// - Parameters:
  ///   - name: identifies the bytes in errors.
  ///   - orientation: replaces the orientation declared in the file.
  package static func decode(
    _ bytes: [UInt8], name: String, orientation: ImageOrientation? = nil, maximumPixelCount: Int = defaultMaximumPixelCount
  ) throws(MediaError) -> Image {
    if bytes.starts(with: [0xFF, 0xD8]) {
      return try JPEGCodec.decode(bytes, name: name, orientation: orientation, maximumPixelCount: maximumPixelCount)
    }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      return try PNGCodec.decode(bytes, name: name, orientation: orientation, maximumPixelCount: maximumPixelCount)
    }
    if bytes.first == UInt8(ascii: "P") {
      return try PPMCodec.decode(bytes, name: name, maximumPixelCount: maximumPixelCount).upright(from: orientation ?? .up)
    }
    throw MediaError(file: name, field: "signature", reason: .unsupported("the file is not a PNG, JPEG, PPM or PGM image"))
  }

  /// Writes a PNG file, or a PPM or PGM file if the name has that extension.
  package func write(path: String) throws(MediaError) {
    let lowercased = path.lowercased()
    if lowercased.hasSuffix(".ppm") || lowercased.hasSuffix(".pgm") {
      try FileContents.write(PPMCodec.encode(self), path: path)
    } else {
      try FileContents.write(PNGCodec.encode(self, name: path), path: path)
    }
  }

  /// Checks a declared size against the caller's limit.
  static func checkExtents(
    width: Int, height: Int, name: String, maximumPixelCount: Int
  ) throws(MediaError) {
    guard width > 0, height > 0 else {
      throw MediaError(file: name, field: "width and height", reason: .invalid("\(width) x \(height) is empty"))
    }
    let pixelCount = Extent(width) * height
    guard pixelCount.fits(maximumPixelCount) else {
      throw MediaError(file: name, field: "pixel count", reason: .tooLarge(declared: pixelCount.clamped, limit: maximumPixelCount))
    }
  }
}
