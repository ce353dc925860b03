package import MartletBytes
import MartletTensor

/// The element type of a value.
///
/// Source: `MPSDataType` of the schema; raw values are those of the current schema.
package enum MPSDataType: Int16, Sendable, Hashable, CaseIterable {
  case float16 = 1
  case float32, float64, bfloat16
  case int4, int8, int16, int32, int64
  case uint4, uint8, uint16, uint32, uint64
  case bool
  case complexFloat16, complexFloat32

  /// Size in bytes of `elementCount` elements; 4-bit elements are packed without gaps.
  ///
  /// - Returns: `nil` on overflow.
  func byteCount(elementCount: Int) -> Int? {
    let elementByteCount: Int
    switch self {
    case .int4, .uint4: return elementCount / 2 + elementCount % 2
    case .int8, .uint8, .bool: return elementCount
    case .float16, .bfloat16, .int16, .uint16: elementByteCount = 2
    case .float32, .int32, .uint32, .complexFloat16: elementByteCount = 4
    case .float64, .int64, .uint64, .complexFloat32: elementByteCount = 8
    }
    return (Extent(elementCount) * elementByteCount).value
  }

  var isFloatingPoint: Bool { [.float16, .float32, .float64, .bfloat16].contains(self) }
}

/// A value of an MPS graph: a constant, an input or output, or an intermediate result.
package struct MPSValue: Sendable {
  /// The type of the value in PyTorch. In a half-precision graph, values declared as float32 are computed as float16.
  package let dataType: MPSDataType
  /// Extents of the axes.
  package let sizes: [Int]
  package let elementCount: Int
  /// The elements of a constant in row-major order; `nil` for other values. The even ones of 4-bit elements are in the low half of a byte.
  package let data: ByteView?
  /// The type of the elements in `data`. It differs from `dataType` for a Python number, which exporters store as int64 or float32.
  package let storedType: MPSDataType
}

extension MPSValue {
  /// True unless the bytes of a constant are more than its type and extents require.
  var fitsData: Bool { data == nil || data?.count == storedType.byteCount(elementCount: elementCount) }

  /// Reads an `MPSTensor` table.
  ///
  /// - Parameter isConstant: true if the graph lists the value among its constants.
  init(_ tensor: FlatBufferTable, isConstant: Bool, schema: MPSSchema, segment: ByteView?) throws(FileError) {
    let typeNumber: Int16 = try tensor.integer(0, "datatype")
    guard let dataType = schema.dataType(typeNumber) else {
      throw tensor.error("\(typeNumber) is not a known data type", field: "datatype")
    }
    let sizes = try tensor.ints(2, "dims", of: Int32.self) ?? []
    let rank: Int32 = try tensor.integer(1, "num_dims")
    guard rank == sizes.count else {
      throw tensor.error("the rank is \(rank), but there are \(sizes.count) extents", field: "num_dims")
    }
    if let negative = sizes.first(where: { $0 < 0 }) { throw tensor.error("an extent is \(negative)", field: "dims") }
    guard let elementCount = Shape.elementCount(sizes), let byteCount = dataType.byteCount(elementCount: elementCount) else {
      throw tensor.error("the byte count overflows", field: "dims")
    }
    self.dataType = dataType
    self.sizes = sizes
    self.elementCount = elementCount
    guard isConstant else {
      (data, storedType) = (nil, dataType)
      return
    }
    let stored = try Self.content(of: tensor, segment: segment)
    var storedType = dataType
    if sizes == [1], stored.count != byteCount, let numberType = Self.numberType(byteCount: stored.count, as: dataType) {
      storedType = numberType
    } else {
      guard stored.count >= byteCount else {
        throw tensor.error("\(byteCount) bytes are needed, but there are \(stored.count)", field: "constant_buffer_size")
      }
      // There may be more: exporters write all of the storage of which a tensor is the first part.
    }
    self.storedType = storedType
    self.data = stored
  }

  /// The bytes of a constant: inside its table, or in the segment after the graph.
  private static func content(of tensor: FlatBufferTable, segment: ByteView?) throws(FileError) -> ByteView {
    let inline = try tensor.table(4, "constant_buffer") { (buffer) throws(FileError) in try buffer.bytes(0, "storage") } ?? nil
    if let inline, !inline.isEmpty { return inline }
    guard let segment else { return .empty }
    let offset: UInt64 = try tensor.integer(5, "segment_offset")
    return try segment.slice(offset: offset, count: try tensor.integer(3, "constant_buffer_size"), field: "segment_offset")
  }

  /// The type of a Python number that is stored in `byteCount` bytes, where they do not have the size of its declared type.
  private static func numberType(byteCount: Int, as declared: MPSDataType) -> MPSDataType? {
    switch byteCount {
    case 4 where declared != .complexFloat32: .float32
    case 8: .int64
    default: nil
    }
  }
}
