import Foundation

/// Options of initialisers of `CIImage`.
public struct CIImageOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A `CGColorSpace` that the numbers are in whatever the source says; `NSNull()` for numbers of the working space.
  public static let colorSpace = CIImageOption(rawValue: "kCIImageColorSpace")
  /// Metadata of the image, with the keys of Image I/O.
  public static let properties = CIImageOption(rawValue: "kCIImageProperties")
  /// A Boolean: the orientation in the properties is applied.
  public static let applyOrientationProperty = CIImageOption(rawValue: "kCIImageApplyOrientationProperty")
  /// A Boolean: the image is sampled without interpolation.
  public static let nearestSampling = CIImageOption(rawValue: "kCIImageNearestSampling")
}
