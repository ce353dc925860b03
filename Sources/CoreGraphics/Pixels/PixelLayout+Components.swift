import MartletTensor

extension PixelLayout {
  /// Components of a row as numbers: unsigned ones as 0…1, floating-point ones as they are.
  ///
  /// - Parameters:
  ///   - row: the bytes of the row.
  ///   - body: called for each pixel with its position among `columns`, its colour components (at most four) and alpha (1 without).
  @unsafe
  package func read(_ row: UnsafeRawBufferPointer, columns: Range<Int>, _ body: (Int, SIMD4<Float>, Float) -> Void) {
    let scale = isFloat ? 1 : 1 / Float((1 << bitsPerComponent) - 1)
    for column in columns {
      // In range: the row has the bits of all its columns.
      let start = column * bitsPerPixel
      var color = SIMD4<Float>.zero
      for index in 0..<min(colorCount, 4) {
        color[index] = unsafe number(row, start + colorStart + index * bitsPerComponent, scale)
      }
      let alpha: Float = if let alphaStart { unsafe number(row, start + alphaStart, scale) } else { 1 }
      body(column - columns.lowerBound, color, alpha)
    }
  }

  @unsafe
  @inline(__always)
  private func number(_ row: UnsafeRawBufferPointer, _ bit: Int, _ scale: Float) -> Float {
    let bits = unsafe bits(row, bit)
    if !isFloat { return Float(bits) * scale }
    return bitsPerComponent == 32 ? Float(bitPattern: bits) : Float(Float16(bitPattern: UInt16(truncatingIfNeeded: bits)))
  }

  /// The bits of the component that begins at `bit`.
  @unsafe
  @inline(__always)
  func bits(_ row: UnsafeRawBufferPointer, _ bit: Int) -> UInt32 {
    let first = bit >> 3
    switch bitsPerComponent {
    case 8 where bit & 7 == 0: return UInt32(widening: unsafe row[first ^ byteSwap])
    case 16 where bit & 7 == 0:
      return UInt32(widening: unsafe row[first ^ byteSwap]) << 8 | UInt32(widening: unsafe row[(first + 1) ^ byteSwap])
    default:
      var value: UInt64 = 0
      let last = (bit + bitsPerComponent - 1) >> 3
      for index in first...last { value = value << 8 | UInt64(widening: unsafe row[index ^ byteSwap]) }
      let below = UInt64(truncatingIfNeeded: (last + 1) * 8 - bit - bitsPerComponent)
      return UInt32(truncatingIfNeeded: value >> below & ((1 << UInt64(truncatingIfNeeded: bitsPerComponent)) - 1))
    }
  }

  /// Writes components into a row, at the places where `read` finds them. Bits beside them keep their values, except for a component that
  /// is skipped, which gets its greatest number.
  @unsafe
  func write(_ row: UnsafeMutableRawBufferPointer, column: Int, color: SIMD4<Float>, alpha: Float) {
    let start = column * bitsPerPixel
    for index in 0..<min(colorCount, 4) {
      unsafe setBits(row, start + colorStart + index * bitsPerComponent, encoded(color[index]))
    }
    if let alphaStart { unsafe setBits(row, start + alphaStart, encoded(alpha)) }
    if alphaInfo == .noneSkipLast || alphaInfo == .noneSkipFirst, bitsPerComponent >= 8 {
      let skipped = alphaInfo == .noneSkipFirst ? colorStart - bitsPerComponent : colorCount * bitsPerComponent
      unsafe setBits(row, start + skipped, encoded(1))
    }
  }

  private func encoded(_ value: Float) -> UInt32 {
    if isFloat { return bitsPerComponent == 32 ? value.bitPattern : UInt32(widening: Float16(value).bitPattern) }
    let greatest = Float((1 << bitsPerComponent) - 1)
    return UInt32(truncatingIfNeeded: Int32(value > 0 ? min(value, 1) * greatest + 0.5 : 0))
  }

  @unsafe
  private func setBits(_ row: UnsafeMutableRawBufferPointer, _ bit: Int, _ bits: UInt32) {
    let first = bit >> 3
    let last = (bit + bitsPerComponent - 1) >> 3
    let below = UInt64(truncatingIfNeeded: (last + 1) * 8 - bit - bitsPerComponent)
    let mask = ((UInt64(1) << UInt64(truncatingIfNeeded: bitsPerComponent)) - 1) << below
    var value: UInt64 = 0
    for index in first...last { value = value << 8 | UInt64(widening: unsafe row[index ^ byteSwap]) }
    value = value & ~mask | UInt64(widening: bits) << below
    for index in (first...last).reversed() {
      unsafe row[index ^ byteSwap] = UInt8(truncatingIfNeeded: value)
      value >>= 8
    }
  }
}
