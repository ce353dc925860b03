public import Foundation
package import MartletColor

extension CGColorSpace {
  /// The space of an ICC profile, given as `CFData` or as a data provider. Nil if the profile is damaged or not supported, and for one
  /// that maps colours by tables if Little CMS (`liblcms2.so.2`) is not installed.
  public convenience init?(iccData data: CFTypeRef) {
    let content: Data? = if let provider = data as? CGDataProvider { provider.data as Data? } else { data as? Data }
    guard let content else { return nil }
    try? self.init(profile: [UInt8](content))
  }

  /// - Throws: the reason why the profile cannot be used.
  package convenience init(profile: [UInt8]) throws(ColorProfileError) {
    self.init(.profile(profile), try ProfileReader.colorSpace(profile))
  }

  /// The ICC profile that the space was made from, or one that describes it. Nil for palettes and inks of the device.
  public func copyICCData() -> CFData? {
    switch origin {
    case .profile(let bytes): Data(bytes) as CFData
    case .palette: nil
    case .name(let name):
      ProfileWriter.profile(meaning, name: String(name.dropFirst("kCGColorSpace".count))).map { Data($0) as CFData }
    case .variant: ProfileWriter.profile(meaning, name: "Variant").map { Data($0) as CFData }
    }
  }
}

/// The space with the same primaries and components that may lie outside of 0…1. Nil for palettes and inks.
public func CGColorSpaceCreateExtended(_ space: CGColorSpace) -> CGColorSpace? {
  CGColorSpace(variant: space.meaning.extended, of: space)
}

/// The space with the same primaries and linear components. Nil for palettes and inks.
public func CGColorSpaceCreateLinearized(_ space: CGColorSpace) -> CGColorSpace? {
  CGColorSpace(variant: space.meaning.linear, of: space)
}

/// The space with the same primaries and linear components that may lie outside of 0…1. Nil for palettes and inks.
public func CGColorSpaceCreateExtendedLinearized(_ space: CGColorSpace) -> CGColorSpace? {
  CGColorSpace(variant: space.meaning.linear?.extended, of: space)
}
