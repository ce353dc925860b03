package import MartletBytes
import MartletTensor

/// The content of a `.ptd` file: named data stored outside programs.
///
/// Source: `flat_tensor.fbs` (identifier `FT01`, header magic `FH01`) of ExecuTorch. The schema before mid-2025 with the same identifier
/// is also supported; it is recognised by the slot of the segments.
package struct FlatTensorFile: Sendable {
  /// A named piece of data.
  package struct Entry: Sendable {
    /// For a tensor, exactly its bytes; otherwise the whole segment.
    package let data: ByteView
    /// `nil` for data that is not a tensor, such as a delegate's.
    package let layout: TensorLayout?
  }

  package let file: ByteView
  /// Schema version.
  package let version: UInt32
  package let entries: [String: Entry]

  /// Reads the content of `file`.
  ///
  /// - Throws: `FileError` if the content violates the format.
  package init(_ file: ByteView) throws(FileError) {
    try FlatBufferReader(file).requireIdentifier("FT01", format: "ExecuTorch data file")
    let header = try Header(of: file)
    // Offsets count from the start of the file, where the root offset is, and must precede the segments' data.
    let flatbuffer = try file.slice(offset: 0, count: header.flatbufferEnd, field: "header.flatbuffer_size")
    let root = try locating("flat_tensor", FlatBufferReader(flatbuffer).root)
    var entries: [String: Entry] = [:]
    try locating("flat_tensor") { () throws(FileError) in
      let isOldSchema = try root.contains(3)
      let segments = try root.tables(isOldSchema ? 3 : 1, "segments") { (segment, _) throws(FileError) in
        try readSegment(segment, of: file, base: header.segmentBaseOffset)
      }
      if isOldSchema {
        _ = try root.tables(2, "tensors") { (table, _) throws(FileError) in
          let (name, entry) = try Self.oldTensor(table, segments: segments)
          guard entries.updateValue(entry, forKey: name) == nil else {
            throw table.error("'\(name)' occurs more than once", field: "fully_qualified_name")
          }
        }
      }
      try readNamedData(root, slot: isOldSchema ? 4 : 2, segments: segments) { (key, segment, table) throws(FileError) in
        let layout =
          isOldSchema
          ? nil
          : try table.table(2, "tensor_layout") { (table) throws(FileError) in
            try TensorLayout(of: table, scalarTypeSlot: 0, sizesSlot: 1, dimOrderSlot: 2)
          }
        let byteCount = layout?.byteCount ?? segment.count
        let data = try segment.slice(offset: 0, count: byteCount, field: "tensor_layout")
        guard entries.updateValue(Entry(data: data, layout: layout), forKey: key) == nil else {
          throw table.error("'\(key)' occurs more than once", field: "key")
        }
      }
    }
    self.file = file
    self.version = try root.integer(0, "version")
    self.entries = entries
  }

  /// Maps and reads the file at `path`.
  package init(contentsOfPath path: String) throws(FileError) {
    try self.init(MappedFile(contentsOfPath: path).bytes)
  }

  /// Reads a `TensorMetadata` table of the old schema: a tensor at an offset in a segment.
  private static func oldTensor(_ table: FlatBufferTable, segments: [ByteView]) throws(FileError) -> (String, Entry) {
    guard let name = try table.string(0, "fully_qualified_name") else {
      throw table.error("is missing", field: "fully_qualified_name")
    }
    let layout = try TensorLayout(of: table, scalarTypeSlot: 1, sizesSlot: 2, dimOrderSlot: 3)
    let index: UInt32 = try table.integer(4, "segment_index")
    let offset: UInt64 = try table.integer(5, "offset")
    guard index < segments.count else {
      throw table.error("there is no segment \(index), only \(segments.count)", field: "segment_index")
    }
    guard let byteCount = layout.byteCount else {
      throw table.error("data of type \(layout.scalarType) is not supported", field: "scalar_type")
    }
    let data = try segments[Int(widening: index)].slice(offset: offset, count: UInt64(clamping: byteCount), field: "offset")
    return (name, Entry(data: data, layout: layout))
  }
}

/// The header at byte 8 of a `.ptd` file.
private struct Header {
  /// End of the FlatBuffer, in bytes from the start of the file.
  let flatbufferEnd: Int
  let segmentBaseOffset: UInt64

  init(of file: ByteView) throws(FileError) {
    let start = 8
    guard file.hasBytes("FH01", at: start) else {
      throw file.error(at: start, field: "header", "the header 'FH01' is missing")
    }
    let byteCount = try file.load(UInt32.self, at: start + 4, field: "header.length")
    guard byteCount >= 40 else {
      throw file.error(at: start + 4, field: "header.length", "\(byteCount) bytes are fewer than the 40 of the header")
    }
    let offset = try file.load(UInt64.self, at: start + 8, field: "header.flatbuffer_offset")
    let size = try file.load(UInt64.self, at: start + 16, field: "header.flatbuffer_size")
    segmentBaseOffset = try file.load(UInt64.self, at: start + 24, field: "header.segment_base_offset")
    let segmentByteCount = try file.load(UInt64.self, at: start + 32, field: "header.segment_data_size")

    guard let flatbufferEnd = (Extent(offset) + Extent(size)).value, flatbufferEnd <= file.count else {
      throw file.error(
        at: start + 8, field: "header.flatbuffer_size",
        "\(size) bytes from byte \(offset) exceed the file of \(file.count) bytes: it may be truncated")
    }
    guard (Extent(segmentBaseOffset) + Extent(segmentByteCount)).fits(file.count) else {
      throw file.error(
        at: start + 24, field: "header.segment_data_size",
        "\(segmentByteCount) bytes of segments from byte \(segmentBaseOffset) exceed the file of \(file.count) bytes: it may be truncated")
    }
    self.flatbufferEnd = flatbufferEnd
  }
}
