import MartletTensor

/// A FlatBuffer with bounds checks and a work limit: the state shared by all tables read from one buffer.
///
/// Offsets in a FlatBuffer point forward, so that following them terminates. But many offsets may refer to the same bytes, and a small
/// malicious buffer could expand to a huge amount of data. The reader therefore counts the bytes it visits and fails after `visitFactor`
/// times the size of the buffer, which no writer reaches.
///
/// Source: the FlatBuffers binary format ("FlatBuffer Internals").
@safe
@usableFromInline package final class FlatBufferReader {
  /// The buffer; offsets in errors are absolute in its owner.
  @usableFromInline package let buffer: ByteView
  /// Address and size of the buffer, cached for fast loads. `buffer` keeps the memory alive.
  @usableFromInline nonisolated(unsafe) let start: UnsafeRawPointer
  @usableFromInline let byteCount: Int
  private var bytesLeftToVisit: Int

  private static let visitFactor = 8
  private static let visitAllowance = 1 << 16

  package init(_ buffer: ByteView) {
    self.buffer = buffer
    unsafe self.start = buffer.unsafeBaseAddress
    self.byteCount = buffer.count
    self.bytesLeftToVisit = max((Extent(buffer.count) * Self.visitFactor).clamped, Self.visitAllowance)
  }

  /// The root table.
  ///
  /// - Throws: `FileError` if the buffer is too short, the root offset is out of bounds, or the root is not a table.
  package func root() throws(FileError) -> FlatBufferTable {
    let offset = try buffer.load(UInt32.self, at: 0, field: "root offset")
    guard offset >= 4, Int(widening: offset) < buffer.count else {
      throw buffer.error(field: "root offset", "the root table at byte \(offset) is outside of the buffer of \(buffer.count) bytes")
    }
    return try FlatBufferTable(self, at: Int(widening: offset))
  }

  /// Whether the file identifier (bytes 4..<8) is `identifier`.
  package func hasIdentifier(_ identifier: StaticString) -> Bool { buffer.hasBytes(identifier, at: 4) }

  /// Accounts for `byteCount` bytes about to be read at `position`.
  @usableFromInline func visit(_ byteCount: Int, at position: Int) throws(FileError) {
    bytesLeftToVisit -= byteCount
    guard bytesLeftToVisit >= 0 else {
      throw buffer.error(at: position, "the same bytes are referenced too often: the content expands beyond any plausible size")
    }
  }

  /// Whether `count` bytes at `position` lie within the buffer. `count` must not be negative.
  @inlinable @inline(__always) func contains(position: Int, count: Int) -> Bool {
    position >= 0 && position <= byteCount && count <= byteCount - position
  }

  /// The integer at `position`.
  ///
  /// - Throws: `FileError` if it is not within the buffer.
  @inlinable @inline(__always) func load<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at position: Int) throws(FileError)
    -> Value
  {
    guard contains(position: position, count: MemoryLayout<Value>.size) else { return try buffer.load(type, at: position) }
    return unsafe unsafeLoad(type, at: position)
  }

  /// The integer at `position`, which must lie within the buffer.
  @unsafe @inlinable @inline(__always) func unsafeLoad<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at position: Int)
    -> Value
  {
    unsafe Value(littleEndian: start.loadUnaligned(fromByteOffset: position, as: Value.self))
  }

  /// The target of the forward offset stored at `position`.
  @usableFromInline func target(ofOffsetAt position: Int) throws(FileError) -> Int {
    let offset = try load(UInt32.self, at: position)
    let target = position + Int(widening: offset)
    guard offset != 0, target <= byteCount - 4 else {
      throw buffer.error(at: position, "an offset of \(offset) points outside the buffer")
    }
    return target
  }

  /// Position of the first element and the count of the vector at `position`.
  @usableFromInline func vector(at position: Int, elementByteCount: Int) throws(FileError) -> (start: Int, count: Int) {
    let count = Int(widening: try load(UInt32.self, at: position))
    let start = position + 4
    // Cannot overflow: a 32-bit count times a size of at most 8.
    guard contains(position: start, count: count * elementByteCount) else {
      throw buffer.error(
        at: position, "a vector of \(count) elements of \(elementByteCount) bytes exceeds the \(buffer.count - start) bytes that follow")
    }
    return (start, count)
  }
}
