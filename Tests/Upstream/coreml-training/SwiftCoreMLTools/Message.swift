import Foundation

/// A serialised message in the format of Protocol Buffers.
struct Message {
  private(set) var data = Data()

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 128 {
      data.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    data.append(UInt8(rest))
  }

  mutating func set(_ field: UInt64, _ value: Int) {
    varint(field << 3)
    varint(UInt64(bitPattern: Int64(value)))
  }

  mutating func set(_ field: UInt64, _ value: Bool) { set(field, value ? 1 : 0) }

  mutating func set(_ field: UInt64, _ value: Double) {
    varint(field << 3 | 1)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
  }

  mutating func set(_ field: UInt64, _ value: String) { set(field, bytes: Data(value.utf8)) }

  mutating func set(_ field: UInt64, bytes: Data) {
    varint(field << 3 | 2)
    varint(UInt64(bytes.count))
    data.append(bytes)
  }

  mutating func set(_ field: UInt64, _ body: (inout Message) -> Void) {
    var message = Message()
    body(&message)
    set(field, bytes: message.data)
  }

  /// A packed list of numbers.
  mutating func set(_ field: UInt64, _ values: [Int]) {
    var list = Message()
    for value in values { list.varint(UInt64(bitPattern: Int64(value))) }
    set(field, bytes: list.data)
  }
}
