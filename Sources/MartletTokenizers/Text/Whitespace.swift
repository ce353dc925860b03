/// The property White_Space of characters.
enum Whitespace {
  @inline(__always)
  static func contains(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar == 0x20 || (scalar >= 0x9 && scalar <= 0xD) }
    switch scalar {
    case 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: return true
    default: return false
    }
  }
}
