import MartletBytes
import MartletTensor

/// The data that a program's tensors and delegates refer to: segments, constants and initial values.
final class ProgramStorage: Sendable {
  /// Data of tensors: slices of a segment at given offsets, or byte vectors of the FlatBuffer.
  private enum TensorData: Sendable {
    case segment(ByteView, offsets: [UInt64])
    case inline([ByteView?])
  }

  let segments: [ByteView]
  private let constants: TensorData
  private let mutableData: [TensorData]
  private let inlineDelegateData: [ByteView?]

  /// - Parameter program: the root table, `Program`.
  init(_ program: FlatBufferTable, file: ByteView, header: ExecuTorchProgram.Header?) throws(FileError) {
    let base = header?.segmentBaseOffset ?? 0
    let segments = try program.tables(4, "segments") { (segment, _) throws(FileError) in
      try readSegment(segment, of: file, base: base)
    }
    // Index 0 of either form means "not a constant". A single placeholder means that there are no constants.
    let constantSegment = try program.table(5, "constant_segment") { (table) throws(FileError) in
      try Self.subsegments(table, of: segments)
    }
    let inlineCount = try program.tableCount(2, "constant_buffer") ?? 0
    if let constantSegment, case .segment(_, let offsets) = constantSegment, !offsets.isEmpty {
      guard inlineCount == 0 || offsets.count == 1 else {
        throw program.error("constants are both in the flatbuffer and in a segment", field: "constant_buffer")
      }
      constants = constantSegment
    } else {
      constants = .inline(
        try program.tables(2, "constant_buffer") { (buffer, _) throws(FileError) in try buffer.bytes(0, "storage") })
    }
    mutableData = try program.tables(6, "mutable_data_segments") { (table, _) throws(FileError) in
      try Self.subsegments(table, of: segments)
    }
    inlineDelegateData = try program.tables(3, "backend_delegate_data") { (table, _) throws(FileError) in try table.bytes(0, "data") }
    self.segments = segments
  }

  private static func subsegments(_ table: FlatBufferTable, of segments: [ByteView]) throws(FileError) -> TensorData {
    let index: UInt32 = try table.integer(0, "segment_index")
    let offsets = try table.integers(1, "offsets", of: UInt64.self) ?? []
    // A list with only the placeholder needs no segment.
    guard offsets.count > 1 else { return .segment(ByteView.empty, offsets: offsets) }
    guard index < segments.count else {
      throw table.error("there is no segment \(index), only \(segments.count)", field: "segment_index")
    }
    return .segment(segments[Int(widening: index)], offsets: offsets)
  }

  /// The `byteCount` bytes of the constant `index`, which must not be 0.
  func constant(_ index: Int, byteCount: Int, for tensor: FlatBufferTable) throws(FileError) -> ByteView {
    try Self.piece(index, of: constants, byteCount: byteCount, kind: "constants", for: tensor)
  }

  /// The `byteCount` bytes of the initial value `index` in the list `list`.
  func initialValue(_ index: Int, list: UInt64, byteCount: Int, for tensor: FlatBufferTable) throws(FileError) -> ByteView {
    guard list < UInt64(clamping: mutableData.count) else {
      throw tensor.error(
        "there is no list \(list) of initial values, only \(mutableData.count)", field: "extra_tensor_info.mutable_data_segments_idx")
    }
    return try Self.piece(index, of: mutableData[Int(clamping: list)], byteCount: byteCount, kind: "initial values", for: tensor)
  }

  private static func piece(
    _ index: Int, of data: TensorData, byteCount: Int, kind: String, for tensor: FlatBufferTable
  ) throws(FileError) -> ByteView {
    let count =
      switch data {
      case .segment(_, let offsets): offsets.count
      case .inline(let buffers): buffers.count
      }
    guard index < count else {
      throw tensor.error("there is no element \(index) among the \(count) \(kind) of the file", field: "data_buffer_idx")
    }
    switch data {
    case .segment(let segment, let offsets):
      return try segment.slice(offset: offsets[index], count: UInt64(clamping: byteCount), field: "data_buffer_idx")
    case .inline(let buffers):
      guard let buffer = buffers[index] else {
        guard byteCount == 0 else { throw tensor.error("the element \(index) of the \(kind) is empty", field: "data_buffer_idx") }
        return ByteView.empty
      }
      // Writers may pad a buffer, so that it is longer than the tensor.
      return try buffer.slice(offset: 0, count: byteCount, field: "data_buffer_idx")
    }
  }

  /// The payload that a delegate's `BackendDelegateDataReference` refers to.
  func delegatePayload(_ reference: FlatBufferTable) throws(FileError) -> (payload: ByteView, isInline: Bool) {
    let location: Int8 = try reference.integer(0, "location")
    let index: UInt32 = try reference.integer(1, "index")
    switch location {
    case 0:
      guard index < inlineDelegateData.count else {
        throw reference.error("there is no inline delegate data \(index), only \(inlineDelegateData.count)", field: "index")
      }
      return (inlineDelegateData[Int(widening: index)] ?? ByteView.empty, true)
    case 1:
      guard index < segments.count else {
        throw reference.error("there is no segment \(index), only \(segments.count)", field: "index")
      }
      return (segments[Int(widening: index)], false)
    default:
      throw reference.error("\(location) is not a known data location", field: "location")
    }
  }
}

/// The bytes of a `DataSegment`, whose offset is relative to `base` in `file`.
///
/// - Throws: `FileError` if it exceeds the file, or if it has data although the file has no segments (a base of 0).
func readSegment(_ segment: FlatBufferTable, of file: ByteView, base: UInt64) throws(FileError) -> ByteView {
  let offset: UInt64 = try segment.integer(0, "offset")
  let size: UInt64 = try segment.integer(1, "size")
  if size == 0 { return ByteView.empty }
  guard base != 0 else {
    throw segment.error("there are \(size) bytes of data, but the file's header declares no segments", field: "size")
  }
  guard let start = (Extent(base) + Extent(offset)).value else { throw segment.error("the offset \(offset) overflows", field: "offset") }
  return try file.slice(offset: UInt64(clamping: start), count: size)
}

/// Reads a list of `NamedData` (key, segment index), and passes each entry to `body`. Keys must be unique.
func readNamedData(
  _ root: FlatBufferTable, slot: Int, segments: [ByteView],
  _ body: (String, ByteView, FlatBufferTable) throws(FileError) -> Void
) throws(FileError) {
  var seen: Set<String> = []
  _ = try root.tables(slot, "named_data") { (entry, _) throws(FileError) in
    guard let key = try entry.string(0, "key") else { throw entry.error("is missing", field: "key") }
    let index: UInt32 = try entry.integer(1, "segment_index")
    guard index < segments.count else {
      throw entry.error("there is no segment \(index), only \(segments.count)", field: "segment_index")
    }
    guard seen.insert(key).inserted else { throw entry.error("'\(key)' occurs more than once", field: "key") }
    try body(key, segments[Int(widening: index)], entry)
  }
}
