package import MartletPixels
import MartletTensor

extension Image {
  /// Default limit for the number of pixels that a file may declare. A file of a few kilobytes can declare gigabytes, so the limit is
  /// checked before anything is allocated.
  package static let defaultMaximumPixelCount = PictureLimits.standard.pixelCount

  /// Reads a PNG, JPEG, HEIF, AVIF, WebP, PPM or PGM file. The format is determined by the content, not by the name.
  /// - Parameter orientation: replaces the orientation declared in the file.
  package static func read(
    path: String, orientation: ImageOrientation? = nil, maximumPixelCount: Int = defaultMaximumPixelCount
  ) throws(MediaError) -> Image {
    try decode(FileContents.read(path: path), name: path, orientation: orientation, maximumPixelCount: maximumPixelCount)
  }

  /// Decodes a PNG, JPEG, HEIF, AVIF, WebP, PPM or PGM file to `gray8`, `rgb8` or, if the file has transparency, `rgba8`: palettes are
  /// expanded, 16-bit samples are rounded, and inks are converted without a colour profile. An image that says how it was turned is rotated
  /// upright. A truncated file is an error; other damage that a JPEG decoder can repair is not.
  /// - Parameters:
  ///   - name: identifies the bytes in errors.
  ///   - orientation: replaces the orientation declared in the file.
  package static func decode(
    _ bytes: [UInt8], name: String, orientation: ImageOrientation? = nil, maximumPixelCount: Int = defaultMaximumPixelCount
  ) throws(MediaError) -> Image {
    if bytes.first == UInt8(ascii: "P") {
      return try PPMCodec.decode(bytes, name: name, maximumPixelCount: maximumPixelCount).upright(from: orientation ?? .up)
    }
    var limits = PictureLimits.standard
    limits.pixelCount = maximumPixelCount
    let file = try PictureFile(bytes, name: name, limits: limits)
    let picture = try file.decode(at: file.primaryIndex, PictureDecoding(padsColors: false))
    return picture.image.upright(from: orientation ?? file.orientation(at: file.primaryIndex) ?? .up)
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
}
