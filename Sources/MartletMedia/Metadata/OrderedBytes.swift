import MartletTensor

/// Bytes of a file whose numbers have one byte order. Positions count from the first byte; what lies outside is nil.
struct OrderedBytes {
  enum Order {
    case bigEndian
    case littleEndian
  }

  let bytes: ArraySlice<UInt8>
  let order: Order

  init(_ bytes: ArraySlice<UInt8>, _ order: Order) {
    self.bytes = bytes
    self.order = order
  }

  var count: Int { bytes.count }

  /// The unsigned number at a position.
  /// - Parameter byteCount: at most 8.
  /// - Returns: nil also if the number does not fit `Int`.
  func integer(at position: Int, byteCount: Int) -> Int? {
    guard let field = part(at: position, count: byteCount) else { return nil }
    var value: UInt64 = 0
    switch order {
    case .bigEndian: for byte in field { value = value << 8 | UInt64(widening: byte) }
    case .littleEndian: for byte in field.reversed() { value = value << 8 | UInt64(widening: byte) }
    }
    return Int(exactly: value)
  }

  /// A part of the bytes.
  func part(at position: Int, count partCount: Int) -> ArraySlice<UInt8>? {
    guard position >= 0, partCount >= 0, partCount <= count, position <= count - partCount else { return nil }
    // In range: the part lies within the bytes.
    let start = bytes.startIndex + position
    return bytes[start..<start + partCount]
  }

  /// The bytes from a position on.
  func rest(from position: Int) -> ArraySlice<UInt8>? { part(at: position, count: count - position) }

  /// True if the text stands at a position.
  func has(_ text: StaticString, at position: Int) -> Bool {
    text.withUTF8Buffer { expected in
      guard let found = part(at: position, count: expected.count) else { return false }
      return unsafe found.elementsEqual(expected)
    }
  }
}

extension OrderedBytes.Order {
  /// Appends an unsigned number.
  func append(_ value: Int, byteCount: Int, to bytes: inout [UInt8]) {
    let pattern = UInt64(truncatingIfNeeded: value)
    for index in 0..<byteCount {
      let place = self == .bigEndian ? byteCount - 1 - index : index
      bytes.append(UInt8(truncatingIfNeeded: pattern >> (8 * place)))
    }
  }
}
