package import MartletBytes
import MartletTensor

/// The element type of a value.
///
/// Source: `XNNDatatype` of the schema; raw values are the file's.
package enum XNNPACKDataType: Int16, Sendable, Hashable, CaseIterable {
  case float32 = 1
  case float16 = 2
  /// 8-bit integers with a single scale and zero point.
  case qint8 = 3
  case quint8 = 4
  case qint32 = 5
  /// 8-bit integers with a scale per channel.
  case qcint8 = 6
  case qcint32 = 7
  /// 4-bit integers with a scale per channel; see `XNNPACKValue.data`.
  case qcint4 = 8
  /// 8-bit integers quantised dynamically, row by row.
  case qdint8 = 9
  /// 4-bit integers with a scale per block of a channel.
  case qbint4 = 10
  /// Like `qdint8`, packed with the quantisation parameters.
  case qpint8 = 11
  case int32 = 12
  case pfloat32 = 13
  case bfloat16 = 14

  /// Size in bytes of `elementCount` elements in rows (along the last axis) of `rowElementCount` elements. Rows of 4-bit elements occupy
  /// whole bytes.
  ///
  /// - Returns: `nil` on overflow.
  func byteCount(elementCount: Int, rowElementCount: Int) -> Int? {
    let elementByteCount: Int
    switch self {
    case .qint8, .quint8, .qcint8, .qdint8, .qpint8: return elementCount
    case .qcint4, .qbint4:
      guard rowElementCount > 0 else { return 0 }
      return (Extent(elementCount / rowElementCount) * (rowElementCount / 2 + rowElementCount % 2)).value
    case .float16, .bfloat16: elementByteCount = 2
    case .float32, .qint32, .qcint32, .int32, .pfloat32: elementByteCount = 4
    }
    return (Extent(elementCount) * elementByteCount).value
  }
}

/// A value of an XNNPACK graph: a constant, an input or output, or an intermediate result.
package struct XNNPACKValue: Sendable {
  /// Quantisation of stored integers: `real = scale * (stored - zeroPoint)`.
  package enum Quantization: Sendable {
    case perTensor(scale: Float, zeroPoint: Int32)
    /// A scale for each index of `axis`. The zero point is 0, or 8 for 4-bit values.
    case perChannel(axis: Int, scales: Scales)
    /// Scale and zero point are computed at run time for each row; rows span the last `nonBatchRank` axes.
    case perTokenDynamic(nonBatchRank: Int)
    /// Scales `[channel, block]` for blocks of `blockSize` elements of a channel. The zero point is 8.
    case blockwise(axis: Int, blockSize: Int, scales: Scales)
  }

  /// The scales of a value, as stored in the file.
  package struct Scales: Sendable {
    package enum Format: Sendable, Hashable { case float32, bfloat16 }
    package let format: Format
    package let count: Int
    /// `count` values, little-endian.
    package let data: ByteView

    /// The scales converted to `Float`.
    package var values: [Float] {
      unsafe data.withUnsafeBytes { bytes in
        (0..<count).map { index in
          // In bounds: the reader has checked the size of `data`.
          switch format {
          case .float32:
            unsafe Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
          case .bfloat16:
            unsafe Float(
              bitPattern: UInt32(widening: UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))) << 16)
          }
        }
      }
    }
  }

  /// The value's id in the file.
  package let id: UInt32
  package let dataType: XNNPACKDataType
  /// Extents of the axes; upper bounds if the shape is dynamic.
  package let sizes: [Int]
  package let elementCount: Int
  package internal(set) var quantization: Quantization?
  /// The elements of a constant in row-major order; `nil` for other values. 4-bit elements are stored as value + 8, with the even
  /// positions of a row in the low half of a byte. Rows of odd length are padded to a whole byte.
  package let data: ByteView?
  /// Index among the external values; `nil` for internal ones.
  package let externalID: UInt32?
  package let isExternalInput: Bool
  package let isExternalOutput: Bool
  /// Only in old files: nodes read this external input dynamically quantised to this type, row by row.
  package let dynamicQuantization: XNNPACKDataType?
}
