import Foundation

/// Options of initialisers of `CIImage`.
public struct CIImageOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A `CGColorSpace` that the numbers are in whatever the source says; `NSNull()` for numbers of the working space.
  public static let colorSpace = CIImageOption(rawValue: "kCIImageColorSpace")
  /// Metadata of the image, with the keys of Image I/O.
  public static let properties = CIImageOption(rawValue: "kCIImageProperties")
  /// Whether the orientation among the properties turns the image.
  public static let applyOrientationProperty = CIImageOption(rawValue: "kCIImageApplyOrientationProperty")
  /// Whether the image is enlarged without interpolation.
  public static let nearestSampling = CIImageOption(rawValue: "kCIImageNearestSampling")
}
