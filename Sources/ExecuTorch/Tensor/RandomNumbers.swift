import Foundation

/// A fast source of random bits (SplitMix64: Steele, Lea and Flood 2014), started from the system's.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// A sequence that depends on `seed` only.
  package init(seed: UInt64) { state = seed }

  init() { self.init(seed: UInt64.random(in: 0...UInt64.max)) }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  /// Uniform in `[0, 1)`: a multiple of `2^-digits`, which a type with that many binary digits represents exactly.
  mutating func uniform(digits: Int) -> Double {
    Double(next() >> UInt64(64 - digits)) * Double(sign: .plus, exponent: -digits, significand: 1)
  }

  /// A pair of independent numbers of the standard normal distribution (Box and Muller 1958).
  mutating func normalPair() -> (Double, Double) {
    let radius = (-2 * log(1 - uniform(digits: 53))).squareRoot()
    let angle = 2 * Double.pi * uniform(digits: 53)
    return (radius * cos(angle), radius * sin(angle))
  }
}

extension DataType {
  /// Binary digits of a uniform random number in `[0, 1)` that is not to be rounded up to 1 by the conversion to this type.
  var uniformDigits: Int {
    switch self {
    case .bFloat16: 8
    case .half: 11
    case .float: 24
    default: 53
    }
  }
}
