/// A binary floating-point format of at most 16 bits. Conversion to `Double` is exact; conversion from `Double` rounds to nearest even.
package struct SmallFloat: Sendable {
  let exponentBits: Int
  let fractionBits: Int
  /// False for formats that use the largest exponent for finite values: they have no infinity and one NaN (all bits set).
  let hasInfinity: Bool

  package static let float16 = SmallFloat(exponentBits: 5, fractionBits: 10, hasInfinity: true)
  package static let bfloat16 = SmallFloat(exponentBits: 8, fractionBits: 7, hasInfinity: true)
  package static let float8E4M3FN = SmallFloat(exponentBits: 4, fractionBits: 3, hasInfinity: false)
  package static let float8E5M2 = SmallFloat(exponentBits: 5, fractionBits: 2, hasInfinity: true)

  private var bias: Int { 1 << (exponentBits - 1) - 1 }
  private var signBit: UInt32 { 1 << UInt32(exponentBits + fractionBits) }
  /// The smallest bit pattern, without sign, that is not a finite number.
  private var firstSpecial: UInt32 {
    hasInfinity ? ((1 << UInt32(exponentBits)) - 1) << UInt32(fractionBits) : signBit - 1
  }

  package func value(ofBits bits: UInt32) -> Double {
    let magnitude = bits & (signBit - 1)
    let fraction = Double(magnitude & ((1 << UInt32(fractionBits)) - 1))
    let exponent = Int(magnitude >> UInt32(fractionBits))
    let value: Double =
      if magnitude >= firstSpecial {
        hasInfinity && magnitude == firstSpecial ? .infinity : .nan
      } else if exponent == 0 {
        scale(fraction, by: 1 - bias - fractionBits)
      } else {
        scale(fraction + Double(1 << fractionBits), by: exponent - bias - fractionBits)
      }
    return bits & signBit != 0 ? -value : value
  }

  /// The bits of the nearest value. Values that are too large become infinity, or NaN in a format without infinity.
  package func bits(of value: Double) -> UInt32 {
    let sign = value.sign == .minus ? signBit : 0
    if value.isNaN { return sign | (hasInfinity ? firstSpecial | 1 << UInt32(fractionBits - 1) : firstSpecial) }
    if value.isInfinite { return sign | firstSpecial }
    if value == 0 { return sign }
    let magnitude = value.magnitude
    // The unit in the last place of the result's binade; subnormals use that of the smallest binade.
    let exponent = max(Int(magnitude.exponent), 1 - bias)
    // At most 2 to the power of (fractionBits + 1), and therefore exact. A result that reaches it carries into the exponent.
    let steps = scale(magnitude, by: fractionBits - exponent).rounded(.toNearestOrEven)
    if exponent > bias + 1 { return sign | firstSpecial }
    let significand = UInt32(steps)
    // The hidden bit is still set, so the field of a normal number is one less than its exponent.
    let field = UInt32(exponent + bias - 1) << UInt32(fractionBits)
    return sign | min(field + significand, firstSpecial)
  }

  private func scale(_ value: Double, by exponent: Int) -> Double {
    Double(sign: .plus, exponent: exponent, significand: value)
  }
}
