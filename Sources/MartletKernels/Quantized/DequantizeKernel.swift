package import MartletTensor

/// `(stored - zeroPoint) * scale` in float32, with one scale per block of elements.
package struct DequantizeKernel: Sendable {
  /// Row-major integers of at most 32 bits, or pairs of 4-bit integers (see `isNibbles`).
  package var stored: TensorView
  /// True if each byte of `stored` holds two integers in 0...15, the even element of a row of `output` in the low half. Rows start at whole
  /// bytes.
  package var isNibbles: Bool
  /// Row-major float32, with the rank of `output`. Each extent divides that of `output`.
  package var scales: TensorView
  /// Row-major int32, with the shape of `scales`.
  package var zeroPoints: TensorView?
  /// Added to every zero point.
  package var zeroPoint: Int32
  /// Row-major float32.
  package var output: TensorView

  package init(
    stored: TensorView, isNibbles: Bool, scales: TensorView, zeroPoints: TensorView?, zeroPoint: Int32, output: TensorView
  ) {
    self.stored = stored
    self.isNibbles = isNibbles
    self.scales = scales
    self.zeroPoints = zeroPoints
    self.zeroPoint = zeroPoint
    self.output = output
  }

  /// Minimum number of elements per chunk of work.
  private static let grain = 16 * 1024

  package func kernel() -> Kernel {
    if output.isEmpty { return { _ in } }
    if isNibbles {
      let last = output.shape.last ?? 1
      return kernel(UInt8.self) { bytes, position, count, zeroPoint, scale, result in
        Self.nibbles(bytes, position, count, rowExtent: last, zeroPoint, scale, result)
      }
    }
    return switch stored.dtype {
    case .int8: integers(Int8.self)
    case .uint8: integers(UInt8.self)
    case .int16: integers(Int16.self)
    case .uint16: integers(UInt16.self)
    case .int32: integers(Int32.self)
    default: preconditionFailure("\(stored.dtype) is not a type of stored integers")
    }
  }

  private func integers<T: FixedWidthInteger & BitwiseCopyable & SendableMetatype>(_ type: T.Type) -> Kernel {
    kernel(type) { stored, position, count, zeroPoint, scale, result in
      if T.bitWidth < 32 {
        for index in position..<position + count {
          result[index] = Float(Int32(truncatingIfNeeded: stored[index]) &- zeroPoint) * scale
        }
      } else {
        for index in position..<position + count { result[index] = Float(Int64(stored[index]) - Int64(zeroPoint)) * scale }
      }
    }
  }

  private static func nibbles(
    _ bytes: Elements<UInt8>, _ position: Int, _ count: Int, rowExtent: Int, _ zeroPoint: Int32, _ scale: Float,
    _ result: Elements<Float>
  ) {
    let rowByteCount = (rowExtent + 1) / 2
    var (row, column) = position.quotientAndRemainder(dividingBy: rowExtent)
    for index in position..<position + count {
      let byte = bytes[row * rowByteCount + column / 2]
      result[index] = Float(Int32(column % 2 == 0 ? byte & 15 : byte >> 4) &- zeroPoint) * scale
      column += 1
      if column == rowExtent { (row, column) = (row + 1, 0) }
    }
  }

  /// Calls `convert` for every contiguous run with one scale.
  private func kernel<T: SendableMetatype>(
    _ type: T.Type,
    _ convert: @escaping @Sendable (Elements<T>, _ position: Int, _ count: Int, Int32, Float, Elements<Float>) -> Void
  ) -> Kernel {
    // The innermost axis along which scales differ. All elements within it share one scale.
    let axis = scales.shape.lastIndex { $0 > 1 } ?? 0
    let extents = output.shape.isEmpty ? [1] : output.shape
    let counts = scales.shape.isEmpty ? [1] : scales.shape
    let blocks = zip(extents, counts).map { $0 / $1 }
    let strides = Shape.contiguousStrides(counts)
    let run = extents[(axis + 1)...].reduce(blocks[axis], *)
    let runs = output.elementCount / run
    let me = self
    return { context in
      let stored = context.elements(me.stored, as: type)
      let scales = context.elements(me.scales, as: Float.self)
      let points = me.zeroPoints.map { context.elements($0, as: Int32.self) }
      let result = context.elements(me.output, as: Float.self)
      context.parallelRanges(runs, grain: max(1, Self.grain / run)) { part, _ in
        for number in part {
          var (rest, scale) = number.quotientAndRemainder(dividingBy: counts[axis])
          var outer = axis - 1
          while outer >= 0 {
            let (quotient, index) = rest.quotientAndRemainder(dividingBy: extents[outer])
            scale += index / blocks[outer] * strides[outer]
            rest = quotient
            outer -= 1
          }
          let point = me.zeroPoint &+ (points.map { $0[scale] } ?? 0)
          convert(stored, number * run, run, point, scales[scale], result)
        }
      }
    }
  }
}
