import MartletTensor

/// The source of a row's colours.
enum RowSource {
  case color(Pixel)
  /// Red, green, blue and alpha of 8 bits for each pixel, multiplied by alpha.
  case bytes([UInt8])
  case pixels([Pixel])

  /// Nil for any number.
  var count: Int? {
    switch self {
    case .color: nil
    case .bytes(let bytes): bytes.count / 4
    case .pixels(let pixels): pixels.count
    }
  }

  func bytes(_ index: Int) -> SIMD4<UInt8> {
    guard case .bytes(let bytes) = self else { return pixel(index).bytes }
    let start = 4 * index
    return SIMD4(bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
  }

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
  /// True if pixels are bytes that hold up to three colours.
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
      // Stored components are multiplied by alpha.
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
