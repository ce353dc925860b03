package import MartletVocabulary

import MartletSystem

extension ResamplingFilter {
  /// In input positions, before the filter is widened for a reduction.
  package var radius: Double {
    switch self {
    case .nearest, .box, .area: 0.5
    case .bilinear: 1
    case .bicubic: 2
    case .lanczos: 3
    }
  }

  /// Not normalised.
  package func weight(at distance: Double) -> Double {
    let x = abs(distance)
    switch self {
    case .nearest, .area: return 1
    case .box: return distance > -0.5 && distance <= 0.5 ? 1 : 0
    case .bilinear: return max(0, 1 - x)
    case .bicubic:
      let a = -0.5
      if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
      if x < 2 { return (((x - 5) * x + 8) * x - 4) * a }
      return 0
    case .lanczos: return distance >= -3 && distance < 3 ? Self.sinc(distance) * Self.sinc(distance / 3) : 0
    }
  }

  private static func sinc(_ x: Double) -> Double {
    if x == 0 { return 1 }
    let angle = x * .pi
    return sin(angle) / angle
  }
}
