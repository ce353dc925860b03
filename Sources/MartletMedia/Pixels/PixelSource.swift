import MartletTensor

/// Pixels in borrowed memory, which must outlive the value.
@safe
package struct PixelSource {
  @safe
  package struct Plane {
    let base: UnsafeRawPointer
    /// Distance between the starts of consecutive rows, in bytes.
    let rowByteCount: Int

    package init(base: UnsafeRawPointer, rowByteCount: Int) {
      unsafe self.base = base
      self.rowByteCount = rowByteCount
    }
  }

  /// Width and height in pixels, at least 1.
  package let width: Int
  package let height: Int
  package let format: PixelFormat
  let planes: [Plane]

  /// - Parameter planes: the planes of the format. For odd extents, a chroma plane has one more sample.
  /// - Returns: nil if an extent is below 1, a plane is missing, or a row does not fit in `rowByteCount`.
  package init?(width: Int, height: Int, format: PixelFormat, planes: [Plane]) {
    guard width > 0, height > 0, planes.count == format.planeCount else { return nil }
    // A row of chroma pairs has at most as many bytes as a row of luma of the next even width.
    let evenWidth = Extent(width) + (format.isYCbCr ? width & 1 : 0)
    for (index, plane) in planes.enumerated() {
      let rowByteCount = (index == 0 ? Extent(width) : evenWidth) * format.pixelByteCount
      guard evenWidth.isRepresentable, rowByteCount.fits(plane.rowByteCount), (Extent(plane.rowByteCount) * height).isRepresentable else {
        return nil
      }
    }
    self.width = width
    self.height = height
    self.format = format
    self.planes = planes
  }

  /// Writes red, green and blue of each pixel in a row: `3 * width` bytes. Gray is written to all three.
  func decodeRow(_ row: Int, into output: UnsafeMutablePointer<UInt8>) {
    let base = unsafe planes[0].base.assumingMemoryBound(to: UInt8.self) + row * planes[0].rowByteCount
    if format.isYCbCr {
      unsafe decodeYCbCr(
        luma: base, chroma: planes[1].base.assumingMemoryBound(to: UInt8.self) + row / 2 * planes[1].rowByteCount, into: output)
      return
    }
    let offsets = format.colorOffsets
    let pixelByteCount = format.pixelByteCount
    for column in 0..<width {
      let pixel = unsafe base + column * pixelByteCount
      let color = unsafe output + 3 * column
      unsafe color[0] = pixel[offsets.red]
      unsafe color[1] = pixel[offsets.green]
      unsafe color[2] = pixel[offsets.blue]
    }
  }

  /// ITU-R BT.601 in fixed point with 8 fractional bits, rounded. Chroma is not interpolated: each pair applies to the pixels of its
  /// square.
  private func decodeYCbCr(luma: UnsafePointer<UInt8>, chroma: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<UInt8>) {
    let step = format.sampleByteCount
    let isFullRange = format.isFullRange
    // The byte with the highest bits of a sample.
    let luma = unsafe luma + (step - 1)
    let chroma = unsafe chroma + (step - 1)
    for column in 0..<width {
      let y = unsafe Int32(widening: luma[column * step])
      let pair = unsafe chroma + column / 2 * 2 * step
      let cb = unsafe Int32(widening: pair[0]) - 128
      let cr = unsafe Int32(widening: pair[step]) - 128
      let color = unsafe output + 3 * column
      if isFullRange {
        unsafe color[0] = Self.clamped(y + (359 * cr + 128) >> 8)
        unsafe color[1] = Self.clamped(y - (88 * cb + 183 * cr + 128) >> 8)
        unsafe color[2] = Self.clamped(y + (454 * cb + 128) >> 8)
      } else {
        let scaled = 298 * (y - 16) + 128
        unsafe color[0] = Self.clamped((scaled + 409 * cr) >> 8)
        unsafe color[1] = Self.clamped((scaled - 100 * cb - 208 * cr) >> 8)
        unsafe color[2] = Self.clamped((scaled + 516 * cb) >> 8)
      }
    }
  }

  private static func clamped(_ value: Int32) -> UInt8 {
    UInt8(truncatingIfNeeded: max(0, min(255, value)))
  }
}
