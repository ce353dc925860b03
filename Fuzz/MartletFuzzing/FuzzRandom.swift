/// The generator SplitMix64 (Steele, Lea and Flood): equal numbers on all platforms for equal seeds.
package struct FuzzRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A number below `bound`; 0 if `bound` is not positive.
  package mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

  /// True once in `count` times on average.
  package mutating func one(in count: Int) -> Bool { below(count) == 0 }

  package mutating func pick<Element>(_ items: [Element]) -> Element { items[below(items.count)] }

  private static let limits: [Int64] = [
    .max, .min, .max - 1, .min + 1, Int64(Int32.max), Int64(Int32.min), Int64(Int32.max) + 1, Int64(UInt32.max),
  ]

  /// An integer that programs often mishandle: small, at the limits of a type, a power of two, or arbitrary.
  package mutating func hostileInteger() -> Int64 {
    switch below(8) {
    case 0, 1, 2: return Int64(below(9)) - 3
    case 3: return Int64(below(40)) - 8
    case 4: return pick(Self.limits)
    case 5: return (1 << Int64(below(63))) + Int64(below(3)) - 1
    case 6: return -(1 << Int64(below(63))) + Int64(below(3)) - 1
    default: return Int64(bitPattern: next())
    }
  }

  package mutating func hostileDouble() -> Double {
    switch below(4) {
    case 0: pick([0, 1, -1, 0.5, 2, 1e-3, 3])
    case 1: pick([.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0])
    case 2: Double(hostileInteger())
    default: Double(bitPattern: next())
    }
  }
}
