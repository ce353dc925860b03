public import Foundation
import MartletColor

/// A colour: components of a colour space, and alpha. Equal if space and numbers are.
public final class CGColor: Hashable, Sendable {
  private let space: CGColorSpace
  private let numbers: [CGFloat]

  /// - Parameter numbers: the components of the space, then alpha.
  private init(_ space: CGColorSpace, _ numbers: [CGFloat]) {
    self.space = space
    self.numbers = numbers
  }

  /// - Parameter components: the components of the space, then alpha. Nil for a space of a palette.
  public convenience init?(colorSpace space: CGColorSpace, components: UnsafePointer<CGFloat>) {
    guard space.colorTable == nil else { return nil }
    unsafe self.init(space, Array(UnsafeBufferPointer(start: components, count: space.numberOfComponents + 1)))
  }

  /// A colour of the device, which is sRGB.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(.deviceRGB, [red, green, blue, alpha])
  }

  public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpace(name: CGColorSpace.sRGB) ?? .deviceRGB, [red, green, blue, alpha])
  }

  /// A shade of the device.
  public convenience init(gray: CGFloat, alpha: CGFloat) { self.init(.deviceGray, [gray, alpha]) }

  public convenience init(genericGrayGamma2_2Gray gray: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpace(name: CGColorSpace.genericGrayGamma2_2) ?? .deviceGray, [gray, alpha])
  }

  public convenience init(genericCMYKCyan cyan: CGFloat, magenta: CGFloat, yellow: CGFloat, black: CGFloat, alpha: CGFloat) {
    self.init(.deviceCMYK, [cyan, magenta, yellow, black, alpha])
  }

  public static let black = CGColor(gray: 0, alpha: 1)
  public static let white = CGColor(gray: 1, alpha: 1)
  public static let clear = CGColor(gray: 0, alpha: 0)

  public static func == (first: CGColor, second: CGColor) -> Bool {
    first === second || first.numbers == second.numbers && first.space == second.space
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(numbers) }

  public var colorSpace: CGColorSpace? { space }
  /// The components of the space, then alpha.
  public var components: [CGFloat]? { numbers }
  /// With alpha.
  public var numberOfComponents: Int { numbers.count }
  public var alpha: CGFloat { numbers[numbers.count - 1] }

  public func copy() -> CGColor? { CGColor(space, numbers) }

  public func copy(alpha: CGFloat) -> CGColor? { CGColor(space, numbers.dropLast() + [alpha]) }

  /// The colour in another space, relative colorimetric. Nil if there is no conversion to it.
  /// - Parameters:
  ///   - intent: ignored.
  ///   - options: ignored.
  public func converted(to space: CGColorSpace, intent: CGColorRenderingIntent, options: CFDictionary?) -> CGColor? {
    if space == self.space { return self }
    guard let color = components(in: space) else { return nil }
    return CGColor(space, (0..<space.numberOfComponents).map { CGFloat(color[$0]) } + [alpha])
  }

  /// Nil if there is no conversion to `space`.
  func components(in space: CGColorSpace) -> SIMD4<Float>? {
    var color = SIMD4<Float>.zero
    for index in 0..<self.space.numberOfComponents { color[index] = Float(numbers[index]) }
    return ColorTransforms.transform(from: self.space, to: space)?.convert(color)
  }
}
