package import MartletTensor
package import MartletVocabulary

/// Rows of a quantised table, dequantised: `(value - zeroPoint) * scale`.
package struct QuantizedTable: Sendable {
  package var packing: TablePacking
  /// Number of rows, elements per row, and equal groups per row. Each group has its own scale.
  package var rows: Int
  package var width: Int
  package var groups: Int
  /// True if negative indices count from the end; otherwise they are out of range.
  package var allowsNegative: Bool

  package init(_ packing: TablePacking, rows: Int, width: Int, groups: Int, allowsNegative: Bool = false) {
    self.packing = packing
    self.rows = rows
    self.width = width
    self.groups = groups
    self.allowsNegative = allowsNegative
  }

  /// A kernel that looks up `indices` (int64, dense) and writes consecutive float32 rows.
  /// - Parameters: the bytes of `table` are row-major; `scales` and `zeroPoints` are float32 [rows, groups].
  /// - Throws: at run time, `KernelError` for an index out of range.
  package func kernel(
    table: TensorView, scales: TensorView, zeroPoints: TensorView?, indices: TensorView, to target: TensorView
  ) -> Kernel {
    let count = indices.elementCount
    return { context in
      let indices = context.elements(indices, as: Int64.self)
      let lowest = allowsNegative ? -rows : 0
      for position in 0..<count where indices[position] < lowest || indices[position] >= rows {
        throw KernelError("index \(indices[position]) is out of range for a table of \(rows) rows")
      }
      let bytes = context.elements(table, as: UInt8.self)
      let scales = context.elements(scales, as: Float.self)
      let zeroPoints = zeroPoints.map { context.elements($0, as: Float.self) }
      let target = context.elements(target, as: Float.self)
      let group = groups == 0 ? 1 : width / groups
      context.parallelRanges(count, grain: max(1, 8192 / max(width, 1))) { range, _ in
        for position in range {
          let index = Int(indices[position])
          let row = index < 0 ? index + rows : index
          for number in 0..<groups {
            let scale = scales[row * groups + number]
            let zero = zeroPoints.map { $0[row * groups + number] } ?? 0
            dequantize(
              bytes, at: row * (width / packing.perByte), number * group..<(number + 1) * group, scale, zero, target,
              at: position * width)
          }
        }
      }
    }
  }

  @inline(__always)
  private func dequantize(
    _ bytes: Elements<UInt8>, at row: Int, _ range: Range<Int>, _ scale: Float, _ zero: Float, _ target: Elements<Float>,
    at first: Int
  ) {
    switch packing {
    case .int8: for k in range { target[first + k] = (Float(Int8(bitPattern: bytes[row + k])) - zero) * scale }
    case .uint8: for k in range { target[first + k] = (Float(bytes[row + k]) - zero) * scale }
    case .int4:
      for k in range {
        let byte = bytes[row + (k >> 1)]
        let value = k & 1 == 0 ? byte >> 4 : byte & 15
        target[first + k] = (Float(Int(value) - 8) - zero) * scale
      }
    case .lowInt4:
      for k in range {
        let byte = bytes[row + (k >> 1)]
        target[first + k] = (Float(Int8(bitPattern: k & 1 == 0 ? byte << 4 : byte & 0xf0) >> 4) - zero) * scale
      }
    case .lowUInt4:
      for k in range {
        let byte = bytes[row + (k >> 1)]
        target[first + k] = (Float(k & 1 == 0 ? byte & 15 : byte >> 4) - zero) * scale
      }
    case .int2:
      for k in range {
        let value = bytes[row + (k >> 2)] >> UInt8(2 * (k & 3)) & 3
        target[first + k] = (Float(Int(value) - 2) - zero) * scale
      }
    }
  }
}
