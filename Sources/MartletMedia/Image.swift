import MartletTensor

/// A bitmap of 8-bit samples: rows from top to bottom, pixels from left to right, samples interleaved, no padding between rows.
package struct Image: Sendable, Equatable {
  package enum PixelFormat: Sendable, Hashable, CaseIterable {
    case gray8
    case rgb8
    /// Red, green, blue, and straight (not premultiplied) alpha.
    case rgba8

    /// Number of samples, and bytes, per pixel.
    package var channelCount: Int {
      switch self {
      case .gray8: 1
      case .rgb8: 3
      case .rgba8: 4
      }
    }
  }

  /// Width and height in pixels, at least 1.
  package let width: Int
  package let height: Int
  package let format: PixelFormat
  /// `width * height * format.channelCount` samples.
  package let pixels: [UInt8]

  /// - Returns: nil if an extent is below 1 or the size of `pixels` does not match.
  package init?(width: Int, height: Int, format: PixelFormat, pixels: [UInt8]) {
    guard Image.byteCount(width: width, height: height, format: format) == pixels.count else { return nil }
    self.width = width
    self.height = height
    self.format = format
    self.pixels = pixels
  }

  /// For code that has computed both the extents and the samples.
  init(checkedWidth width: Int, height: Int, format: PixelFormat, pixels: [UInt8]) {
    precondition(Image.byteCount(width: width, height: height, format: format) == pixels.count)
    self.width = width
    self.height = height
    self.format = format
    self.pixels = pixels
  }

  /// Size of an image in bytes; nil if an extent is below 1 or the size overflows.
  static func byteCount(width: Int, height: Int, format: PixelFormat) -> Int? {
    guard width > 0, height > 0 else { return nil }
    return (Extent(width) * height * format.channelCount).value
  }

  /// Converts the image to another format. Alpha is dropped (not blended) or becomes 255. Gray is ITU-R 601 luma, `(299 R + 587 G + 114
  /// B) / 1000`, in Pillow's 16-bit fixed-point arithmetic.
  package func converted(to target: PixelFormat) -> Image {
    guard target != format else { return self }
    var result: [UInt8] = []
    result.reserveCapacity(width * height * target.channelCount)
    let channelCount = format.channelCount
    for start in stride(from: 0, to: pixels.count, by: channelCount) {
      let red = pixels[start]
      let green = format == .gray8 ? red : pixels[start + 1]
      let blue = format == .gray8 ? red : pixels[start + 2]
      switch target {
      case .gray8:
        let luma = UInt32(widening: red) * 19595 + UInt32(widening: green) * 38470 + UInt32(widening: blue) * 7471 + 0x8000
        result.append(UInt8(truncatingIfNeeded: luma >> 16))
      case .rgb8:
        result.append(red)
        result.append(green)
        result.append(blue)
      case .rgba8:
        result.append(red)
        result.append(green)
        result.append(blue)
        result.append(255)
      }
    }
    return Image(checkedWidth: width, height: height, format: target, pixels: result)
  }

  /// Crops a rectangle.
  /// - Returns: nil if the rectangle is empty or not inside the image.
  package func cropped(x: Int, y: Int, width: Int, height: Int) -> Image? {
    guard x >= 0, y >= 0, width > 0, height > 0, x < self.width, y < self.height, width <= self.width - x,
      height <= self.height - y
    else { return nil }
    let channelCount = format.channelCount
    var result: [UInt8] = []
    result.reserveCapacity(width * height * channelCount)
    for row in y..<y + height {
      let start = (row * self.width + x) * channelCount
      result.append(contentsOf: pixels[start..<start + width * channelCount])
    }
    return Image(checkedWidth: width, height: height, format: format, pixels: result)
  }

  /// Crops a rectangle at the centre. Half of an odd margin is rounded to the nearest even number above and to the left, as in
  /// torchvision's `center_crop`.
  /// - Returns: nil if the image is smaller than the rectangle.
  package func centerCropped(width: Int, height: Int) -> Image? {
    cropped(
      x: Int(exactly: (Double(self.width - width) / 2).rounded(.toNearestOrEven)) ?? -1,
      y: Int(exactly: (Double(self.height - height) / 2).rounded(.toNearestOrEven)) ?? -1, width: width, height: height)
  }
}

extension Image {
  /// The image without alpha, composited over black.
  package var overBlack: Image {
    guard format == .rgba8 else { return self }
    var colors = pixels
    for start in stride(from: 0, to: colors.count, by: 4) {
      let alpha = Int(widening: colors[start + 3])
      for channel in start..<start + 3 { colors[channel] = UInt8(clamping: (Int(widening: colors[channel]) * alpha + 127) / 255) }
    }
    return Image(checkedWidth: width, height: height, format: .rgba8, pixels: colors).converted(to: .rgb8)
  }
}

extension Image: CustomStringConvertible {
  package var description: String { "\(width) x \(height) \(format) image" }
}
