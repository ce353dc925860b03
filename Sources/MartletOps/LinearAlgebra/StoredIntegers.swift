import MartletGraph
import MartletKernels
import MartletTensor

/// Minimum number of elements of a matrix that is used as it is stored. A smaller one stays in the caches in single precision.
private let fewestElements = 1 << 18

extension NodePlan {
  /// A constant right side [K, N] of products as the N rows of K integers that it is stored as, with their scales; nil if it is stored
  /// otherwise.
  func storedIntegers(_ constant: Constant, rows: Int) throws(OperatorError) -> StoredMatrix? {
    guard constant.type.rank == 2, constant.type.elementCount >= fewestElements, let origin = constant.origin,
      case .blocks(let data, let scales, let offsets, let zeroPoint)? = origin.compression, origin.type.rank == 2
    else { return nil }
    let (columns, depth) = (origin.type.shape[0], origin.type.shape[1])
    guard constant.type.shape == [depth, columns], constant.strides == [1, depth], let blocks = scales.type.shape.last, blocks > 0,
      depth % blocks == 0, scales.type.shape[0] == columns || scales.type.shape[0] == 1
    else { return nil }
    var (stored, bits, isSigned) = (data, 8, data.type.dtype == .int8)
    if case .packed(let stream, let format)? = data.compression {
      guard format.bits == 4, !format.highBitFirst, depth % 2 == 0 else { return nil }
      (stored, bits, isSigned) = (stream, 4, format.isSigned)
    }
    guard stored.isStored, stored.isRowMajor, [.int8, .uint8].contains(stored.type.dtype) else { return nil }
    var common = Float(zeroPoint)
    var points: TensorView?
    do {
      if let offsets {
        let numbers = try offsets.floats()
        if let number = numbers.first, numbers.allSatisfy({ $0 == number }) {
          common += number
        } else if offsets.isStored, offsets.isRowMajor, StoredMatrix.readsZeroPoints(offsets.type.dtype) {
          points = try builder.view(of: offsets)
        } else {
          points = try builder.parameter(offsets, as: .float32)
        }
      }
    } catch {
      throw .invalid("weights cannot be read: \(error)")
    }
    return StoredMatrix(
      values: try storedNumbers(stored, rows: rows), bits: bits, isSigned: isSigned, depth: depth, columns: columns,
      scales: try factors(scales, rows: rows),
      zeroPoints: points, zeroPoint: common)
  }

  /// Scales as kernels read them.
  private func factors(_ scales: Constant, rows: Int) throws(OperatorError) -> TensorView {
    if scales.isStored, scales.isRowMajor, StoredMatrix.reads(scales.type.dtype) { return try storedNumbers(scales, rows: rows) }
    do {
      return try builder.parameter(scales, as: .float32)
    } catch {
      throw .invalid("weights cannot be read: \(error)")
    }
  }
}
