package import MartletPixels
import MartletTensor

/// Codec for Netpbm's binary pixmaps (`P6`) and graymaps (`P5`), without a library.
package enum PPMCodec {
  /// - Returns: `rgb8` or `gray8`; samples are scaled from the file's maximum to 255 and rounded.
  package static func decode(
    _ bytes: [UInt8], name: String, maximumPixelCount: Int = Image.defaultMaximumPixelCount
  ) throws(MediaError) -> Image {
    guard bytes.count >= 2, bytes[0] == UInt8(ascii: "P") else {
      throw MediaError(file: name, field: "signature", reason: .invalid("is not P5 or P6"))
    }
    let format: Image.PixelFormat
    switch bytes[1] {
    case UInt8(ascii: "5"): format = .gray8
    case UInt8(ascii: "6"): format = .rgb8
    default:
      throw MediaError(
        file: name, field: "signature", reason: .unsupported("Netpbm kinds other than P5 (PGM) and P6 (PPM)"))
    }
    var position = 2
    let width = try headerInteger(bytes, &position, name: name, field: "width")
    let height = try headerInteger(bytes, &position, name: name, field: "height")
    let maximum = try headerInteger(bytes, &position, name: name, field: "maximum sample")
    guard (1...65535).contains(maximum) else {
      throw MediaError(file: name, field: "maximum sample", reason: .invalid("\(maximum) is not in 1...65535"))
    }
    // Exactly one whitespace byte ends the header.
    position += 1
    var limits = PictureLimits.standard
    limits.pixelCount = maximumPixelCount
    try limits.check(width: width, height: height, file: name)
    let sampleByteCount = maximum > 255 ? 2 : 1
    guard let sampleCount = Image.byteCount(width: width, height: height, format: format),
      case let available = max(0, bytes.count - position), sampleCount <= available / sampleByteCount
    else {
      throw MediaError(file: name, field: "samples", reason: .invalid("the file ends before the last row"))
    }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(sampleCount)
    if maximum == 255 {
      pixels.append(contentsOf: bytes[position..<position + sampleCount])
    } else {
      for index in 0..<sampleCount {
        let offset = position + index * sampleByteCount
        let sample =
          sampleByteCount == 1 ? Int(widening: bytes[offset]) : Int(widening: bytes[offset]) << 8 | Int(widening: bytes[offset + 1])
        pixels.append(UInt8(clamping: (min(sample, maximum) * 255 + maximum / 2) / maximum))
      }
    }
    return Image(checkedWidth: width, height: height, format: format, pixels: pixels)
  }

  /// Encodes a gray image as `P5`, any other as `P6`; alpha is dropped.
  package static func encode(_ image: Image) -> [UInt8] {
    let opaque = image.format == .rgba8 ? image.converted(to: .rgb8) : image
    let kind = opaque.format == .gray8 ? 5 : 6
    return Array("P\(kind)\n\(image.width) \(image.height)\n255\n".utf8) + opaque.pixels
  }

  /// The next decimal number, after whitespace and comments (from `#` to the end of the line).
  private static func headerInteger(
    _ bytes: [UInt8], _ position: inout Int, name: String, field: String
  ) throws(MediaError) -> Int {
    skipping: while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09...0x0D: position += 1
      case UInt8(ascii: "#"):
        while position < bytes.count, bytes[position] != 0x0A { position += 1 }
      default: break skipping
      }
    }
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
    guard let value = Int(String(decoding: bytes[start..<position], as: UTF8.self), radix: 10) else {
      throw MediaError(file: name, field: field, reason: .invalid("is not a decimal number"))
    }
    return value
  }
}
