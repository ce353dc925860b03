public import CoreGraphics
public import Foundation
import MartletColor

/// A colour for filters and images. Components are not multiplied by alpha.
open class CIColor: NSObject, NSCopying, @unchecked Sendable {
  /// The space of the components, which has red, green and blue.
  public let colorSpace: CGColorSpace
  public let red: CGFloat
  public let green: CGFloat
  public let blue: CGFloat
  public let alpha: CGFloat
  private let memory: Memory

  private init(_ space: CGColorSpace, _ red: CGFloat, _ green: CGFloat, _ blue: CGFloat, _ alpha: CGFloat) {
    colorSpace = space
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
    memory = Memory([red, green, blue, alpha])
  }

  private static let sRGB = CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB()

  /// A colour of sRGB. Components may lie outside of 0…1.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(Self.sRGB, red, green, blue, alpha)
  }

  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat) { self.init(red: red, green: green, blue: blue, alpha: 1) }

  /// Nil unless the space has red, green and blue.
  public convenience init?(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat, colorSpace: CGColorSpace) {
    guard colorSpace.model == .rgb else { return nil }
    self.init(colorSpace, red, green, blue, alpha)
  }

  public convenience init?(red: CGFloat, green: CGFloat, blue: CGFloat, colorSpace: CGColorSpace) {
    self.init(red: red, green: green, blue: blue, alpha: 1, colorSpace: colorSpace)
  }

  /// The colour, converted to sRGB unless its space has red, green and blue; black if it cannot be converted.
  public convenience init(cgColor color: CGColor) {
    let space = color.colorSpace.flatMap { $0.model == .rgb ? $0 : nil } ?? Self.sRGB
    let converted = color.converted(to: space, intent: .defaultIntent, options: nil)?.components ?? [0, 0, 0, color.alpha]
    self.init(space, converted[0], converted[1], converted[2], converted[3])
  }

  /// A colour of sRGB from three or four numbers with spaces between; missing ones are 0, and alpha is 1.
  public convenience init(string representation: String) {
    let numbers = representation.split(separator: " ").map { CGFloat(Double($0) ?? 0) }
    func number(_ index: Int) -> CGFloat { index < numbers.count ? numbers[index] : index == 3 ? 1 : 0 }
    self.init(red: number(0), green: number(1), blue: number(2), alpha: number(3))
  }

  /// Always 4: with alpha.
  public var numberOfComponents: Int { 4 }

  /// The components and alpha, valid while the colour lives.
  public var components: UnsafePointer<CGFloat> { unsafe UnsafePointer(memory.base) }

  @safe
  private final class Memory {
    let base: UnsafeMutablePointer<CGFloat>
    init(_ numbers: [CGFloat]) {
      unsafe base = .allocate(capacity: numbers.count)
      for (index, number) in numbers.enumerated() { unsafe (base + index).initialize(to: number) }
    }
    deinit { unsafe base.deallocate() }
  }

  /// The components as text, which `init(string:)` takes.
  public var stringRepresentation: String { "\(red) \(green) \(blue) \(alpha)" }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CIColor else { return false }
    return (red, green, blue, alpha) == (other.red, other.green, other.blue, other.alpha) && colorSpace == other.colorSpace
  }
  open override var hash: Int {
    var hasher = Hasher()
    for number in [red, green, blue, alpha] { hasher.combine(number) }
    return hasher.finalize()
  }
  open override var description: String { "(\(stringRepresentation))" }

  /// The colour in a space, not multiplied by alpha; nil if it cannot be converted. Without a space, the numbers themselves.
  func straightComponents(in space: CGColorSpace?) -> SIMD4<Float>? {
    let own = SIMD4<Float>(Float(red), Float(green), Float(blue), 0)
    guard let space else { return SIMD4(own, alpha: Float(alpha)) }
    // Components beyond 0…1 are colours, too.
    let extended = CGColorSpaceCreateExtended(colorSpace) ?? colorSpace
    guard let transform = ColorTransforms.transform(from: extended, to: space) else { return nil }
    return SIMD4(transform.convert(own), alpha: Float(alpha))
  }

  public static let black = CIColor(red: 0, green: 0, blue: 0)
  public static let white = CIColor(red: 1, green: 1, blue: 1)
  public static let gray = CIColor(red: 0.5, green: 0.5, blue: 0.5)
  public static let red = CIColor(red: 1, green: 0, blue: 0)
  public static let green = CIColor(red: 0, green: 1, blue: 0)
  public static let blue = CIColor(red: 0, green: 0, blue: 1)
  public static let cyan = CIColor(red: 0, green: 1, blue: 1)
  public static let magenta = CIColor(red: 1, green: 0, blue: 1)
  public static let yellow = CIColor(red: 1, green: 1, blue: 0)
  public static let clear = CIColor(red: 0, green: 0, blue: 0, alpha: 0)
}
