import MartletTensor

/// What is drawn into a row.
enum RowSource {
  case color(Pixel)
  /// Red, green, blue and alpha of 8 bits for each pixel, multiplied by alpha.
  case bytes([UInt8])
  case pixels([Pixel])

  func pixel(_ index: Int) -> Pixel {
    switch self {
    case .color(let color): return color
    case .pixels(let pixels): return pixels[index]
    case .bytes(let bytes):
      let start = 4 * index
      let color = SIMD4<Float>(Float(bytes[start]), Float(bytes[start + 1]), Float(bytes[start + 2]), 0) / 255
      return Pixel(color: color, alpha: Float(bytes[start + 3]) / 255)
    }
  }
}

extension CGContext {
  /// Whether pixels are bytes that hold up to three colours.
  var hasBytes: Bool { layout.byteOffsets != nil && layout.colorCount <= 3 }

  /// Draws a part of a row, within the clip.
  ///
  /// - Parameters:
  ///   - left: the first pixel.
  ///   - count: number of pixels.
  ///   - coverage: how much of each pixel is drawn to; nil for all.
  func composite(row: Int, left: Int, count: Int, coverage: [Float]?, source: RowSource) {
    let clip = state.clipBounds
    guard row >= clip.top, row < clip.bottom else { return }
    let range = max(left, clip.left)..<max(min(left + count, clip.right), max(left, clip.left))
    guard !range.isEmpty else { return }
    var coverage = coverage
    if let mask = state.clipMask {
      var product = coverage ?? [Float](repeating: 1, count: count)
      let start = range.lowerBound - left
      for (index, part) in mask.row(row, from: range.lowerBound).prefix(range.count).enumerated() { product[start + index] *= part }
      coverage = product
    }
    // In range: the row lies within the bitmap.
    let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes[(row * bytesPerRow)...])
    if hasBytes, state.blendMode == .normal || state.blendMode == .copy, let offsets = layout.byteOffsets {
      let place = ByteBlend.Place(offsets, skip: layout.skippedByte)
      let blend = ByteBlend(place: place, isCopy: state.blendMode == .copy, alpha: UInt32(widening: state.alpha.byte))
      unsafe blend.draw(source, bytes, range, left: left, coverage: coverage)
    } else {
      unsafe blend(source, bytes, range, left: left, coverage: coverage)
    }
  }

  /// Blends by numbers, whatever the layout.
  @unsafe
  private func blend(_ source: RowSource, _ row: UnsafeMutableRawBufferPointer, _ range: Range<Int>, left: Int, coverage: [Float]?) {
    let (mode, alpha) = (state.blendMode, state.alpha)
    let count = layout.colorCount
    let isOpaque = layout.alphaStart == nil
    var results: [Pixel] = []
    results.reserveCapacity(range.count)
    unsafe layout.read(UnsafeRawBufferPointer(row), columns: range) { index, color, storedAlpha in
      let place = range.lowerBound - left + index
      // What is stored is multiplied by alpha.
      var backdrop = Pixel(components: color, count: count, alpha: 1)
      backdrop.alpha = isOpaque ? 1 : storedAlpha
      let blended = mode.blend(source.pixel(place) * alpha, over: backdrop)
      let share = coverage?[place] ?? 1
      results.append(share == 1 ? blended : blended * share + backdrop * (1 - share))
    }
    for (index, result) in results.enumerated() {
      let components = count == 4 ? 1 - result.color : result.color
      unsafe layout.write(row, column: range.lowerBound + index, color: components, alpha: result.alpha)
    }
  }
}

extension PixelLayout {
  /// The place of a byte that is skipped in pixels of four bytes.
  var skippedByte: Int? {
    guard bitsPerPixel == 32, alphaInfo == .noneSkipFirst || alphaInfo == .noneSkipLast else { return nil }
    return (alphaInfo == .noneSkipFirst ? 0 : 3) ^ byteSwap
  }
}

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
  }

  let place: Place
  let isCopy: Bool
  /// Opacity of the source, 0…255.
  let alpha: UInt32

  @unsafe
  func draw(_ source: RowSource, _ row: UnsafeMutableRawBufferPointer, _ range: Range<Int>, left: Int, coverage: [Float]?) {
    switch source {
    case .color(let color):
      let bytes = color.bytes
      let constant = SIMD4<UInt32>(truncatingIfNeeded: bytes)
      unsafe draw(row, range, left: left, coverage: coverage) { _ in constant }
    case .bytes(let bytes):
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe draw(row, range, left: left, coverage: coverage) { index in
          let start = 4 * index
          return unsafe SIMD4(
            UInt32(widening: bytes[start]), UInt32(widening: bytes[start + 1]), UInt32(widening: bytes[start + 2]),
            UInt32(widening: bytes[start + 3]))
        }
      }
    case .pixels(let pixels):
      unsafe draw(row, range, left: left, coverage: coverage) { SIMD4<UInt32>(truncatingIfNeeded: pixels[$0].bytes) }
    }
  }

  @unsafe
  @inline(__always)
  private func draw(
    _ row: UnsafeMutableRawBufferPointer, _ range: Range<Int>, left: Int, coverage: [Float]?, _ source: (Int) -> SIMD4<UInt32>
  ) {
    let (count, first, second, third) = (
      place.color.count, place.color.first ?? 0, place.color.count > 1 ? place.color[1] : 0, place.color.count > 2 ? place.color[2] : 0
    )
    for column in range {
      let index = column - left
      let share: UInt32 = if let coverage { UInt32(widening: coverage[index].byte) } else { 255 }
      if share == 0 { continue }
      var color = source(index)
      let rest: UInt32
      if isCopy {
        color = Self.product(Self.product(color, alpha), share)
        rest = 255 - share
      } else {
        color = Self.product(color, ByteFraction.product(alpha, share))
        rest = 255 - color.w
      }
      // In range: the row has the bytes of all its columns.
      let start = column * place.stride
      unsafe mix(row, start + first, color.x, rest, if: count > 0)
      unsafe mix(row, start + second, color.y, rest, if: count > 1)
      unsafe mix(row, start + third, color.z, rest, if: count > 1)
      if let alpha = place.alpha { unsafe mix(row, start + alpha, color.w, rest, if: true) }
      if let skip = place.skip { unsafe row[start + skip] = 255 }
    }
  }

  @inline(__always)
  private static func product(_ color: SIMD4<UInt32>, _ factor: UInt32) -> SIMD4<UInt32> {
    if factor == 255 { return color }
    let product = color &* factor &+ 128
    return (product &+ product &>> 8) &>> 8
  }

  @unsafe
  @inline(__always)
  private func mix(_ row: UnsafeMutableRawBufferPointer, _ position: Int, _ value: UInt32, _ rest: UInt32, if isPresent: Bool) {
    if !isPresent { return }
    let kept = rest == 0 ? 0 : ByteFraction.product(UInt32(widening: unsafe row[position]), rest)
    unsafe row[position] = UInt8(truncatingIfNeeded: min(value + kept, 255))
  }
}
