package import MartletBytes
import MartletTensor

/// A weight file (`weights/weight.bin`): the bytes of tensors, each described by a record. Only requested records are read.
///
/// Layout, little-endian: a header of 64 bytes, `{u32 count, u32 version}` and reserved bytes; then records of 64 bytes, `{u32 sentinel,
/// u32 dtype, u64 byte count, u64 data offset, u64 padding bits}` and reserved bytes, and data, each aligned to 64 bytes. Version 1 has
/// the same layout. The padding and reserved fields are ignored because older writers left them undefined.
package struct WeightFile: Sendable {
  /// The bytes of a tensor.
  package struct Blob: Sendable {
    package let dataType: MILDataType
    /// Mapped, not copied.
    package let data: ByteView
  }

  package static let headerByteCount = 64
  static let sentinel: UInt32 = 0xDEAD_BEEF

  package let file: ByteView
  /// 1 or 2.
  package let version: UInt32
  /// Number of records according to the header.
  package let count: UInt32

  /// - Throws: `FileError` if the file is too short or has an unknown version.
  package init(_ file: ByteView) throws(FileError) {
    guard file.count >= Self.headerByteCount else { throw file.error(field: "header", "\(file.count) bytes are too few for a weight file") }
    version = try file.load(UInt32.self, at: 4, field: "header.version")
    guard version == 1 || version == 2 else { throw file.error(at: 4, field: "header.version", "version \(version) is not known") }
    count = try file.load(UInt32.self, at: 0, field: "header.count")
    self.file = file
  }

  /// The data described by the record at `offset`.
  ///
  /// - Throws: `FileError` if there is no record there or its data exceeds the file.
  package func blob(at offset: UInt64) throws(FileError) -> Blob {
    guard offset >= UInt64(clamping: Self.headerByteCount) else {
      throw file.error(field: "record", "a record at byte \(offset) overlaps the header")
    }
    let record = try file.slice(offset: offset, count: 64, field: "record")
    let sentinel = try record.load(UInt32.self, at: 0, field: "record.sentinel")
    guard sentinel == Self.sentinel else { throw record.error(field: "record.sentinel", "there is no record here") }
    let number = try record.load(UInt32.self, at: 4, field: "record.dtype")
    guard let dataType = Self.dataType(number) else {
      throw record.error(at: 4, field: "record.dtype", "\(number) is not a known element type")
    }
    let byteCount = try record.load(UInt64.self, at: 8, field: "record.sizeInBytes")
    let dataOffset = try record.load(UInt64.self, at: 16, field: "record.offset")
    return Blob(dataType: dataType, data: try file.slice(offset: dataOffset, count: byteCount, field: "record.offset"))
  }

  /// The element type for its number in the file.
  package static func dataType(_ number: UInt32) -> MILDataType? {
    switch number {
    case 1: .float16
    case 2: .float32
    case 3: .uint8
    case 4: .int8
    case 5: .bfloat16
    case 6: .int16
    case 7: .uint16
    case 8: .int4
    case 9: .uint1
    case 10: .uint2
    case 11: .uint4
    case 12: .uint3
    case 13: .uint6
    case 14: .int32
    case 15: .uint32
    case 16: .float8E4M3FN
    case 17: .float8E5M2
    default: nil
    }
  }
}
