import MartletTensor

/// Writable pixels in borrowed memory, which must outlive the value.
@safe
package struct PixelTarget {
  private let width: Int
  private let height: Int
  private let format: PixelFormat
  private let base: UnsafeMutablePointer<UInt8>
  private let rowByteCount: Int

  /// - Parameter format: an interleaved format.
  /// - Returns: nil for other formats, if an extent is below 1, or if a row does not fit in `rowByteCount`.
  package init?(width: Int, height: Int, format: PixelFormat, base: UnsafeMutableRawPointer, rowByteCount: Int) {
    guard width > 0, height > 0, !format.isYCbCr, (Extent(width) * format.pixelByteCount).fits(rowByteCount),
      (Extent(rowByteCount) * height).isRepresentable
    else { return nil }
    self.width = width
    self.height = height
    self.format = format
    unsafe self.base = base.assumingMemoryBound(to: UInt8.self)
    self.rowByteCount = rowByteCount
  }

  /// Writes planes of samples: rounded to nearest, ties to even, and clamped to 0...255. Alpha is set to 255.
  /// - Parameters:
  ///   - planes: gray for `.gray8`; otherwise red, green and blue, each `height * width` elements, in `order`.
  ///   - order: indices of the planes for red, green and blue.
  package func write(_ planes: UnsafePointer<Float>, order: [Int]) {
    let area = width * height
    let step = format.pixelByteCount
    let (red, green, blue) = format.colorOffsets
    for row in 0..<height {
      let pixels = unsafe base + row * rowByteCount
      let samples = unsafe planes + row * width
      if format == .gray8 {
        for column in 0..<width { unsafe pixels[column] = Self.sample(samples[column]) }
        continue
      }
      let alpha = step == 4 ? 6 - red - green - blue : 0
      for column in 0..<width {
        let pixel = unsafe pixels + column * step
        if step == 4 { unsafe pixel[alpha] = 255 }
        unsafe pixel[red] = Self.sample(samples[order[0] * area + column])
        unsafe pixel[green] = Self.sample(samples[order[1] * area + column])
        unsafe pixel[blue] = Self.sample(samples[order[2] * area + column])
      }
    }
  }

  private static func sample(_ value: Float) -> UInt8 {
    let rounded = value.rounded(.toNearestOrEven)
    // In range: between the bounds.
    return rounded >= 255 ? 255 : rounded > 0 ? UInt8(rounded) : 0
  }
}

extension PixelSource {
  /// Writes the image in stored orientation as planes of samples from 0 to 255.
  /// - Parameters:
  ///   - order: the channel (0 red, 1 green, 2 blue) of each plane.
  ///   - output: `order.count * height * width` elements.
  package func writeSamples(order: [Int], into output: UnsafeMutablePointer<Float>) {
    unsafe forEachColorRow { row, colors in
      for (plane, channel) in order.enumerated() {
        let samples = unsafe output + (plane * height + row) * width
        for column in 0..<width { unsafe samples[column] = Float(colors[3 * column + channel]) }
      }
    }
  }

  /// Writes the image in stored orientation as one gray plane: the luma of ITU-R BT.601 from 0 to 255, rounded to integers.
  /// - Parameter output: `height * width` elements.
  package func writeGray(into output: UnsafeMutablePointer<Float>) {
    unsafe forEachColorRow { row, colors in
      let samples = unsafe output + row * width
      for column in 0..<width {
        let color = unsafe colors + 3 * column
        // The weights add up to 2^16, so that gray pixels are unchanged.
        let luma =
          unsafe (19595 * UInt32(widening: color[0]) + 38470 * UInt32(widening: color[1]) + 7471 * UInt32(widening: color[2]) + 32768) >> 16
        unsafe samples[column] = Float(luma)
      }
    }
  }

  private func forEachColorRow(_ body: (_ row: Int, _ colors: UnsafePointer<UInt8>) -> Void) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * width) { colors in
      let colors = colors.baseAddress!
      for row in 0..<height {
        unsafe decodeRow(row, into: colors)
        unsafe body(row, colors)
      }
    }
  }
}
