/// Packing of the integers in a row of a quantised table.
package enum TablePacking: String, Sendable, Hashable {
  case int8, uint8
  /// Two per byte, the even element in the high four bits, stored with an offset of 8.
  case int4
  /// Two per byte, the even element in the low four bits; signed (two's complement) and unsigned.
  case lowInt4, lowUInt4
  /// Four per byte, the first in the low two bits, stored with an offset of 2.
  case int2

  /// The type of the elements, as in descriptions of files.
  package var elementName: String {
    switch self {
    case .int8: "int8"
    case .uint8: "uint8"
    case .int4, .lowInt4: "int4"
    case .lowUInt4: "uint4"
    case .int2: "int2"
    }
  }

  /// Elements per byte.
  package var perByte: Int {
    switch self {
    case .int8, .uint8: 1
    case .int4, .lowInt4, .lowUInt4: 2
    case .int2: 4
    }
  }
}
