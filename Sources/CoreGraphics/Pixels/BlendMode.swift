/// How colours that are drawn combine with those that are there. S and R are the drawn colour and the result, D what is there, all
/// multiplied by alpha; Sa and Da are alphas.
public enum CGBlendMode: Int32, Sendable {
  case normal
  case multiply
  case screen
  case overlay
  case darken
  case lighten
  case colorDodge
  case colorBurn
  case softLight
  case hardLight
  case difference
  case exclusion
  case hue
  case saturation
  case color
  case luminosity
  /// R = 0.
  case clear
  /// R = S.
  case copy
  /// R = S Da.
  case sourceIn
  /// R = S (1 - Da).
  case sourceOut
  /// R = S Da + D (1 - Sa).
  case sourceAtop
  /// R = S (1 - Da) + D.
  case destinationOver
  /// R = D Sa.
  case destinationIn
  /// R = D (1 - Sa).
  case destinationOut
  /// R = S (1 - Da) + D Sa.
  case destinationAtop
  /// R = S (1 - Da) + D (1 - Sa).
  case xor
  /// For opaque colours, R = max(0, S + D - 1).
  case plusDarker
  /// R = min(1, S + D).
  case plusLighter
}

extension CGBlendMode {
  /// The result of drawing `source` over `backdrop`.
  func blend(_ source: Pixel, over backdrop: Pixel) -> Pixel {
    let (sa, da) = (source.alpha, backdrop.alpha)
    switch self {
    case .normal: return source + backdrop * (1 - sa)
    case .clear: return .clear
    case .copy: return source
    case .sourceIn: return source * da
    case .sourceOut: return source * (1 - da)
    case .sourceAtop: return source * da + backdrop * (1 - sa)
    case .destinationOver: return source * (1 - da) + backdrop
    case .destinationIn: return backdrop * sa
    case .destinationOut: return backdrop * (1 - sa)
    case .destinationAtop: return source * (1 - da) + backdrop * sa
    case .xor: return source * (1 - da) + backdrop * (1 - sa)
    case .plusLighter:
      return Pixel(color: (source.color + backdrop.color).clamped(lowerBound: .zero, upperBound: .one), alpha: min(sa + da, 1))
    case .plusDarker:
      let alpha = min(sa + da, 1)
      let darkness = (SIMD4(repeating: sa) - source.color) + (SIMD4(repeating: da) - backdrop.color)
      return Pixel(color: (SIMD4(repeating: alpha) - darkness).clamped(lowerBound: .zero, upperBound: .one), alpha: alpha)
    default:
      let own = sa > 0 ? source.color / sa : .zero
      let there = da > 0 ? backdrop.color / da : .zero
      let both = sa * da
      let mixed = mix(own, there) * both
      return Pixel(color: source.color * (1 - da) + backdrop.color * (1 - sa) + mixed, alpha: sa + da - both)
    }
  }

  /// The mixture of two opaque colours, of which `s` is drawn.
  private func mix(_ s: SIMD4<Float>, _ d: SIMD4<Float>) -> SIMD4<Float> {
    switch self {
    case .multiply: return s * d
    case .screen: return s + d - s * d
    case .overlay: return Self.hardLight(d, s)
    case .hardLight: return Self.hardLight(s, d)
    case .darken: return pointwiseMin(s, d)
    case .lighten: return pointwiseMax(s, d)
    case .colorDodge: return Self.each(s, d) { s, d in d == 0 ? 0 : s >= 1 ? 1 : min(1, d / (1 - s)) }
    case .colorBurn: return Self.each(s, d) { s, d in d >= 1 ? 1 : s <= 0 ? 0 : 1 - min(1, (1 - d) / s) }
    case .softLight: return Self.each(s, d, Self.softLight)
    case .difference: return pointwiseMax(s, d) - pointwiseMin(s, d)
    case .exclusion: return s + d - 2 * s * d
    case .hue: return Self.withLuminosity(Self.luminosity(d), Self.withSaturation(Self.saturation(d), s), d)
    case .saturation: return Self.withLuminosity(Self.luminosity(d), Self.withSaturation(Self.saturation(s), d), d)
    case .color: return Self.withLuminosity(Self.luminosity(d), s, d)
    case .luminosity: return Self.withLuminosity(Self.luminosity(s), d, s)
    default: return s
    }
  }

  private static func each(_ s: SIMD4<Float>, _ d: SIMD4<Float>, _ body: (Float, Float) -> Float) -> SIMD4<Float> {
    SIMD4(body(s.x, d.x), body(s.y, d.y), body(s.z, d.z), body(s.w, d.w))
  }

  private static func hardLight(_ s: SIMD4<Float>, _ d: SIMD4<Float>) -> SIMD4<Float> {
    let doubled = 2 * s
    let screened = doubled - 1 + d - (doubled - 1) * d
    return (doubled * d).replacing(with: screened, where: s .> 0.5)
  }

  private static func softLight(_ s: Float, _ d: Float) -> Float {
    if s <= 0.5 { return d - (1 - 2 * s) * d * (1 - d) }
    let root = d <= 0.25 ? ((16 * d - 12) * d + 4) * d : max(d, 0).squareRoot()
    return d + (2 * s - 1) * (root - d)
  }

  // Hue, saturation and luminosity of red, green and blue, as PDF defines them. The fourth component of inks, black, is the backdrop's
  // unless luminosity is drawn.

  private static func luminosity(_ color: SIMD4<Float>) -> Float { 0.3 * color.x + 0.59 * color.y + 0.11 * color.z }

  private static func saturation(_ color: SIMD4<Float>) -> Float {
    max(color.x, color.y, color.z) - min(color.x, color.y, color.z)
  }

  private static func withSaturation(_ saturation: Float, _ color: SIMD4<Float>) -> SIMD4<Float> {
    let (low, high) = (min(color.x, color.y, color.z), max(color.x, color.y, color.z))
    return high > low ? (color - low) * (saturation / (high - low)) : .zero
  }

  /// - Parameter black: the colour whose fourth component the result has.
  private static func withLuminosity(_ target: Float, _ color: SIMD4<Float>, _ black: SIMD4<Float>) -> SIMD4<Float> {
    var result = color + (target - luminosity(color))
    let (low, high) = (min(result.x, result.y, result.z), max(result.x, result.y, result.z))
    if low < 0 { result = target + (result - target) * (target / (target - low)) }
    if high > 1 { result = target + (result - target) * ((1 - target) / (high - target)) }
    result.w = black.w
    return result
  }
}

extension SIMD4<Float> {
  fileprivate static var one: SIMD4<Float> { SIMD4(repeating: 1) }
}
