/// How the integers of a row of a quantised table lie in its bytes.
package enum TablePacking: String, Sendable, Hashable {
  case int8, uint8
  /// Two a byte, the even element in the high four bits, stored with 8 added.
  case int4
  /// Two a byte, the even element in the low four bits, signed (in two's complement) and unsigned.
  case lowInt4, lowUInt4
  /// Four a byte, the first in the low two bits, stored with 2 added.
  case int2

  /// Elements of one byte.
  package var perByte: Int {
    switch self {
    case .int8, .uint8: 1
    case .int4, .lowInt4, .lowUInt4: 2
    case .int2: 4
    }
  }
}
