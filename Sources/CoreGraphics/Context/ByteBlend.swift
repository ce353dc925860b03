import MartletTensor

/// Draws over or replaces pixels of bytes.
struct ByteBlend {
  /// Where the components of a pixel lie.
  struct Place {
    let color: [Int]
    let alpha: Int?
    let skip: Int?
    let stride: Int

    init(_ offsets: (color: [Int], alpha: Int?, stride: Int), skip: Int?) {
      color = offsets.color
      alpha = offsets.alpha
      stride = offsets.stride
      self.skip = skip
    }

    /// For pixels of four bytes, which of red, green, blue and alpha lies at each of them. A byte that is skipped has alpha.
    var order: [Int]? {
      guard stride == 4, color.count == 3, let last = alpha ?? skip else { return nil }
      return (0..<4).map { byte in byte == last ? 3 : color.firstIndex(of: byte) ?? 3 }
    }
  }

  let place: Place
  let isCopy: Bool
  /// Opacity of the source, 0…255.
  let alpha: UInt32

  @unsafe
  func draw(_ source: RowSource, _ row: UnsafeMutableRawBufferPointer, _ range: Range<Int>, left: Int, coverage: [Float]?) {
    guard let order = place.order else { return unsafe drawSingleBytes(source, row, range, left: left, coverage: coverage) }
    let (first, second, third, fourth) = (order[0], order[1], order[2], order[3])
    switch source {
    case .color(let color):
      let bytes = SIMD4<UInt32>(truncatingIfNeeded: color.bytes)
      let constant = SIMD4(bytes[first], bytes[second], bytes[third], bytes[fourth])
      unsafe draw(row, range, left: left, coverage: coverage) { _ in constant }
    case .bytes(let bytes):
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe draw(row, range, left: left, coverage: coverage) { index in
          let start = 4 * index
          return unsafe SIMD4(
            UInt32(widening: bytes[start + first]), UInt32(widening: bytes[start + second]), UInt32(widening: bytes[start + third]),
            UInt32(widening: bytes[start + fourth]))
        }
      }
    case .pixels(let pixels):
      unsafe draw(row, range, left: left, coverage: coverage) { index in
        let bytes = SIMD4<UInt32>(truncatingIfNeeded: pixels[index].bytes)
        return SIMD4(bytes[first], bytes[second], bytes[third], bytes[fourth])
      }
    }
  }

  /// Draws pixels of four bytes.
  /// - Parameter source: the bytes of a pixel in the order of the bitmap.
  @unsafe
  @inline(__always)
  private func draw(
    _ row: UnsafeMutableRawBufferPointer, _ range: Range<Int>, left: Int, coverage: [Float]?, _ source: (Int) -> SIMD4<UInt32>
  ) {
    guard let base = row.baseAddress else { return }
    let isAlphaFirst = (place.alpha ?? place.skip) == 0
    var skipped = SIMD4<UInt8>.zero
    if let skip = place.skip { skipped[skip] = 255 }
    for column in range {
      let index = column - left
      let share: UInt32 = if let coverage { UInt32(widening: coverage[index].byte) } else { 255 }
      if share == 0 { continue }
      // In range: the row has the bytes of all its columns.
      let address = unsafe base + 4 * column
      var color = Self.product(source(index), isCopy ? alpha : ByteFraction.product(alpha, share))
      var rest = 255 &- (isAlphaFirst ? color.x : color.w)
      if isCopy {
        color = Self.product(color, share)
        rest = 255 &- share
      }
      if rest != 0 {
        let backdrop = SIMD4<UInt32>(truncatingIfNeeded: unsafe address.loadUnaligned(as: SIMD4<UInt8>.self))
        color = pointwiseMin(color &+ Self.product(backdrop, rest), SIMD4(repeating: 255))
      }
      unsafe address.storeBytes(of: SIMD4<UInt8>(truncatingIfNeeded: color) | skipped, as: SIMD4<UInt8>.self)
    }
  }

  /// Draws pixels of one byte: a shade or alpha.
  @unsafe
  private func drawSingleBytes(
    _ source: RowSource, _ row: UnsafeMutableRawBufferPointer, _ range: Range<Int>, left: Int, coverage: [Float]?
  ) {
    for column in range {
      let index = column - left
      let share: UInt32 = if let coverage { UInt32(widening: coverage[index].byte) } else { 255 }
      if share == 0 { continue }
      let color = SIMD4<UInt32>(truncatingIfNeeded: source.bytes(index))
      let value = place.alpha == nil ? color.x : color.w
      let factor = ByteFraction.product(alpha, share)
      let rest = 255 - (isCopy ? share : ByteFraction.product(color.w, factor))
      let kept = ByteFraction.product(UInt32(widening: unsafe row[column]), rest)
      unsafe row[column] = UInt8(truncatingIfNeeded: min(ByteFraction.product(value, factor) + kept, 255))
    }
  }

  @inline(__always)
  private static func product(_ color: SIMD4<UInt32>, _ factor: UInt32) -> SIMD4<UInt32> {
    if factor == 255 { return color }
    let product = color &* factor &+ 128
    return (product &+ product &>> 8) &>> 8
  }
}
