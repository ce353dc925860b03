import MartletBytes
import Testing

/// Buffers made by hand to mislead a reader.
@Suite struct FlatBufferTests {
  /// The root table of `bytes`.
  private func root(_ bytes: some Sequence<UInt8>) throws -> FlatBufferTable {
    try FlatBufferReader(MappedFile(copying: Array(bytes)).bytes).root()
  }

  /// A buffer with one table whose only field, in slot 0, is the four bytes `field`, followed by `rest`:
  /// root offset 12 | identifier | vtable (6 bytes) and padding... The table starts at 16, the field at 20, `rest` at 24.
  private func buffer(field: UInt32, rest: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = little(UInt32(16)) + Array("TEST".utf8)
    bytes += little(UInt16(6)) + little(UInt16(8)) + little(UInt16(4)) + little(UInt16(0))
    bytes += little(Int32(8)) + little(field)
    return bytes + rest
  }

  private func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    (0..<MemoryLayout<Value>.size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  @Test func `Fields are read, and absent ones read as their default`() throws {
    let table = try root(buffer(field: 0xfffe_fffd))
    #expect(try table.integer(0, "a", default: UInt32(1)) == 0xfffe_fffd)
    #expect(try table.integer(0, "a", default: Int16(1)) == -3)
    #expect(try table.integer(1, "b", default: Int64(7)) == 7)
    #expect(try table.bool(9, "c", default: true))
    #expect(try table.string(1, "d") == nil)
    #expect(try table.tables(1, "e") { _, index in index }.isEmpty)
    // Eight bytes do not fit in the buffer.
    #expect(throws: FileError.self) { try table.integer(0, "a", default: Int64(0)) }
  }

  @Test func `A vector is read and one longer than the buffer is refused`() throws {
    let numbers = try root(buffer(field: 4, rest: little(UInt32(2)) + little(Int32(-5)) + little(Int32(6))))
    #expect(try numbers.integers(0, "v", of: Int32.self) == [-5, 6])
    #expect(try numbers.ints(0, "v", of: Int32.self) == [-5, 6])
    let unaligned = try root(buffer(field: 5, rest: [9] + little(UInt32(1)) + little(Int32(-5))))
    #expect(try unaligned.integers(0, "v", of: Int32.self) == [-5])

    for count in [3, 0x3fff_ffff, 0x4000_0000, 0x8000_0000, 0xffff_ffff] as [UInt32] {
      let table = try root(buffer(field: 4, rest: little(count) + little(Int32(-5)) + little(Int32(6))))
      let error = #expect(throws: FileError.self) { try table.integers(0, "v", of: Int32.self) }
      #expect(error?.field == "v")
      #expect(error?.byteOffset == 24)
      #expect(throws: FileError.self) { try table.integers(0, "v", of: Int64.self) }
      #expect(throws: FileError.self) { try table.tables(0, "v") { _, _ in 0 } }
    }
  }

  @Test(arguments: [0, 5, 100, 0x7fff_ffff, 0x8000_0000, 0xffff_ffec, 0xffff_ffff] as [UInt32])
  func `An offset out of the buffer, to itself or wrapping around is refused`(offset: UInt32) throws {
    let table = try root(buffer(field: offset, rest: [0, 0, 0, 0]))
    #expect(throws: FileError.self) { try table.bytes(0, "v") }
    #expect(throws: FileError.self) { try table.string(0, "v") }
    #expect(throws: FileError.self) { try table.table(0, "v") { _ in 0 } }
  }

  @Test func `A table cannot contain itself`() throws {
    // Forward offsets only: the one offset that leads back to its own table would have to be negative.
    let table = try root(buffer(field: UInt32(bitPattern: -4)))
    #expect(throws: FileError.self) { try table.table(0, "self") { _ in 0 } }
  }

  @Test(arguments: [Int32.min, -1000, 17, 1000, Int32.max, 3])
  func `A vtable out of the buffer or malformed is refused`(offset: Int32) throws {
    var bytes = buffer(field: 0)
    bytes.replaceSubrange(16..<20, with: little(offset))
    #expect(throws: FileError.self) { try self.root(bytes) }
  }

  @Test(arguments: [0, 3, 5, 200, 0xffff] as [UInt16])
  func `A vtable of an impossible size is refused`(size: UInt16) throws {
    var bytes = buffer(field: 0)
    bytes.replaceSubrange(8..<10, with: little(size))
    #expect(throws: FileError.self) { try self.root(bytes) }
  }

  /// Tables of several sizes may share a vtable, which then has the size of one of them.
  @Test(arguments: [0, 4, 7, 200, 0xffff] as [UInt16])
  func `Fields are bounded by the buffer and not by the size in the vtable`(size: UInt16) throws {
    var bytes = buffer(field: 0xfffe_fffd, rest: [1, 2, 3, 4])
    bytes.replaceSubrange(10..<12, with: little(size))
    let table = try root(bytes)
    #expect(try table.integer(0, "a", default: UInt64(0)) == 0x0403_0201_fffe_fffd)
    #expect(throws: FileError.self) { try self.root(bytes.dropLast()).integer(0, "a", default: UInt64(0)) }
  }

  @Test(arguments: [1, 3, 5, 8, 0xfffe] as [UInt16])
  func `A field outside of the buffer is refused`(offset: UInt16) throws {
    var bytes = buffer(field: 0)
    bytes.replaceSubrange(12..<14, with: little(offset))
    let table = try root(bytes)
    #expect(throws: FileError.self) { try table.integer(0, "a", default: UInt32(0)) }
  }

  @Test(arguments: [0, 3, 24, 25, 0x7fff_ffff, 0xffff_ffff] as [UInt32])
  func `A root offset out of the buffer is refused`(offset: UInt32) throws {
    var bytes = buffer(field: 0)
    bytes.replaceSubrange(0..<4, with: little(offset))
    #expect(throws: FileError.self) { try self.root(bytes) }
  }

  @Test func `A buffer too short for a root or for its field is refused`() throws {
    let bytes = buffer(field: 0)
    for count in bytes.indices {
      #expect(throws: FileError.self) { try self.root(bytes.prefix(count)).integer(0, "a", default: UInt32(0)) }
    }
  }

  @Test func `A union needs a value beside its tag`() throws {
    // One byte of tag in slot 0 and no slot 1.
    let table = try root(buffer(field: 5))
    #expect(throws: FileError.self) { try table.union(0, "u") { tag, _ in tag } }
    #expect(try table.union(1, "u") { tag, _ in tag } == nil)
  }

  @Test func `Text that is not UTF-8 is refused`() throws {
    let table = try root(buffer(field: 4, rest: little(UInt32(2)) + [0xc3, 0x28]))
    #expect(throws: FileError.self) { try table.string(0, "s") }
    #expect(try table.bytes(0, "s")?.array == [0xc3, 0x28])
  }

  @Test func `Content that refers to the same bytes over and over is refused before it fills memory`() throws {
    // 20,000 elements that all lead to one table with a vector of 20,000 numbers would unfold into 1.6 GB.
    let count = 20_000
    var bytes = buffer(field: 4, rest: little(UInt32(count)))
    let shared = bytes.count + count * 4
    for index in 0..<count { bytes += little(UInt32(shared - (bytes.count - index * 0))) }
    bytes += little(Int32(shared - 8)) + little(UInt32(4)) + little(UInt32(count)) + [UInt8](repeating: 1, count: count * 4)

    let table = try root(bytes)
    var visited = 0
    let error = #expect(throws: FileError.self) {
      try table.tables(0, "v") { (table, _) throws(FileError) in visited += try table.integers(0, "n", of: Int32.self)?.count ?? 0 }
    }
    #expect(error?.reason.contains("too often") == true)
    #expect(visited > 0)
    #expect(visited * 4 < bytes.count * 9)
  }
}
