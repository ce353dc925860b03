import MartletKernels
import MartletPixels
import MartletVocabulary

extension Picture {
  /// An axis of a scaled picture.
  struct Axis {
    /// The part of the picture, which may reach beyond its edges by less than a pixel of the result.
    let part: Range<Double>
    /// Number of pixels of the result.
    let count: Int

    func parameters(_ extent: Int, _ filter: ResamplingFilter, _ precision: ResamplingAxis.Precision) -> ResamplingAxis.Parameters {
      .init(from: extent, part: part, to: count, filter: filter, precision: precision)
    }
  }

  /// Calls `body` once for each row of the scaled picture, or part of one: the row, its first column, and its colours. Calls for different
  /// rows may be concurrent.
  ///
  /// Bytes have the arithmetic of Pillow's `Image.resize`; numbers are scaled in single precision.
  func forEachRow(
    columns: Axis, rows: Axis, _ filter: ResamplingFilter, _ body: (_ row: Int, _ column: Int, _ source: RowSource) -> Void
  ) {
    if !hasBytes {
      scaleNumbers(columns.parameters(width, filter, .once), rows.parameters(height, filter, .once), body)
      return
    }
    let (columns, rows) = (columns.parameters(width, filter, .eachAxis), rows.parameters(height, filter, .eachAxis))
    let isInPlace = withBytesInPlace { source, places in
      let resampler = PixelResampler(source: source, columns: columns, rows: rows, samples: .stored)
      let channels = PixelChannels(step: resampler.channelCount, places: places)
      unsafe resampler.forEachRow { row, column, count, samples in
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4 * count) { bytes, written in
          unsafe PixelRows.reorder(samples, channels, to: bytes.baseAddress!, step: 4, count: count)
          written = 4 * count
        }
        body(row, column, .bytes(bytes))
      }
    }
    if isInPlace { return }
    let made = unsafe MadePixels(width: width, height: height) { row, columns, pixels in
      unsafe readBytes(row, columns, UnsafeMutableBufferPointer(start: pixels, count: 4 * columns.count))
    }
    unsafe PixelResampler(source: made, columns: columns, rows: rows).forEachRow { row, column, count, samples in
      body(row, column, .bytes(unsafe Array(UnsafeBufferPointer(start: samples, count: 4 * count))))
    }
  }

  private func scaleNumbers(
    _ columns: ResamplingAxis.Parameters, _ rows: ResamplingAxis.Parameters,
    _ body: (_ row: Int, _ column: Int, _ source: RowSource) -> Void
  ) {
    let width = width
    let count = columns.outputExtent
    // Four components and alpha.
    let resampler = unsafe NumberResampler(planeCount: 5, columns: columns, rows: rows) { row, planes in
      var pixels: [Pixel] = []
      readPixels(row, &pixels)
      for (place, pixel) in pixels.enumerated() {
        for component in 0..<4 { unsafe planes[component * width + place] = pixel.color[component] }
        unsafe planes[4 * width + place] = pixel.alpha
      }
    }
    unsafe resampler.forEachRow { row, planes in
      let pixels = (0..<count).map { place in
        unsafe Pixel(
          color: SIMD4(planes[place], planes[count + place], planes[2 * count + place], planes[3 * count + place]),
          alpha: planes[4 * count + place])
      }
      body(row, 0, .pixels(pixels))
    }
  }
}
