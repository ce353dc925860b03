public import Foundation
import MartletColor

extension CGContext {
  /// The colour as the context stores it; unchanged colours for one that cannot be converted.
  private func pixel(_ color: CGColor, else previous: Pixel) -> Pixel {
    let alpha = Float(min(max(color.alpha, 0), 1))
    guard layout.colorCount > 0, let colorSpace else { return Pixel(color: .zero, alpha: alpha) }
    guard let components = color.components(in: colorSpace) else { return previous }
    let limited = colorSpace.meaning.isExtended ? components : components.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 1))
    return Pixel(components: limited, count: layout.colorCount, alpha: alpha)
  }

  public func setFillColor(_ color: CGColor) {
    state.fill = pixel(color, else: state.fill)
    state.fillSpace = color.colorSpace ?? state.fillSpace
  }

  public func setStrokeColor(_ color: CGColor) {
    state.stroke = pixel(color, else: state.stroke)
    state.strokeSpace = color.colorSpace ?? state.strokeSpace
  }

  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    setFillColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    setStrokeColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  public func setFillColor(gray: CGFloat, alpha: CGFloat) { setFillColor(CGColor(gray: gray, alpha: alpha)) }
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) { setStrokeColor(CGColor(gray: gray, alpha: alpha)) }

  public func setFillColor(cyan: CGFloat, magenta: CGFloat, yellow: CGFloat, black: CGFloat, alpha: CGFloat) {
    setFillColor(CGColor(genericCMYKCyan: cyan, magenta: magenta, yellow: yellow, black: black, alpha: alpha))
  }

  public func setStrokeColor(cyan: CGFloat, magenta: CGFloat, yellow: CGFloat, black: CGFloat, alpha: CGFloat) {
    setStrokeColor(CGColor(genericCMYKCyan: cyan, magenta: magenta, yellow: yellow, black: black, alpha: alpha))
  }

  /// Components of the space that `setFillColorSpace` has set, then alpha.
  public func setFillColor(_ components: UnsafePointer<CGFloat>) {
    if let color = unsafe CGColor(colorSpace: state.fillSpace, components: components) { setFillColor(color) }
  }

  /// Components of the space that `setStrokeColorSpace` has set, then alpha.
  public func setStrokeColor(_ components: UnsafePointer<CGFloat>) {
    if let color = unsafe CGColor(colorSpace: state.strokeSpace, components: components) { setStrokeColor(color) }
  }

  /// The fill colour becomes black.
  public func setFillColorSpace(_ space: CGColorSpace) {
    if let color = Self.black(space) { setFillColor(color) }
  }

  /// The stroke colour becomes black.
  public func setStrokeColorSpace(_ space: CGColorSpace) {
    if let color = Self.black(space) { setStrokeColor(color) }
  }

  /// Opaque black of a space; nil for a palette.
  private static func black(_ space: CGColorSpace) -> CGColor? {
    let count = space.numberOfComponents
    let components: [CGFloat] = count == 4 ? [0, 0, 0, 1, 1] : [CGFloat](repeating: 0, count: count) + [1]
    return unsafe CGColor(colorSpace: space, components: components)
  }
}
