import MartletKernels
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

    /// The layout of the samples.
    package var layout: MartletPixels.PixelFormat {
      switch self {
      case .gray8: .gray8
      case .rgb8: .rgb8
      case .rgba8: .rgba8
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
  package init(checkedWidth width: Int, height: Int, format: PixelFormat, pixels: [UInt8]) {
    precondition(Image.byteCount(width: width, height: height, format: format) == pixels.count)
    self.width = width
    self.height = height
    self.format = format
    self.pixels = pixels
  }

  /// Size of an image in bytes; nil if an extent is below 1 or the size overflows.
  package static func byteCount(width: Int, height: Int, format: PixelFormat) -> Int? {
    guard width > 0, height > 0 else { return nil }
    return (Extent(width) * height * format.channelCount).value
  }

  /// An image whose samples `body` writes, all of them.
  init(width: Int, height: Int, format: PixelFormat, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
    let byteCount = width * height * format.channelCount
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      unsafe body(buffer.baseAddress!)
      count = byteCount
    }
    self.init(checkedWidth: width, height: height, format: format, pixels: pixels)
  }

  /// Calls `body` with a view of the image.
  package func withSource<R>(_ body: (PixelSource) throws -> R) rethrows -> R {
    try unsafe pixels.withUnsafeBytes { bytes in
      // An image has pixels, and their layout is that of its format.
      let plane = unsafe PixelSource.Plane(base: bytes.baseAddress!, rowByteCount: width * format.channelCount)
      return try body(PixelSource(width: width, height: height, format: format.layout, plane: plane)!)
    }
  }

  /// An image of the same size, whose rows `body` makes of this one's.
  func mappingRows(
    to target: PixelFormat, _ body: (_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>) -> Void
  ) -> Image {
    unsafe Image(width: width, height: height, format: target) { result in
      unsafe pixels.withUnsafeBufferPointer { source in
        let source = source.baseAddress!
        PixelStripes.run(rowCount: height, pixelsPerRow: width) { rows in
          for row in rows {
            unsafe body(source + row * width * format.channelCount, result + row * width * target.channelCount)
          }
        }
      }
    }
  }

  /// Converts the image to another format. Alpha is dropped (not blended) or becomes 255. Gray is ITU-R 601 luma, `(299 R + 587 G + 114
  /// B) / 1000`, in Pillow's 16-bit fixed-point arithmetic.
  package func converted(to target: PixelFormat) -> Image {
    guard target != format else { return self }
    let channels = format.layout.colorChannels
    return unsafe mappingRows(to: target) { source, result in
      if target == .gray8 {
        unsafe PixelRows.luma(source, channels, to: result, count: width)
      } else {
        unsafe PixelRows.reorder(source, channels, to: result, step: target.channelCount, count: width)
      }
    }
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
    return unsafe mappingRows(to: .rgba8) { source, result in
      unsafe PixelRows.premultiply(source, alpha: .last, to: result, count: width)
    }.converted(to: .rgb8)
  }
}

extension Image: CustomStringConvertible {
  package var description: String { "\(width) x \(height) \(format) image" }
}
