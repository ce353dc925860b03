/// Resizes the rows of an image bilinearly with antialiasing, in stored orientation.
///
/// A sample is the weighted mean, in single precision, of the samples under a triangle of 1 pixel to either side, widened by the factor
/// of the reduction. Beyond the edges, the outermost samples are repeated. Each sample is rounded once, to 8 bits. An image of the same
/// size is not changed.
struct PixelResampler {
  let source: PixelSource
  let width: Int
  let height: Int
  private let columns: Axis
  private let rows: Axis

  /// Windows with single-precision weights.
  private struct Axis {
    let starts: [Int]
    let counts: [Int]
    let weights: [Float]
    let stride: Int

    init(from inputExtent: Int, to outputExtent: Int) {
      let windows = ResamplingWindows(from: inputExtent, to: outputExtent, filter: .bilinear, edge: .repeated)
      starts = windows.starts
      counts = windows.counts
      weights = windows.weights.map(Float.init)
      stride = windows.stride
    }
  }

  /// Width and height must be at least 1.
  init(source: PixelSource, width: Int, height: Int) {
    self.source = source
    self.width = width
    self.height = height
    columns = Axis(from: source.width, to: width)
    rows = Axis(from: source.height, to: height)
  }

  /// Calls `body` with each row of the result in order: `3 * width` bytes, red, green and blue interleaved.
  func forEachRow(_ body: (_ row: Int, _ colors: UnsafePointer<UInt8>) -> Void) {
    let rowCount = 3 * width
    // Number of source rows, resampled to the new width, that one output row needs. Row y is kept at index y modulo this number.
    let keptCount = rows.counts.max() ?? 1
    var decoded = [UInt8](repeating: 0, count: 3 * source.width)
    var kept = [Float](repeating: 0, count: keptCount * rowCount)
    var sums = [Float](repeating: 0, count: rowCount)
    var colors = [UInt8](repeating: 0, count: rowCount)
    var next = 0
    // Every index below is within the counts above: windows lie within the source, and their starts never decrease.
    unsafe decoded.withUnsafeMutableBufferPointer { decoded in
      unsafe kept.withUnsafeMutableBufferPointer { kept in
        unsafe sums.withUnsafeMutableBufferPointer { sums in
          unsafe colors.withUnsafeMutableBufferPointer { colors in
            let decoded = decoded.baseAddress!
            let kept = kept.baseAddress!
            let sums = sums.baseAddress!
            let colors = colors.baseAddress!
            for row in 0..<height {
              let start = rows.starts[row]
              let end = start + rows.counts[row]
              next = max(next, start)
              while next < end {
                unsafe source.decodeRow(next, into: decoded)
                unsafe resampleColumns(of: decoded, into: kept + next % keptCount * rowCount)
                next += 1
              }
              for index in 0..<rowCount { unsafe sums[index] = 0 }
              for input in start..<end {
                let weight = rows.weights[row * rows.stride + input - start]
                let samples = unsafe kept + input % keptCount * rowCount
                for index in 0..<rowCount { unsafe sums[index] += weight * samples[index] }
              }
              // In range: between 0 and 255.5.
              for index in 0..<rowCount { unsafe colors[index] = UInt8(max(0, min(255, sums[index])) + 0.5) }
              unsafe body(row, colors)
            }
          }
        }
      }
    }
  }

  private func resampleColumns(of decoded: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<Float>) {
    for column in 0..<width {
      var pixel = unsafe decoded + 3 * columns.starts[column]
      let firstWeight = column * columns.stride
      var red: Float = 0
      var green: Float = 0
      var blue: Float = 0
      for tap in firstWeight..<firstWeight + columns.counts[column] {
        let weight = columns.weights[tap]
        unsafe red += weight * Float(pixel[0])
        unsafe green += weight * Float(pixel[1])
        unsafe blue += weight * Float(pixel[2])
        unsafe pixel += 3
      }
      let color = unsafe output + 3 * column
      unsafe color[0] = red
      unsafe color[1] = green
      unsafe color[2] = blue
    }
  }
}
