import MartletKernels
package import MartletTensor

/// Writable pixels in borrowed memory, which must outlive the value.
@safe
package struct PixelTarget {
  package let width: Int
  package let height: Int
  package let format: PixelFormat
  let base: UnsafeMutablePointer<UInt8>
  let rowByteCount: Int

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
  ///   - dtype: float32, float16 or uint8.
  ///   - order: indices of the planes for red, green and blue.
  package func write(_ planes: UnsafeRawPointer, dtype: DType = .float32, order: [Int]) {
    let area = width * height
    let channelCount = format == .gray8 ? 1 : 3
    let planeOrder = channelCount == 1 ? SIMD4(repeating: 0) : SIMD4(order[0], order[1], order[2], 0)
    let channels = format.colorChannels
    PixelStripes.run(rowCount: height, pixelsPerRow: width) { rows in
      for row in rows {
        unsafe PixelRows.fromPlanes(
          planes + row * width * dtype.byteCount, dtype: dtype, planeStride: area, stride: 1, order: planeOrder, scale: 1, bias: 0,
          to: base + row * rowByteCount, channels, channelCount: channelCount, count: width)
      }
    }
  }
}

extension PixelSource {
  /// Writes the image in stored orientation as planes of samples from 0 to 255.
  /// - Parameters:
  ///   - order: the channel (0 red, 1 green, 2 blue) of each plane; one to three planes.
  ///   - dtype: float32, float16 or uint8.
  ///   - output: `order.count * height * width` elements.
  package func writeSamples(order: [Int], dtype: DType = .float32, into output: UnsafeMutableRawPointer) {
    let colors = format.colorChannels
    var places = SIMD4<Int8>(repeating: -1)
    for (plane, channel) in order.enumerated() { places[plane] = colors.places[channel] }
    let channels = PixelChannels(step: colors.step, places: places)
    let area = width * height
    unsafe forEachRow { row, pixels in
      unsafe PixelRows.toPlanes(
        pixels, channels, channelCount: order.count, scale: .one, bias: .zero, dtype: dtype, target: output + row * width * dtype.byteCount,
        planeStride: area, stride: 1, count: width)
    }
  }

  /// Writes the image in stored orientation as one gray plane: the luma of ITU-R BT.601 from 0 to 255, rounded to integers.
  /// - Parameter output: `height * width` elements of `dtype`: float32, float16 or uint8.
  package func writeGray(dtype: DType = .float32, into output: UnsafeMutableRawPointer) {
    let channels = format.colorChannels
    let gray = PixelChannels(step: 1, places: [0, -1, -1, -1])
    unsafe forEachRow { row, pixels in
      unsafe ScratchMemory.with(UInt8.self, capacity: width) { luma in
        // The weights of luma add up to 1, so that gray pixels are unchanged.
        unsafe PixelRows.luma(pixels, channels, to: luma, count: width)
        unsafe PixelRows.toPlanes(
          luma, gray, channelCount: 1, scale: .one, bias: .zero, dtype: dtype, target: output + row * width * dtype.byteCount,
          planeStride: 0, stride: 1, count: width)
      }
    }
  }
}
