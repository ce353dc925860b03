import MartletTensor

/// A colour multiplied by its alpha.
///
/// Shades have three equal components. Inks are what they leave of white (1 minus the ink), so that blending is the same in all spaces.
package struct Pixel: Hashable, Sendable {
  package var color: SIMD4<Float>
  package var alpha: Float

  static let clear = Pixel(color: .zero, alpha: 0)

  package init(color: SIMD4<Float>, alpha: Float) {
    self.color = color
    self.alpha = alpha
  }

  /// - Parameters:
  ///   - components: of a space with `count` components, not multiplied.
  init(components: SIMD4<Float>, count: Int, alpha: Float) {
    let color =
      switch count {
      case 0: SIMD4<Float>.zero
      case 1: SIMD4(components.x, components.x, components.x, 0)
      case 4: 1 - components
      default: SIMD4(components.x, components.y, components.z, 0)
      }
    self.init(color: color * alpha, alpha: alpha)
  }

  static func * (pixel: Pixel, factor: Float) -> Pixel { Pixel(color: pixel.color * factor, alpha: pixel.alpha * factor) }
  static func + (first: Pixel, second: Pixel) -> Pixel { Pixel(color: first.color + second.color, alpha: first.alpha + second.alpha) }

  /// Four components of 8 bits: red, green, blue, alpha.
  var bytes: SIMD4<UInt8> {
    SIMD4(color.x.byte, color.y.byte, color.z.byte, alpha.byte)
  }
}

extension Float {
  /// 0…1 as 0…255. Not a number gives 0.
  var byte: UInt8 { UInt8(truncatingIfNeeded: Int32(self > 0 ? Swift.min(self, 1) * 255 + 0.5 : 0)) }
}

/// Products of numbers of 0…255 that stand for 0…1.
enum ByteFraction {
  /// The product, rounded.
  @inline(__always)
  static func product(_ a: UInt32, _ b: UInt32) -> UInt32 {
    let product = a &* b &+ 128
    return (product &+ product >> 8) >> 8
  }
}
