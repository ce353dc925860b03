import CoreGraphics
import Testing

/// Blend modes, compared with their formulas in double precision.
struct BlendTests {
  typealias Color = SIMD4<Double>  // red, green, blue, alpha; not multiplied

  static let modes: [CGBlendMode] = (0...27).compactMap { CGBlendMode(rawValue: $0) }

  /// The result, multiplied by alpha, of the W3C's and PDF's formulas.
  private static func expected(_ mode: CGBlendMode, _ s: Color, _ d: Color) -> Color {
    let (sa, da) = (s.w, d.w)
    func porterDuff(_ fs: Double, _ fd: Double) -> Color {
      var result = s * sa * fs + d * da * fd
      result.w = sa * fs + da * fd
      return result
    }
    switch mode {
    case .normal: return porterDuff(1, 1 - sa)
    case .clear: return porterDuff(0, 0)
    case .copy: return porterDuff(1, 0)
    case .sourceIn: return porterDuff(da, 0)
    case .sourceOut: return porterDuff(1 - da, 0)
    case .sourceAtop: return porterDuff(da, 1 - sa)
    case .destinationOver: return porterDuff(1 - da, 1)
    case .destinationIn: return porterDuff(0, sa)
    case .destinationOut: return porterDuff(0, 1 - sa)
    case .destinationAtop: return porterDuff(1 - da, sa)
    case .xor: return porterDuff(1 - da, 1 - sa)
    case .plusLighter:
      let sum = porterDuff(1, 1)
      return sum.clamped(lowerBound: .zero, upperBound: Color(repeating: 1))
    case .plusDarker:
      let alpha = min(1, sa + da)
      var result = Color.zero
      for index in 0..<3 { result[index] = max(0, alpha - (sa * (1 - s[index]) + da * (1 - d[index]))) }
      result.w = alpha
      return result
    default: break
    }
    var mixed = Color.zero
    if let separable = separable(mode) {
      for index in 0..<3 { mixed[index] = separable(s[index], d[index]) }
    } else {
      mixed = nonSeparable(mode, s, d)
    }
    var result = Color.zero
    for index in 0..<3 { result[index] = s[index] * sa * (1 - da) + d[index] * da * (1 - sa) + sa * da * mixed[index] }
    result.w = sa + da - sa * da
    return result
  }

  private static func separable(_ mode: CGBlendMode) -> ((Double, Double) -> Double)? {
    func hard(_ s: Double, _ d: Double) -> Double { s <= 0.5 ? d * 2 * s : d + (2 * s - 1) - d * (2 * s - 1) }
    switch mode {
    case .multiply: return { $0 * $1 }
    case .screen: return { $0 + $1 - $0 * $1 }
    case .overlay: return { hard($1, $0) }
    case .hardLight: return { hard($0, $1) }
    case .darken: return { min($0, $1) }
    case .lighten: return { max($0, $1) }
    case .colorDodge: return { s, d in d == 0 ? 0 : s == 1 ? 1 : min(1, d / (1 - s)) }
    case .colorBurn: return { s, d in d == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - d) / s) }
    case .softLight:
      return { s, d in
        let root = d <= 0.25 ? ((16 * d - 12) * d + 4) * d : d.squareRoot()
        return s <= 0.5 ? d - (1 - 2 * s) * d * (1 - d) : d + (2 * s - 1) * (root - d)
      }
    case .difference: return { abs($0 - $1) }
    case .exclusion: return { $0 + $1 - 2 * $0 * $1 }
    default: return nil
    }
  }

  private static func luminosity(_ color: Color) -> Double { 0.3 * color.x + 0.59 * color.y + 0.11 * color.z }

  private static func saturation(_ color: Color) -> Double { [color.x, color.y, color.z].max()! - [color.x, color.y, color.z].min()! }

  private static func set(_ color: Color, luminosity target: Double) -> Color {
    let shift = target - luminosity(color)
    var channels = [color.x + shift, color.y + shift, color.z + shift]
    let (low, high) = (channels.min()!, channels.max()!)
    if low < 0 { channels = channels.map { target + ($0 - target) * target / (target - low) } }
    if high > 1 { channels = channels.map { target + ($0 - target) * (1 - target) / (high - target) } }
    return Color(channels[0], channels[1], channels[2], 0)
  }

  private static func set(_ color: Color, saturation target: Double) -> Color {
    let channels = [color.x, color.y, color.z]
    let (low, high) = (channels.min()!, channels.max()!)
    let result = channels.map { high > low ? ($0 - low) * target / (high - low) : 0 }
    return Color(result[0], result[1], result[2], 0)
  }

  private static func nonSeparable(_ mode: CGBlendMode, _ s: Color, _ d: Color) -> Color {
    switch mode {
    case .hue: return set(set(s, saturation: saturation(d)), luminosity: luminosity(d))
    case .saturation: return set(set(d, saturation: saturation(s)), luminosity: luminosity(d))
    case .color: return set(s, luminosity: luminosity(d))
    default: return set(d, luminosity: luminosity(s))
    }
  }

  static let colors: [Color] = [
    Color(0, 0, 0, 1), Color(1, 1, 1, 1), Color(0.2, 0.6, 0.9, 1), Color(0.9, 0.1, 0.3, 0.5), Color(0.5, 0.5, 0.5, 0.7),
    Color(0.1, 0.2, 0.05, 1), Color(1, 0, 0, 0.25), Color(0.3, 0.8, 0.4, 0),
  ]

  private static func draw(_ mode: CGBlendMode, _ s: Color, _ d: Color, bits: Int) -> Color {
    let context = CGContext(
      data: nil, width: 1, height: 1, bitsPerComponent: bits, bytesPerRow: 0, space: deviceRGB, bitmapInfo: bits == 8 ? 1 : 0x2101)!
    let pixel = CGRect(x: 0, y: 0, width: 1, height: 1)
    context.setFillColor(red: d.x, green: d.y, blue: d.z, alpha: d.w)
    context.fill(pixel)
    context.setBlendMode(mode)
    context.setFillColor(red: s.x, green: s.y, blue: s.z, alpha: s.w)
    context.fill(pixel)
    let bytes = context.pixel(0, 0)
    if bits == 8 { return Color(Double(bytes[0]), Double(bytes[1]), Double(bytes[2]), Double(bytes[3])) / 255 }
    return bytes.withUnsafeBytes { bytes in
      let numbers = bytes.bindMemory(to: Float.self)
      return Color(Double(numbers[0]), Double(numbers[1]), Double(numbers[2]), Double(numbers[3]))
    }
  }

  @Test(arguments: modes) func `results are those of the formulas`(_ mode: CGBlendMode) {
    #expect(Self.modes.count == 28)
    for s in Self.colors {
      for d in Self.colors {
        let expected = Self.expected(mode, s, d)
        let numbers = Self.draw(mode, s, d, bits: 32) - expected
        #expect(max(numbers.max(), -numbers.min()) < 2e-5, "\(mode) \(s) over \(d): off by \(numbers)")
        // Division by alpha magnifies what rounding to bytes has cost.
        let bytes = Self.draw(mode, s, d, bits: 8) - expected
        #expect(max(bytes.max(), -bytes.min()) * 255 < 4.1, "\(mode) \(s) over \(d): off by \(bytes * 255)")
      }
    }
  }

  @Test func `alpha of the context scales the colour, and coverage the change`() {
    let context = makeContext(1, 1)
    context.setFillColor(red: 1, green: 1, blue: 1, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.setAlpha(0.5)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(largestDifference(context.pixel(0, 0), [255, 127, 127, 255]) <= 1)
    context.setAlpha(1)
    context.setBlendMode(.copy)
    context.setFillColor(red: 0, green: 0, blue: 1, alpha: 0.5)
    context.fill(CGRect(x: 0, y: 0, width: 0.5, height: 1))
    #expect(largestDifference(context.pixel(0, 0), [127, 64, 128, 191]) <= 1, "\(context.pixel(0, 0))")
    context.setBlendMode(.destinationOut)
    context.setFillColor(gray: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 0.5))
    #expect(largestDifference(context.pixel(0, 0), [64, 32, 64, 96]) <= 1)
  }
}
