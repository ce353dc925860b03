import MartletTensor

/// Scales pictures along both axes, columns first.
enum Resampler {
  private static let fractionBits: Int32 = 22

  private static func fixedPoint(_ axis: ResamplingAxis) -> [Int32] {
    axis.weights.map { weight in
      let scaled = weight * Double(1 << fractionBits)
      return Int32(scaled + (scaled < 0 ? -0.5 : 0.5))
    }
  }

  private static func clamped(_ sum: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, sum >> fractionBits))) }

  /// Scales pixels of four bytes with the arithmetic of Pillow's `Image.resize`: weights of 22 bits, rounded after each axis.
  ///
  /// - Parameters:
  ///   - read: fills in a row of the picture.
  ///   - body: called with each row of the result, from the top.
  static func scaleBytes(
    width: Int, columns: ResamplingAxis, rows: ResamplingAxis, read: (Int, inout [UInt8]) -> Void, body: (Int, [UInt8]) -> Void
  ) {
    let rowByteCount = 4 * columns.starts.count
    var source = [UInt8](repeating: 0, count: 4 * width)
    if let column = columns.copiedStart, let row = rows.copiedStart {
      for index in rows.starts.indices {
        read(row + index, &source)
        body(index, source.count == rowByteCount ? source : Array(source[4 * column..<4 * column + rowByteCount]))
      }
      return
    }
    let needed = rows.inputRange
    var scaled = [UInt8](repeating: 0, count: needed.count * rowByteCount)
    let columnWeights = fixedPoint(columns)
    for (place, row) in needed.enumerated() {
      read(row, &source)
      unsafe scaled.withUnsafeMutableBufferPointer { target in
        unsafe scaleColumns(source, columns, columnWeights, UnsafeMutableBufferPointer(rebasing: target[(place * rowByteCount)...]))
      }
    }
    let rowWeights = fixedPoint(rows)
    var sums = [Int32](repeating: 0, count: rowByteCount)
    var result = [UInt8](repeating: 0, count: rowByteCount)
    for row in rows.starts.indices {
      for index in sums.indices { sums[index] = 1 << (fractionBits - 1) }
      for tap in 0..<rows.counts[row] {
        let weight = rowWeights[row * rows.stride + tap]
        let start = (rows.starts[row] + tap - needed.lowerBound) * rowByteCount
        unsafe scaled.withUnsafeBufferPointer { scaled in
          unsafe sums.withUnsafeMutableBufferPointer { sums in
            for index in 0..<rowByteCount { unsafe sums[index] &+= Int32(widening: scaled[start + index]) &* weight }
          }
        }
      }
      for index in sums.indices { result[index] = clamped(sums[index]) }
      body(row, result)
    }
  }

  @unsafe
  private static func scaleColumns(
    _ source: [UInt8], _ columns: ResamplingAxis, _ weights: [Int32], _ target: UnsafeMutableBufferPointer<UInt8>
  ) {
    unsafe source.withUnsafeBufferPointer { source in
      unsafe weights.withUnsafeBufferPointer { weights in
        for column in columns.starts.indices {
          var sums = SIMD4<Int32>(repeating: 1 << (fractionBits - 1))
          // In range: windows lie within the row.
          let start = 4 * columns.starts[column]
          for tap in 0..<columns.counts[column] {
            let first = start + 4 * tap
            let pixel = unsafe SIMD4<Int32>(
              Int32(widening: source[first]), Int32(widening: source[first + 1]), Int32(widening: source[first + 2]),
              Int32(widening: source[first + 3]))
            sums &+= unsafe pixel &* weights[column * columns.stride + tap]
          }
          for channel in 0..<4 { unsafe target[4 * column + channel] = clamped(sums[channel]) }
        }
      }
    }
  }

  /// Scales pixels of floating-point numbers.
  static func scalePixels(
    columns: ResamplingAxis, rows: ResamplingAxis, read: (Int, inout [Pixel]) -> Void, body: (Int, [Pixel]) -> Void
  ) {
    var source: [Pixel] = []
    if let column = columns.copiedStart, let row = rows.copiedStart {
      for index in rows.starts.indices {
        read(row + index, &source)
        body(index, Array(source[column..<column + columns.starts.count]))
      }
      return
    }
    let needed = rows.inputRange
    let columnWeights = columns.weights.map { Float($0) }
    let rowWeights = rows.weights.map { Float($0) }
    var scaled: [[Pixel]] = []
    for row in needed {
      read(row, &source)
      scaled.append(
        columns.starts.indices.map { column in
          var sum = Pixel.clear
          for tap in 0..<columns.counts[column] {
            sum = sum + source[columns.starts[column] + tap] * columnWeights[column * columns.stride + tap]
          }
          return sum
        })
    }
    for row in rows.starts.indices {
      var result = [Pixel](repeating: .clear, count: columns.starts.count)
      for tap in 0..<rows.counts[row] {
        let line = scaled[rows.starts[row] + tap - needed.lowerBound]
        let weight = rowWeights[row * rows.stride + tap]
        for index in result.indices { result[index] = result[index] + line[index] * weight }
      }
      body(row, result)
    }
  }
}
