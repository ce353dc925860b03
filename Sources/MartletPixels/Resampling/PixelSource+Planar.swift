import MartletKernels
import MartletTensor
package import MartletVocabulary

extension PixelSource {
  /// Writes the upright, resized image as planes of red, green and blue: a float32 tensor of shape `[3, height, width]` with the size of
  /// the target.
  ///
  /// The image is converted to 8 bits, resampled to the size in `placement` with antialiasing, rounded to 8 bits, and normalised.
  /// Rotation only moves pixels and is therefore done last.
  /// - Parameters:
  ///   - orientation: orientation of the stored pixels.
  ///   - part: the part of the stored image that is used; nil is all of it.
  ///   - placement: computed for the size of the upright image.
  ///   - paddingValue: value of the elements around the image; it is not normalised.
  ///   - output: `3 * targetHeight * targetWidth` elements.
  package func writePlanes(
    upright orientation: ImageOrientation, part: PixelRectangle? = nil, placement: ImagePlacement, filter: ResamplingFilter = .bilinear,
    normalization: ColorNormalization, paddingValue: Float, into output: UnsafeMutablePointer<Float>
  ) {
    let planeCount = placement.targetWidth * placement.targetHeight
    if placement.width < placement.targetWidth || placement.height < placement.targetHeight {
      unsafe output.update(repeating: paddingValue, count: 3 * planeCount)
    }
    let storedWidth = orientation.exchangesAxes ? placement.height : placement.width
    let storedHeight = orientation.exchangesAxes ? placement.width : placement.height
    let resampler = PixelResampler(
      source: self, part: part, width: storedWidth, height: storedHeight, filter: filter, edge: .repeated, precision: .once)
    let step = resampler.channelCount
    let channels = PixelChannels(step: step, places: step == 1 ? [0, 0, 0, -1] : [0, 1, 2, -1])
    let scale = SIMD4(normalization.scale, 0)
    let bias = SIMD4(normalization.bias, 0)
    func write(row: Int, column: Int, count: Int, _ pixels: UnsafePointer<UInt8>) {
      let first = unsafe output + ((placement.y + row) * placement.targetWidth + placement.x + column)
      unsafe PixelRows.toPlanes(
        pixels, channels, channelCount: 3, scale: scale, bias: bias, dtype: .float32, target: first, planeStride: planeCount, stride: 1,
        count: count)
    }
    if orientation == .up {
      unsafe resampler.forEachRow { row, column, count, pixels in unsafe write(row: row, column: column, count: count, pixels) }
      return
    }
    // Pixels are turned while they are bytes, each stripe on its own.
    let (uprightWidth, uprightHeight) = (placement.width, placement.height)
    let (origin, columnStride, rowStride) = orientation.strides(
      width: storedWidth, height: storedHeight, pixelByteCount: step, rowByteCount: step * uprightWidth)
    unsafe ScratchMemory.with(UInt8.self, capacity: step * uprightWidth * uprightHeight) { turned in
      unsafe resampler.forEachRow { row, column, count, pixels in
        unsafe PixelRows.arrange(
          pixels, rowByteCount: step * count, width: count, height: 1, pixelByteCount: step,
          to: turned + (origin + row * rowStride + column * columnStride), columnStride: columnStride, rowStride: rowStride)
      }
      PixelStripes.run(rowCount: uprightHeight, pixelsPerRow: uprightWidth) { rows in
        for row in rows { unsafe write(row: row, column: 0, count: uprightWidth, turned + row * step * uprightWidth) }
      }
    }
  }
}
