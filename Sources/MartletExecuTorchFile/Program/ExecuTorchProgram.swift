package import MartletBytes
import MartletTensor

/// The content of a `.pte` file, completely read and checked.
///
/// All types of the model: `ExecuTorchProgram` > `ExecutionPlan` (with `Chain`, `Instruction`, `OperatorName`), `EValue`, `ProgramTensor`
/// (with `TensorLayout`, `Data`), `BackendDelegate`. Constants, segments and payloads are `ByteView`s of the file: the cost of reading
/// depends on the size of the graph, not on that of the weights, whose pages are not touched.
///
/// Sources: `program.fbs` (identifier `ET12`) and `extended_header.cpp` of ExecuTorch. Supported are files with an extended header of 24
/// or 32 bytes and files without one, and constants in a segment or (before late 2024) inside the FlatBuffer.
package struct ExecuTorchProgram: Sendable {
  /// The extended header, which locates the segments outside the FlatBuffer.
  package struct Header: Sendable, Hashable {
    /// Size of the header itself in bytes: 24 in old files, otherwise 32 or more.
    package let byteCount: Int
    /// Size of the FlatBuffer in bytes, from the start of the file.
    package let programByteCount: UInt64
    /// Offset of the first segment; 0 if there are no segments.
    package let segmentBaseOffset: UInt64
    /// Size of all segments in bytes; `nil` in files with the short header.
    package let segmentDataByteCount: UInt64?
  }

  /// The whole file.
  package let file: ByteView
  /// `nil` if the file consists only of a FlatBuffer.
  package let header: Header?
  /// Schema version.
  package let version: UInt32
  package let plans: [ExecutionPlan]
  package let segments: [ByteView]
  /// Named data for delegates.
  package let namedData: [String: ByteView]

  /// Reads the program in `file`.
  ///
  /// - Throws: `FileError` if the content violates the format.
  package init(_ file: ByteView) throws(FileError) {
    let header = try Header(of: file)
    let flatbuffer =
      if let header {
        try file.slice(offset: 0, count: header.programByteCount, field: "extended_header.program_size")
      } else {
        file
      }
    let reader = FlatBufferReader(flatbuffer)
    try reader.requireIdentifier("ET12", format: "ExecuTorch program")
    let table = try locating("program", reader.root)
    let content = try locating("program") { () throws(FileError) in try ProgramContent(table, file: file, header: header) }

    self.file = file
    self.header = header
    self.version = content.version
    self.plans = content.plans
    self.segments = content.storage.segments
    self.namedData = content.namedData
  }

  /// Maps and reads the file at `path`.
  package init(contentsOfPath path: String) throws(FileError) {
    try self.init(MappedFile(contentsOfPath: path).bytes)
  }

  /// The method `name`; the first one if there are several.
  package func plan(named name: String) -> ExecutionPlan? { plans.first { $0.name == name } }
}

extension ExecuTorchProgram.Header {
  /// Reads the header at byte 8; `nil` if there is none.
  fileprivate init?(of file: ByteView) throws(FileError) {
    let start = 8
    guard file.hasBytes("eh00", at: start) else { return nil }
    let byteCount = try file.load(UInt32.self, at: start + 4, field: "extended_header.length")
    guard byteCount >= 24 else {
      throw file.error(at: start + 4, field: "extended_header.length", "\(byteCount) bytes are fewer than the 24 of the shortest header")
    }
    self.byteCount = Int(widening: byteCount)
    programByteCount = try file.load(UInt64.self, at: start + 8, field: "extended_header.program_size")
    segmentBaseOffset = try file.load(UInt64.self, at: start + 16, field: "extended_header.segment_base_offset")
    segmentDataByteCount =
      byteCount >= 32 ? try file.load(UInt64.self, at: start + 24, field: "extended_header.segment_data_size") : nil

    // Some writers set the size to 0 although there is a base, because they do not know the size.
    let size = segmentDataByteCount ?? 0
    guard (Extent(segmentBaseOffset) + Extent(size)).fits(file.count) else {
      throw file.error(
        at: start + 16, field: "extended_header.segment_base_offset",
        "\(size) bytes of segments from byte \(segmentBaseOffset) exceed the file of \(file.count) bytes: it may be truncated")
    }
  }
}
