import MartletTensor

/// A range of bytes in a `MappedFile`, which it keeps alive. Copying a view does not copy bytes.
///
/// Every offset is relative to the view and checked against its bounds. Integers are little-endian and need not be aligned.
@usableFromInline package struct ByteView: Sendable {
  /// The file or memory that holds the bytes.
  @usableFromInline package let owner: MappedFile
  /// Offset of the first byte from the start of `owner`.
  @usableFromInline package let offset: Int
  /// Number of bytes in the view.
  @usableFromInline package let count: Int

  /// All bytes of `owner`.
  package init(of owner: MappedFile) {
    self.owner = owner
    self.offset = 0
    self.count = owner.byteCount
  }

  private init(owner: MappedFile, offset: Int, count: Int) {
    self.owner = owner
    self.offset = offset
    self.count = count
  }

  package var isEmpty: Bool { count == 0 }

  /// An empty view.
  package static let empty = ByteView(of: MappedFile(copying: [], name: "<empty>"))

  /// Whether `count` bytes at `offset` lie within the view.
  @inlinable package func contains(offset: Int, count: Int) -> Bool {
    offset >= 0 && count >= 0 && offset <= self.count && count <= self.count - offset
  }

  /// The `count` bytes at `offset`.
  ///
  /// - Throws: `FileError` naming `field` if the range is not within the view.
  @usableFromInline package func slice(offset: Int, count: Int, field: @autoclosure () -> String = "") throws(FileError) -> ByteView {
    guard contains(offset: offset, count: count) else {
      throw error(at: offset, field: field(), "\(count) bytes from byte \(offset) exceed the \(self.count) available bytes")
    }
    return ByteView(owner: owner, offset: self.offset + offset, count: count)
  }

  /// Same as `slice(offset:count:field:)`, for values read from a file: also rejects values beyond `Int`.
  package func slice(offset: UInt64, count: UInt64, field: @autoclosure () -> String = "") throws(FileError) -> ByteView {
    guard let start = Int(exactly: offset), let byteCount = Int(exactly: count) else {
      throw error(field: field(), "\(count) bytes from byte \(offset) exceed the \(self.count) available bytes")
    }
    return try slice(offset: start, count: byteCount, field: field())
  }

  /// The bytes from `offset` to the end.
  package func suffix(from offset: Int, field: @autoclosure () -> String = "") throws(FileError) -> ByteView {
    guard offset >= 0, offset <= count else {
      throw error(at: offset, field: field(), "byte \(offset) is beyond the \(count) available bytes")
    }
    return ByteView(owner: owner, offset: self.offset + offset, count: count - offset)
  }

  /// The integer at `offset`.
  ///
  /// - Throws: `FileError` naming `field` if the integer is not within the view.
  @inlinable package func load<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type, at offset: Int, field: @autoclosure () -> String = ""
  ) throws(FileError) -> Value {
    guard contains(offset: offset, count: MemoryLayout<Value>.size) else {
      throw error(
        at: offset, field: field(), "a value of \(MemoryLayout<Value>.size) bytes at byte \(offset) exceeds the \(count) available bytes")
    }
    // In bounds by the check above; `owner` is alive.
    return unsafe Value(littleEndian: unsafeBaseAddress.loadUnaligned(fromByteOffset: offset, as: Value.self))
  }

  /// Whether the bytes at `offset` equal `text` in UTF-8.
  package func hasBytes(_ text: StaticString, at offset: Int) -> Bool {
    guard contains(offset: offset, count: text.utf8CodeUnitCount) else { return false }
    return unsafe withUnsafeBytes { bytes in
      // In bounds by the check above.
      let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      return unsafe bytes[offset..<offset + text.utf8CodeUnitCount].elementsEqual(wanted)
    }
  }

  /// The bytes as a string.
  ///
  /// - Throws: `FileError` naming `field` if they are not UTF-8.
  package func text(field: @autoclosure () -> String = "") throws(FileError) -> String {
    let text = unsafe withUnsafeBytes { bytes in
      unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe String(validating: $0, as: UTF8.self) }
    }
    guard let text else { throw error(field: field(), "\(count) bytes are not UTF-8 text") }
    return text
  }

  /// Whether the address of the first byte is a multiple of `alignment`. Files may place data at any address; kernels often need
  /// alignment.
  package func isAligned(to alignment: Int) -> Bool {
    unsafe UInt(bitPattern: unsafeBaseAddress) % UInt(clamping: alignment) == 0
  }

  /// Address of the first byte, as a number that identifies it while `owner` lives.
  package var address: UInt { unsafe UInt(bitPattern: unsafeBaseAddress) }

  /// A copy of several stretches of bytes, one after the other.
  package init(joining pieces: [ByteView]) {
    var bytes: [UInt8] = []
    for piece in pieces { unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
    self.init(of: MappedFile(copying: bytes, name: pieces.first?.owner.path ?? "<empty>"))
  }

  /// A copy of the bytes.
  package var array: [UInt8] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }

  /// Calls `body` with the bytes; the pointer is valid only during the call.
  @inlinable package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeRawBufferPointer(start: unsafeBaseAddress, count: count))
  }

  /// Address of the first byte. Valid while `owner` lives: if it is stored, `owner` must be stored too.
  ///
  /// It has no particular alignment. For an empty view it must not be read.
  @usableFromInline package var unsafeBaseAddress: UnsafeRawPointer { unsafe owner.unsafeBaseAddress + offset }

  /// An error about this view. `offset` is relative to the view.
  @usableFromInline package func error(at offset: Int = 0, field: String = "", _ reason: String) -> FileError {
    FileError(file: owner.path, byteOffset: (Extent(self.offset) + offset).clamped, field: field, reason: reason)
  }
}
