import MartletBytes
import MartletTensor

extension EValue {
  /// Reads an `EValue` table. Indices in lists are checked later because they may refer to later values.
  init(_ value: FlatBufferTable, storage: ProgramStorage, bufferSizes: [Int]) throws(FileError) {
    self =
      try value.union(0, "val") { (tag, table) throws(FileError) in
        switch tag {
        case 1: EValue.none
        case 2: .int(try table.integer(0, "int_val"))
        case 3: .bool(try table.bool(0, "bool_val"))
        case 4: .double(try table.double(0, "double_val"))
        case 5: .tensor(try ProgramTensor(table, storage: storage, bufferSizes: bufferSizes))
        case 6: .string(try table.string(0, "string_val") ?? "")
        case 7: .intList(try table.ints(0, "items", of: Int64.self) ?? [])
        case 8: .doubleList(try table.doubles(0, "items") ?? [])
        case 9: .boolList(try table.bools(0, "items") ?? [])
        case 10: .tensorList(try table.ints(0, "items", of: Int32.self) ?? [])
        case 11:
          .optionalTensorList((try table.integers(0, "items", of: Int32.self) ?? []).map { $0 == -1 ? nil : Int(widening: $0) })
        default: throw table.error("\(tag) is not a known kind of value")
        }
      } ?? EValue.none
  }
}

extension ProgramTensor {
  /// Reads a `Tensor` table.
  fileprivate convenience init(_ tensor: FlatBufferTable, storage: ProgramStorage, bufferSizes: [Int]) throws(FileError) {
    let layout = try TensorLayout(of: tensor, scalarTypeSlot: 0, sizesSlot: 2, dimOrderSlot: 3)
    let storageOffset: Int32 = try tensor.integer(1, "storage_offset")
    guard storageOffset == 0 else {
      throw tensor.error("\(storageOffset) is not supported, only 0", field: "storage_offset")
    }
    let dynamism: Int8 = try tensor.integer(8, "shape_dynamism")
    guard let shapeDynamism = ShapeDynamism(rawValue: dynamism) else {
      throw tensor.error("\(dynamism) is not a known kind of shape", field: "shape_dynamism")
    }
    let dataBufferIndex: UInt32 = try tensor.integer(5, "data_buffer_idx")
    let extra = try tensor.table(9, "extra_tensor_info") { (table) throws(FileError) in try ExtraInfo(table) }
    let location = try tensor.table(6, "allocation_info") { (table) throws(FileError) in
      try PlannedLocation(table, byteCount: layout.byteCount ?? 0, bufferSizes: bufferSizes)
    }

    let index = Int(widening: dataBufferIndex)
    let data: Data
    if let extra, extra.isExternal {
      guard let name = extra.qualifiedName, !name.isEmpty else {
        throw tensor.error("external data needs a name", field: "extra_tensor_info.fully_qualified_name")
      }
      data = .external(name: name, location)
    } else if index == 0 {
      data = if let location { .planned(location) } else { .callerProvided }
    } else {
      guard let byteCount = layout.byteCount else {
        throw tensor.error("data of type \(layout.scalarType) is not supported", field: "scalar_type")
      }
      if let location {
        let bytes = try storage.initialValue(index, list: extra?.mutableDataList ?? 0, byteCount: byteCount, for: tensor)
        data = .mutableInitialized(bytes, location)
      } else {
        data = .constant(try storage.constant(index, byteCount: byteCount, for: tensor))
      }
    }
    self.init(
      layout: layout, data: data, shapeDynamism: shapeDynamism, requiresGrad: try tensor.bool(4, "requires_grad"),
      qualifiedName: extra?.qualifiedName, device: extra?.device ?? .cpu, dataBufferIndex: index)
  }
}

/// Optional properties of a tensor: `ExtraTensorInfo`.
private struct ExtraInfo {
  let mutableDataList: UInt64
  let qualifiedName: String?
  let isExternal: Bool
  let device: Device

  init(_ table: FlatBufferTable) throws(FileError) {
    mutableDataList = try table.integer(0, "mutable_data_segments_idx")
    qualifiedName = try table.string(1, "fully_qualified_name")
    let location: Int8 = try table.integer(2, "location")
    guard location == 0 || location == 1 else { throw table.error("\(location) is not a known data location", field: "location") }
    isExternal = location == 1
    device = Device(type: try table.integer(3, "device_type"), index: try table.integer(4, "device_index"))
  }
}

extension ProgramTensor.PlannedLocation {
  /// Reads an `AllocationDetails` table for a tensor of `byteCount` bytes.
  fileprivate init(_ table: FlatBufferTable, byteCount: Int, bufferSizes: [Int]) throws(FileError) {
    let memoryID: UInt32 = try table.integer(0, "memory_id")
    let low: UInt32 = try table.integer(1, "memory_offset_low")
    let high: UInt32 = try table.integer(2, "memory_offset_high")
    guard memoryID > 0, memoryID < bufferSizes.count else {
      throw table.error("there is no memory area \(memoryID) in \(bufferSizes.count) (area 0 is not for tensors)", field: "memory_id")
    }
    let size = bufferSizes[Int(widening: memoryID)]
    // In range: the sizes are not negative.
    guard let offset = Int(exactly: UInt64(widening: high) << 32 | UInt64(widening: low)), offset <= size, byteCount <= size - offset else {
      throw table.error(
        "\(byteCount) bytes from byte \(UInt64(widening: high) << 32 | UInt64(widening: low)) exceed the \(size) bytes of memory area \(memoryID)",
        field: "memory_offset_low")
    }
    self.memoryID = Int(widening: memoryID)
    self.offset = offset
  }
}
