/// Layout of strided elements of one type.
@safe
package struct ElementPlacement {
  package let dtype: DType
  /// Stride of each axis in elements.
  package let strides: [Int]

  package init(_ dtype: DType, strides: [Int]) {
    self.dtype = dtype
    self.strides = strides
  }
}

/// Copies the elements of an array of `shape` between two layouts, and converts them between element types.
///
/// Floating-point types round to nearest even. Conversions to integer types truncate, clamp to the range of the type, and map NaN to 0. A
/// boolean is true if the value is not 0. 64-bit integers beyond 2^53 are rounded to double precision first. Complex numbers lose their
/// imaginary parts, and get 0 for them.
/// - Precondition: both memory ranges contain the elements, do not overlap, and are aligned for them.
package func copyElements(
  shape: [Int], from source: UnsafeRawPointer, _ sourcePlacement: ElementPlacement, to target: UnsafeMutableRawPointer,
  _ targetPlacement: ElementPlacement
) {
  let sourceType = sourcePlacement.dtype
  let targetType = targetPlacement.dtype
  precondition(shape.count == sourcePlacement.strides.count && shape.count == targetPlacement.strides.count)
  if shape.contains(0) { return }
  // Merge axes that are contiguous in both layouts.
  var axes: [(extent: Int, source: Int, target: Int)] = []
  for (axis, extent) in shape.enumerated() where extent != 1 {
    let strides = (sourcePlacement.strides[axis], targetPlacement.strides[axis])
    if let last = axes.last, last.source == strides.0 * extent, last.target == strides.1 * extent {
      axes[axes.count - 1] = (last.extent * extent, strides.0, strides.1)
    } else {
      axes.append((extent, strides.0, strides.1))
    }
  }
  let row = axes.popLast() ?? (1, 1, 1)
  var index = [Int](repeating: 0, count: axes.count)
  var sourceOffset = 0
  var targetOffset = 0
  while true {
    let from = unsafe source + sourceOffset * sourceType.byteCount
    let to = unsafe target + targetOffset * targetType.byteCount
    if sourceType == targetType {
      unsafe copyRow(row, byteCount: sourceType.byteCount, from, to)
    } else {
      unsafe convertRow(row, from, sourceType, to, targetType)
    }
    var axis = axes.count - 1
    while axis >= 0 {
      index[axis] += 1
      sourceOffset += axes[axis].source
      targetOffset += axes[axis].target
      if index[axis] < axes[axis].extent { break }
      sourceOffset -= axes[axis].extent * axes[axis].source
      targetOffset -= axes[axis].extent * axes[axis].target
      index[axis] = 0
      axis -= 1
    }
    if axis < 0 { return }
  }
}

private typealias Row = (extent: Int, source: Int, target: Int)

private func copyRow(_ row: Row, byteCount: Int, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
  func copy<Element: BitwiseCopyable>(_ type: Element.Type) {
    let source = unsafe source.assumingMemoryBound(to: type)
    let target = unsafe target.assumingMemoryBound(to: type)
    for index in 0..<row.extent { unsafe target[index * row.target] = source[index * row.source] }
  }
  if row.source == 1, row.target == 1 {
    unsafe target.copyMemory(from: source, byteCount: row.extent * byteCount)
    return
  }
  switch byteCount {
  case 1: copy(UInt8.self)
  case 2: copy(UInt16.self)
  case 4: copy(UInt32.self)
  case 8: copy(UInt64.self)
  default: copy(SIMD2<UInt64>.self)
  }
}

/// Converts by way of double precision, which is exact for all but 64-bit integers and the imaginary parts of complex numbers.
private func convertRow(
  _ row: Row, _ source: UnsafeRawPointer, _ sourceType: DType, _ target: UnsafeMutableRawPointer, _ targetType: DType
) {
  let chunk = 256
  unsafe withUnsafeTemporaryAllocation(of: Double.self, capacity: chunk) { numbers in
    var start = 0
    while start < row.extent {
      let count = min(chunk, row.extent - start)
      unsafe load(count, from: source + start * row.source * sourceType.byteCount, sourceType, stride: row.source, numbers.baseAddress!)
      unsafe store(count, numbers.baseAddress!, to: target + start * row.target * targetType.byteCount, targetType, stride: row.target)
      start += count
    }
  }
}

private func load(
  _ count: Int, from source: UnsafeRawPointer, _ dtype: DType, stride: Int, _ numbers: UnsafeMutablePointer<Double>
) {
  func each<Element>(_ type: Element.Type, _ convert: (Element) -> Double) {
    let source = unsafe source.assumingMemoryBound(to: type)
    for index in 0..<count { unsafe numbers[index] = convert(source[index * stride]) }
  }
  switch dtype {
  case .float64: each(Double.self) { $0 }
  case .float32: each(Float.self) { Double($0) }
  case .float16: each(Float16.self) { Double($0) }
  case .bfloat16: each(UInt16.self) { Double(Float(bfloat16Bits: $0)) }
  case .int8: each(Int8.self) { Double($0) }
  case .int16: each(Int16.self) { Double($0) }
  case .int32: each(Int32.self) { Double($0) }
  case .uint8: each(UInt8.self) { Double($0) }
  case .uint16: each(UInt16.self) { Double($0) }
  case .uint32: each(UInt32.self) { Double($0) }
  case .bool: each(UInt8.self) { $0 == 0 ? 0 : 1 }
  case .int64: each(Int64.self) { Double($0) }
  case .uint64: each(UInt64.self) { Double($0) }
  case .complex64: each(SIMD2<Float>.self) { Double($0.x) }
  case .complex128: each(SIMD2<Double>.self) { $0.x }
  }
}

private func store(
  _ count: Int, _ numbers: UnsafePointer<Double>, to target: UnsafeMutableRawPointer, _ dtype: DType, stride: Int
) {
  func each<Element>(_ type: Element.Type, _ convert: (Double) -> Element) {
    let target = unsafe target.assumingMemoryBound(to: type)
    for index in 0..<count { unsafe target[index * stride] = convert(numbers[index]) }
  }
  func integers<Element: FixedWidthInteger>(_ type: Element.Type) {
    each(type) { number in
      let whole = number.rounded(.towardZero)
      return Element(exactly: whole) ?? (number.isNaN ? 0 : number < 0 ? Element.min : Element.max)
    }
  }
  switch dtype {
  case .float64: each(Double.self) { $0 }
  case .float32: each(Float.self) { Float($0) }
  case .float16: each(Float16.self) { Float16($0) }
  case .int8: integers(Int8.self)
  case .int16: integers(Int16.self)
  case .int32: integers(Int32.self)
  case .uint8: integers(UInt8.self)
  case .uint16: integers(UInt16.self)
  case .uint32: integers(UInt32.self)
  case .bool: each(UInt8.self) { $0 == 0 ? 0 : 1 }
  case .bfloat16: each(UInt16.self) { Float($0).bfloat16Bits }
  case .int64: integers(Int64.self)
  case .uint64: integers(UInt64.self)
  case .complex64: each(SIMD2<Float>.self) { SIMD2(Float($0), 0) }
  case .complex128: each(SIMD2<Double>.self) { SIMD2($0, 0) }
  }
}

extension Float {
  /// The value of a bfloat16 number: the upper half of a float32.
  init(bfloat16Bits bits: UInt16) { self.init(bitPattern: UInt32(widening: bits) << 16) }

  /// The bfloat16 number nearest to the value, ties to even.
  var bfloat16Bits: UInt16 {
    if isNaN { return 0x7FC0 }
    let bits = UInt64(widening: bitPattern)
    return UInt16(truncatingIfNeeded: (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)
  }
}
