import MartletBytes
import MartletTensor

extension XNNPACKValue {
  /// Reads an `XValue` table.
  init(_ value: FlatBufferTable, constants: XNNPACKConstants, externalCount: UInt32) throws(FileError) {
    let result = try value.union(0, "xvalue_union") { (tag, table) throws(FileError) -> XNNPACKValue in
      switch tag {
      case 1:
        return try XNNPACKValue(tensor: table, constants: constants, externalCount: externalCount)
      case 2:
        let tensor = try table.table(0, "tensor_value") { (tensor) throws(FileError) in
          try XNNPACKValue(tensor: tensor, constants: constants, externalCount: externalCount)
        }
        guard var result = tensor else { throw table.error("is missing", field: "tensor_value") }
        result.quantization = try Quantization(table, of: result, constants: constants)
        return result
      default:
        throw table.error("\(tag) is not a known kind of value")
      }
    }
    guard let result else { throw value.error("is missing", field: "xvalue_union") }
    self = result
  }

  /// Reads an `XNNTensorValue` table: a value without quantisation.
  private init(tensor: FlatBufferTable, constants: XNNPACKConstants, externalCount: UInt32) throws(FileError) {
    let typeNumber: Int16 = try tensor.integer(0, "datatype")
    guard let dataType = XNNPACKDataType(rawValue: typeNumber) else {
      throw tensor.error("\(typeNumber) is not a known data type", field: "datatype")
    }
    let sizes = try tensor.ints(2, "dims", of: UInt32.self) ?? []
    let rank: UInt32 = try tensor.integer(1, "num_dims")
    guard rank == sizes.count else {
      throw tensor.error("the rank is \(rank), but there are \(sizes.count) extents", field: "num_dims")
    }
    guard let elementCount = Shape.elementCount(sizes),
      let byteCount = dataType.byteCount(elementCount: elementCount, rowElementCount: sizes.last ?? 1)
    else {
      throw tensor.error("the byte count overflows", field: "dims")
    }
    let flags: UInt32 = try tensor.integer(5, "flags")
    let externalID: UInt32 = try tensor.integer(4, "external_id")
    let isExternal = flags & 3 != 0
    guard flags & ~3 == 0 else { throw tensor.error("the flags \(flags) are unknown", field: "flags") }
    guard !isExternal || externalID < externalCount else {
      throw tensor.error("\(externalID) is out of range for \(externalCount) external values", field: "external_id")
    }
    let constantIndex: UInt32 = try tensor.integer(3, "constant_buffer_idx")
    let dynamicType: Int16 = try tensor.integer(7, "dq_datatype")

    self.id = try tensor.integer(6, "id_out")
    self.dataType = dataType
    self.sizes = sizes
    self.elementCount = elementCount
    self.quantization = nil
    self.data =
      constantIndex == 0
      ? nil : try constants.data(constantIndex, byteCount: byteCount, for: tensor, field: "constant_buffer_idx")
    self.externalID = isExternal ? externalID : nil
    self.isExternalInput = flags & 1 != 0
    self.isExternalOutput = flags & 2 != 0
    if dynamicType == 0 {
      self.dynamicQuantization = nil
    } else {
      guard dynamicType == XNNPACKDataType.qint8.rawValue, isExternalInput else {
        throw tensor.error("\(dynamicType) is not supported, only int8 on an external input", field: "dq_datatype")
      }
      self.dynamicQuantization = .qint8
    }
    guard data == nil || !isExternal else {
      throw tensor.error("an external value cannot be a constant", field: "constant_buffer_idx")
    }
  }
}

extension XNNPACKValue.Quantization {
  /// Reads the union of an `XNNQuantizedTensorValue` table.
  fileprivate init(_ value: FlatBufferTable, of tensor: XNNPACKValue, constants: XNNPACKConstants) throws(FileError) {
    let sizes = tensor.sizes
    let result = try value.union(1, "quant_params") { (tag, table) throws(FileError) -> Self in
      switch tag {
      case 1:
        let axis = try Self.axis(table, 1, sizes: sizes)
        let scales = try XNNPACKValue.Scales(
          table, indexSlot: 2, countSlot: 3, format: .float32, expectedCount: sizes[axis], constants: constants)
        return .perChannel(axis: axis, scales: scales)
      case 2:
        return .perTensor(scale: try table.float(0, "scale"), zeroPoint: try table.integer(1, "zero_point"))
      case 3:
        let nonBatchRank: Int32 = try table.integer(0, "num_nonbatch_dims")
        guard nonBatchRank >= 0, nonBatchRank <= sizes.count else {
          throw table.error("\(nonBatchRank) exceeds the rank \(sizes.count)", field: "num_nonbatch_dims")
        }
        return .perTokenDynamic(nonBatchRank: Int(widening: nonBatchRank))
      case 4:
        let axis = try Self.axis(table, 1, sizes: sizes)
        let size: Int32 = try table.integer(2, "group_size")
        guard size > 0, let last = sizes.last, last % Int(widening: size) == 0 else {
          throw table.error("blocks of \(size) do not divide the last axis of \(sizes)", field: "group_size")
        }
        let scales = try XNNPACKValue.Scales(
          table, indexSlot: 4, countSlot: 5, format: .bfloat16, expectedCount: tensor.elementCount / Int(widening: size),
          constants: constants)
        return .blockwise(axis: axis, blockSize: Int(widening: size), scales: scales)
      default:
        throw table.error("\(tag) is not a known kind of quantization")
      }
    }
    guard let result else { throw value.error("is missing", field: "quant_params") }
    self = result
  }

  private static func axis(_ table: FlatBufferTable, _ slot: Int, sizes: [Int]) throws(FileError) -> Int {
    let axis: Int32 = try table.integer(slot, "channel_dim")
    guard axis >= 0, axis < sizes.count else {
      throw table.error("there is no axis \(axis) in \(sizes)", field: "channel_dim")
    }
    return Int(widening: axis)
  }
}

extension XNNPACKValue.Scales {
  /// Reads scales that are either inline in slot 0, as 32-bit floats, or a constant in `format` whose index is in `indexSlot`.
  fileprivate init(
    _ table: FlatBufferTable, indexSlot: Int, countSlot: Int, format: Format, expectedCount: Int, constants: XNNPACKConstants
  ) throws(FileError) {
    let constantIndex: UInt32 = try table.integer(indexSlot, "scale_buffer_idx")
    if constantIndex == 0 {
      guard let inline = try table.elementBytes(0, "scale", elementByteCount: 4) else {
        throw table.error("is missing", field: "scale")
      }
      self.format = .float32
      count = inline.count / 4
      data = inline
    } else {
      let storedCount: UInt32 = try table.integer(countSlot, "num_scales")
      self.format = format
      count = Int(widening: storedCount)
      // In range: the product of a 32-bit number and 4.
      let byteCount = count * (format == .float32 ? 4 : 2)
      data = try constants.data(constantIndex, byteCount: byteCount, for: table, field: "scale_buffer_idx")
    }
    guard count == expectedCount else {
      throw table.error("there are \(count) scales, but \(expectedCount) are needed", field: "scale")
    }
  }
}
