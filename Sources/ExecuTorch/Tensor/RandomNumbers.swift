import Foundation

/// A fast random number generator (SplitMix64: Steele, Lea and Flood 2014), seeded by the system's generator.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator whose sequence depends only on `seed`.
  package init(seed: UInt64) { state = seed }

  init() { self.init(seed: UInt64.random(in: 0...UInt64.max)) }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  /// Uniform in `[0, 1)`: a multiple of `2^-digits`, which a type with that many significant bits represents exactly.
  mutating func uniform(digits: Int) -> Double {
    Double(next() >> UInt64(64 - digits)) * Double(sign: .plus, exponent: -digits, significand: 1)
  }

  /// A pair of independent samples of the standard normal distribution (Box and Muller 1958).
  mutating func normalPair() -> (Double, Double) {
    let radius = (-2 * log(1 - uniform(digits: 53))).squareRoot()
    let angle = 2 * Double.pi * uniform(digits: 53)
    return (radius * cos(angle), radius * sin(angle))
  }
}

extension DataType {
  /// Number of bits of a uniform random number in `[0, 1)` that the conversion to this type does not round up to 1.
  var uniformDigits: Int {
    switch self {
    case .bFloat16: 8
    case .half: 11
    case .float: 24
    default: 53
    }
  }
}
