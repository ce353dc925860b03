public import Foundation
package import MartletColor

/// The kinds of components that a colour space has.
public enum CGColorSpaceModel: Int32, Sendable {
  case unknown = -1
  case monochrome
  case rgb
  case cmyk
  case lab
  case deviceN
  case indexed
  case pattern
  case XYZ
}

/// The meaning of a colour's components. Spaces are equal if they were made from the same name, device, profile or table.
public final class CGColorSpace: Hashable, Sendable {
  enum Origin: Hashable, Sendable {
    case name(String)
    case profile([UInt8])
    case palette(base: CGColorSpace, table: [UInt8])
    /// Linear or extended components of another space.
    case variant(ColorSpace)
  }

  let origin: Origin
  /// The meaning of the components; of the base space's for a palette.
  package let meaning: ColorSpace

  /// The hash value of the meaning, whose curves may be long.
  let meaningHash: Int

  init(_ origin: Origin, _ meaning: ColorSpace) {
    self.origin = origin
    self.meaning = meaning
    meaningHash = meaning.hashValue
  }

  /// A space with another range or curve than `space`; nil if it has no primaries or shades.
  convenience init?(variant: ColorSpace?, of space: CGColorSpace) {
    guard let variant, variant.linear != nil, space.colorTable == nil else { return nil }
    // A variant with a name is the named space.
    if let name = Self.named.first(where: { $0.value == variant && !$0.key.contains("Device") })?.key {
      self.init(.name(name), variant)
    } else {
      self.init(.variant(variant), variant)
    }
  }

  /// A space that has a name; nil for an unknown one.
  public convenience init?(name: CFString) {
    guard let meaning = Self.named[name as String] else { return nil }
    self.init(.name(name as String), meaning)
  }

  /// The space of a palette with `lastIndex + 1` colours, each with one byte per component of the base space. At most 256 colours.
  public convenience init?(indexedBaseSpace baseSpace: CGColorSpace, lastIndex: Int, colorTable: UnsafePointer<UInt8>) {
    guard (0...255).contains(lastIndex), baseSpace.colorTable == nil else { return nil }
    let table = unsafe UnsafeBufferPointer(start: colorTable, count: (lastIndex + 1) * baseSpace.numberOfComponents)
    unsafe self.init(.palette(base: baseSpace, table: Array(table)), baseSpace.meaning)
  }

  static let deviceRGB = CGColorSpace(name: deviceRGBName)!
  static let deviceGray = CGColorSpace(name: deviceGrayName)!
  static let deviceCMYK = CGColorSpace(name: deviceCMYKName)!

  public static func == (first: CGColorSpace, second: CGColorSpace) -> Bool {
    first === second || first.origin == second.origin
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(origin) }

  /// The name that `init(name:)` takes; nil for spaces without one.
  public var name: CFString? {
    if case .name(let name) = origin { name as CFString } else { nil }
  }

  /// Number of components of a colour, without alpha; 1 for a palette.
  public var numberOfComponents: Int { isPalette ? 1 : meaning.componentCount }

  public var model: CGColorSpaceModel {
    if isPalette { return .indexed }
    switch meaning.componentCount {
    case 1: return .monochrome
    case 3: return .rgb
    case 4: return .cmyk
    default: return .unknown
    }
  }

  private var isPalette: Bool {
    if case .palette = origin { true } else { false }
  }

  /// The space of a palette's colours; nil for other spaces.
  public var baseColorSpace: CGColorSpace? {
    if case .palette(let base, _) = origin { base } else { nil }
  }

  /// A palette's colours; nil for other spaces.
  public var colorTable: [UInt8]? {
    if case .palette(_, let table) = origin { table } else { nil }
  }

  /// True if colours can be converted to this space: to any but a palette.
  public var supportsOutput: Bool { !isPalette }

  /// True if the space has colours that sRGB lacks.
  public var isWideGamutRGB: Bool {
    guard case .rgb(let matrix, _, _, _) = meaning.definition, case .rgb(let narrow, _, _, _) = ColorSpace.sRGB.definition else {
      return false
    }
    // The primaries of sRGB span a tetrahedron with black, whose volume is the determinant.
    return meaning.isExtended || abs(matrix.determinant) > abs(narrow.determinant) * 1.05
  }
}

/// True if components below 0 and above 1 are colours, too.
public func CGColorSpaceUsesExtendedRange(_ space: CGColorSpace) -> Bool { space.meaning.isExtended }

/// Red, green and blue of the device: sRGB's.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { .deviceRGB }

/// Shades of the device. A neutral colour of `CGColorSpaceCreateDeviceRGB()` has the same number.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { .deviceGray }

/// Inks of the device: colours are what they leave of sRGB's primaries.
public func CGColorSpaceCreateDeviceCMYK() -> CGColorSpace { .deviceCMYK }
