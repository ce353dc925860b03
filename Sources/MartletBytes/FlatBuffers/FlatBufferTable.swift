/// A table of a FlatBuffer. Fields are identified by their slot: the position in the schema, where a union counts twice (its tag, then
/// its value).
///
/// An absent field reads as the given default (scalars) or as `nil`. Unknown fields are ignored, so that buffers of newer schemas can be
/// read. Every access is checked and throws a `FileError` naming the field.
///
/// Fields are bounded by the buffer, not by the table size in the vtable: writers share a vtable between tables with equal field
/// offsets and different sizes.
@usableFromInline package struct FlatBufferTable {
  @usableFromInline let reader: FlatBufferReader
  @usableFromInline let position: Int
  @usableFromInline let vtable: Int
  @usableFromInline let vtableByteCount: Int

  /// Bytes that a table counts as visited: its offset to the vtable, and the offset that leads to it.
  private static let visitedByteCount = 8

  /// - Throws: `FileError` if the table or its vtable does not lie within the buffer.
  @usableFromInline init(_ reader: FlatBufferReader, at position: Int) throws(FileError) {
    // Cannot overflow: positions are at most 2^63 - 1 and the offset has 32 bits. A vtable may precede or follow its table.
    let vtable = position - Int(clamping: try reader.load(Int32.self, at: position))
    let vtableByteCount = Int(clamping: try reader.load(UInt16.self, at: vtable))
    guard vtableByteCount >= 4, vtableByteCount % 2 == 0, reader.contains(position: vtable, count: vtableByteCount) else {
      throw reader.buffer.error(at: vtable, "a vtable of \(vtableByteCount) bytes is malformed")
    }
    try reader.visit(Self.visitedByteCount, at: position)
    self.reader = reader
    self.position = position
    self.vtable = vtable
    self.vtableByteCount = vtableByteCount
  }

  /// Whether the field in `slot` is present.
  package func contains(_ slot: Int) throws(FileError) -> Bool {
    let entry = 4 + 2 * slot
    guard entry + 2 <= vtableByteCount else { return false }
    return try reader.load(UInt16.self, at: vtable + entry) != 0
  }

  /// Position of the field in `slot`, whose `byteCount` bytes lie within the buffer; `nil` when it is absent.
  @inlinable func position(of slot: Int, byteCount fieldByteCount: Int, _ name: StaticString) throws(FileError) -> Int? {
    let entry = 4 + 2 * slot
    guard entry + 2 <= vtableByteCount else { return nil }
    // In bounds: the vtable lies within the buffer.
    let offset = Int(clamping: unsafe reader.unsafeLoad(UInt16.self, at: vtable + entry))
    guard offset != 0 else { return nil }
    guard offset >= 4, reader.contains(position: position + offset, count: fieldByteCount) else {
      throw error("a field of \(fieldByteCount) bytes at byte \(offset) of its table leads out of the buffer", field: name)
    }
    return position + offset
  }

  /// An error concerning this table or one of its fields.
  @usableFromInline package func error(_ reason: String, field: StaticString = "") -> FileError {
    reader.buffer.error(at: position, field: "\(field)", reason)
  }

  // MARK: Scalars

  /// An integer field.
  @inlinable package func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ slot: Int, _ name: StaticString, default defaultValue: Value = 0
  ) throws(FileError) -> Value {
    guard let position = try position(of: slot, byteCount: MemoryLayout<Value>.size, name) else { return defaultValue }
    return try reader.load(Value.self, at: position)
  }

  /// A boolean field: any nonzero byte is true.
  package func bool(_ slot: Int, _ name: StaticString, default defaultValue: Bool = false) throws(FileError) -> Bool {
    try integer(slot, name, default: defaultValue ? 1 : 0 as UInt8) != 0
  }

  package func float(_ slot: Int, _ name: StaticString, default defaultValue: Float = 0) throws(FileError) -> Float {
    Float(bitPattern: try integer(slot, name, default: defaultValue.bitPattern))
  }

  package func double(_ slot: Int, _ name: StaticString, default defaultValue: Double = 0) throws(FileError) -> Double {
    Double(bitPattern: try integer(slot, name, default: defaultValue.bitPattern))
  }

  // MARK: Strings, vectors

  /// Start and count of the vector in `slot`; `nil` if it is absent.
  @inlinable func vector(_ slot: Int, _ name: StaticString, elementByteCount: Int) throws(FileError) -> (start: Int, count: Int)? {
    try locating("\(name)") { () throws(FileError) in
      guard let position = try position(of: slot, byteCount: 4, "") else { return nil }
      return try reader.vector(at: try reader.target(ofOffsetAt: position), elementByteCount: elementByteCount)
    }
  }

  /// A vector of bytes, neither copied nor counted as visited; `nil` if it is absent.
  package func bytes(_ slot: Int, _ name: StaticString) throws(FileError) -> ByteView? {
    guard let (start, count) = try vector(slot, name, elementByteCount: 1) else { return nil }
    return try reader.buffer.slice(offset: start, count: count)
  }

  /// The bytes of a vector with elements of `elementByteCount` bytes, neither copied nor counted as visited; `nil` if it is absent.
  package func elementBytes(_ slot: Int, _ name: StaticString, elementByteCount: Int) throws(FileError) -> ByteView? {
    precondition((1...8).contains(elementByteCount), "elements of FlatBuffers have 1 to 8 bytes")
    guard let (start, count) = try vector(slot, name, elementByteCount: elementByteCount) else { return nil }
    return try reader.buffer.slice(offset: start, count: count * elementByteCount)
  }

  /// A string; `nil` if it is absent.
  package func string(_ slot: Int, _ name: StaticString) throws(FileError) -> String? {
    guard let bytes = try bytes(slot, name) else { return nil }
    try visit(bytes.count, name)
    return try bytes.text(field: "\(name)")
  }

  /// A vector of integers; `nil` if it is absent.
  @inlinable package func integers<Value: FixedWidthInteger & BitwiseCopyable>(
    _ slot: Int, _ name: StaticString, of type: Value.Type = Value.self
  ) throws(FileError) -> [Value]? {
    try elements(slot, name, of: type) { $0 }
  }

  /// A vector of integers of a type whose values all fit in `Int`; `nil` if it is absent.
  @inlinable package func ints<Value: FixedWidthInteger & BitwiseCopyable>(
    _ slot: Int, _ name: StaticString, of type: Value.Type
  ) throws(FileError) -> [Int]? {
    try elements(slot, name, of: type) { Int(clamping: $0) }
  }

  @inlinable func elements<Value: FixedWidthInteger & BitwiseCopyable, Element>(
    _ slot: Int, _ name: StaticString, of type: Value.Type, _ element: (Value) -> Element
  ) throws(FileError) -> [Element]? {
    guard let (start, count) = try vector(slot, name, elementByteCount: MemoryLayout<Value>.stride) else { return nil }
    try visit(count * MemoryLayout<Value>.stride, name)
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      // In bounds because the whole vector was checked.
      let value = unsafe reader.unsafeLoad(type, at: start + index * MemoryLayout<Value>.stride)
      elements.append(element(value))
    }
    return elements
  }

  package func floats(_ slot: Int, _ name: StaticString) throws(FileError) -> [Float]? {
    try integers(slot, name, of: UInt32.self).map { $0.map(Float.init(bitPattern:)) }
  }

  package func doubles(_ slot: Int, _ name: StaticString) throws(FileError) -> [Double]? {
    try integers(slot, name, of: UInt64.self).map { $0.map(Double.init(bitPattern:)) }
  }

  /// A vector of booleans, one byte each, where any nonzero byte is true.
  package func bools(_ slot: Int, _ name: StaticString) throws(FileError) -> [Bool]? {
    try integers(slot, name, of: UInt8.self).map { $0.map { $0 != 0 } }
  }

  // MARK: Tables

  /// The result of `body` for the table in `slot`; `nil` if it is absent. Errors of `body` are prefixed with the field's path.
  @inlinable package func table<Result>(
    _ slot: Int, _ name: StaticString, _ body: (FlatBufferTable) throws(FileError) -> Result
  ) throws(FileError) -> Result? {
    try locating("\(name)") { () throws(FileError) in
      guard let position = try position(of: slot, byteCount: 4, "") else { return nil }
      return try body(FlatBufferTable(reader, at: try reader.target(ofOffsetAt: position)))
    }
  }

  /// The result of `body` for the union with its tag in `slot` and its value, a table, in `slot + 1`; `nil` if the tag is 0 (NONE).
  /// `body` receives the tag and the table.
  ///
  /// - Throws: `FileError` if there is a tag without a value.
  @inlinable package func union<Result>(
    _ slot: Int, _ name: StaticString, _ body: (UInt8, FlatBufferTable) throws(FileError) -> Result
  ) throws(FileError) -> Result? {
    let tag: UInt8 = try integer(slot, name)
    guard tag != 0 else { return nil }
    // A nil result of `body` must not be mistaken for an absent value.
    guard let result = try table(slot + 1, name, { (table) throws(FileError) in Optional.some(try body(tag, table)) }) else {
      throw error("the union has the tag \(tag) but no value", field: name)
    }
    return result
  }

  /// Number of tables in the vector in `slot`; `nil` if it is absent.
  package func tableCount(_ slot: Int, _ name: StaticString) throws(FileError) -> Int? {
    try vector(slot, name, elementByteCount: 4)?.count
  }

  /// The results of `body` for each table of the vector in `slot` and its index; empty if it is absent.
  @inlinable package func tables<Result>(
    _ slot: Int, _ name: StaticString, _ body: (FlatBufferTable, Int) throws(FileError) -> Result
  ) throws(FileError) -> [Result] {
    guard let (start, count) = try vector(slot, name, elementByteCount: 4) else { return [] }
    var results: [Result] = []
    try visit(count * 4, name)
    // Bounded because a result may be much larger than the four bytes that declare it.
    results.reserveCapacity(min(count, 1 << 14))
    for index in 0..<count {
      let result = try locating("\(name)[\(index)]") { () throws(FileError) in
        try body(FlatBufferTable(reader, at: try reader.target(ofOffsetAt: start + index * 4)), index)
      }
      results.append(result)
    }
    return results
  }

  /// A vector of strings; empty if it is absent.
  package func strings(_ slot: Int, _ name: StaticString) throws(FileError) -> [String] {
    guard let (start, count) = try vector(slot, name, elementByteCount: 4) else { return [] }
    try visit(count * 4, name)
    var results: [String] = []
    results.reserveCapacity(min(count, 1 << 14))
    for index in 0..<count {
      let text = try locating("\(name)[\(index)]") { () throws(FileError) in
        let (first, byteCount) = try reader.vector(at: try reader.target(ofOffsetAt: start + index * 4), elementByteCount: 1)
        try reader.visit(byteCount, at: first)
        return try reader.buffer.slice(offset: first, count: byteCount).text()
      }
      results.append(text)
    }
    return results
  }

  @inlinable func visit(_ byteCount: Int, _ name: StaticString) throws(FileError) {
    try locating("\(name)") { () throws(FileError) in try reader.visit(byteCount, at: position) }
  }
}
