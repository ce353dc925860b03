import MartletSystem

/// The function from a component of a colour to the amount of light, for each 0…1.
package enum ToneCurve: Sendable, Hashable {
  /// The numbers themselves.
  case linear
  /// `x ^ exponent`.
  case gamma(Double)
  /// `(a x + b) ^ g + e` from `d` on, `c x + f` below it.
  case parametric(g: Double, a: Double, b: Double, c: Double, d: Double, e: Double, f: Double)
  /// At least two amounts at equal distances, in units of 1/65535; linear between them.
  case samples([UInt16])

  package static let sRGB = ToneCurve.parametric(g: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, c: 1 / 12.92, d: 0.04045, e: 0, f: 0)
  /// The inverse of the transfer characteristic that Recommendation BT.709 gives for cameras.
  package static let bt709 = ToneCurve.parametric(g: 1 / 0.45, a: 1 / 1.099, b: 0.099 / 1.099, c: 1 / 4.5, d: 0.081, e: 0, f: 0)
  /// ROMM RGB, ISO 22028-2.
  package static let romm = ToneCurve.parametric(g: 1.8, a: 1, b: 0, c: 1 / 16, d: 0.03125, e: 0, f: 0)

  /// The amount of light. Curves other than samples continue beyond 0…1.
  package func decode(_ x: Double) -> Double {
    switch self {
    case .linear: return x
    case .gamma(let exponent): return pow(max(x, 0), exponent)
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      return x >= d ? pow(max(a * x + b, 0), g) + e : c * x + f
    case .samples(let samples):
      let position = min(max(x, 0), 1) * Double(samples.count - 1)
      let index = min(Int(exactly: position.rounded(.down)) ?? 0, samples.count - 2)
      let (low, high) = (Double(samples[index]), Double(samples[index + 1]))
      return (low + (high - low) * (position - Double(index))) / 65535
    }
  }

  /// The component for an amount of light: the inverse of `decode`.
  package func encode(_ y: Double) -> Double {
    switch self {
    case .linear: return y
    case .gamma(let exponent): return exponent == 0 ? 0 : pow(max(y, 0), 1 / exponent)
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      let threshold = decode(d)
      if y < threshold, c != 0 { return (y - f) / c }
      guard a != 0, g != 0 else { return 0 }
      return (pow(max(y - e, 0), 1 / g) - b) / a
    case .samples(let samples): return Self.position(of: y * 65535, in: samples)
    }
  }

  /// The position, 0…1, at which samples that rise (or fall) reach a value.
  private static func position(of value: Double, in samples: [UInt16]) -> Double {
    let isFalling = samples[0] > samples[samples.count - 1]
    func isBefore(_ sample: UInt16) -> Bool { isFalling ? Double(sample) > value : Double(sample) < value }
    var (low, high) = (0, samples.count - 1)
    if !isBefore(samples[low]) { return 0 }
    if isBefore(samples[high]) { return 1 }
    while high - low > 1 {
      let middle = (low + high) / 2
      if isBefore(samples[middle]) { low = middle } else { high = middle }
    }
    let (first, second) = (Double(samples[low]), Double(samples[high]))
    let fraction = second == first ? 0 : (value - first) / (second - first)
    return (Double(low) + fraction) / Double(samples.count - 1)
  }

  /// `decode` for colours of extended range: the curve is mirrored at zero.
  package func decodeExtended(_ x: Double) -> Double { x < 0 ? -decode(-x) : decode(x) }

  /// `encode` for colours of extended range.
  package func encodeExtended(_ y: Double) -> Double { y < 0 ? -encode(-y) : encode(y) }
}
