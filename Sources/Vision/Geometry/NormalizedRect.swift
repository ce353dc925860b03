public import Foundation

/// Where the origin of a picture's coordinates lies.
public enum CoordinateOrigin: Sendable, Hashable, Codable {
  case lowerLeft
  case upperLeft
}

/// A point of a picture, which spans 0 to 1 along each axis, with the origin at the lower left.
public struct NormalizedPoint: Sendable, Hashable, Codable, CustomStringConvertible {
  public let cgPoint: CGPoint

  public init(x: CGFloat, y: CGFloat) { cgPoint = CGPoint(x: x, y: y) }
  public init(normalizedPoint: CGPoint) { cgPoint = normalizedPoint }

  /// - Parameters:
  ///   - imagePoint: in pixels, with the origin at the lower left.
  ///   - imageSize: size of the picture in pixels.
  public init(imagePoint: CGPoint, in imageSize: CGSize) {
    self.init(imagePoint: imagePoint, in: imageSize, normalizedTo: .fullImage)
  }

  /// A point of a region.
  public init(imagePoint: CGPoint, in imageSize: CGSize, normalizedTo regionOfInterest: NormalizedRect) {
    self.init(
      x: (imagePoint.x / imageSize.width - regionOfInterest.origin.x) / regionOfInterest.width,
      y: (imagePoint.y / imageSize.height - regionOfInterest.origin.y) / regionOfInterest.height)
  }

  public static let zero = NormalizedPoint(x: 0, y: 0)

  public var x: CGFloat { cgPoint.x }
  public var y: CGFloat { cgPoint.y }

  /// The point in pixels.
  public func toImageCoordinates(_ imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft) -> CGPoint {
    toImageCoordinates(from: .fullImage, imageSize: imageSize, origin: origin)
  }

  /// The point in pixels of one in a region.
  public func toImageCoordinates(
    from regionOfInterest: NormalizedRect, imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGPoint {
    let y = regionOfInterest.origin.y + self.y * regionOfInterest.height
    return CGPoint(
      x: (regionOfInterest.origin.x + x * regionOfInterest.width) * imageSize.width,
      y: (origin == .lowerLeft ? y : 1 - y) * imageSize.height)
  }

  /// The same point counted from the other edge.
  public func verticallyFlipped() -> NormalizedPoint { NormalizedPoint(x: x, y: 1 - y) }

  public var description: String { "NormalizedPoint(x: \(x), y: \(y))" }

  public init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    self.init(x: try values.decode(CGFloat.self), y: try values.decode(CGFloat.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    try values.encode(x)
    try values.encode(y)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(x)
    hasher.combine(y)
  }
}

/// A rectangle of a picture, which spans 0 to 1 along each axis, with the origin at the lower left.
public struct NormalizedRect: Sendable, Hashable, Codable, CustomStringConvertible {
  public let cgRect: CGRect

  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) { cgRect = CGRect(x: x, y: y, width: width, height: height) }
  public init(normalizedRect: CGRect) { cgRect = normalizedRect }

  /// - Parameters:
  ///   - imageRect: in pixels, with the origin at the lower left.
  ///   - imageSize: size of the picture in pixels.
  public init(imageRect: CGRect, in imageSize: CGSize) { self.init(imageRect: imageRect, in: imageSize, normalizedTo: .fullImage) }

  /// A rectangle of a region.
  public init(imageRect: CGRect, in imageSize: CGSize, normalizedTo regionOfInterest: NormalizedRect) {
    let origin = NormalizedPoint(imagePoint: imageRect.origin, in: imageSize, normalizedTo: regionOfInterest)
    self.init(
      x: origin.x, y: origin.y, width: imageRect.size.width / imageSize.width / regionOfInterest.width,
      height: imageRect.size.height / imageSize.height / regionOfInterest.height)
  }

  /// The whole picture.
  public static let fullImage = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

  /// The lower left corner.
  public var origin: CGPoint { cgRect.origin }
  public var width: CGFloat { cgRect.size.width }
  public var height: CGFloat { cgRect.size.height }

  /// The rectangle in pixels.
  public func toImageCoordinates(_ imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft) -> CGRect {
    toImageCoordinates(from: .fullImage, imageSize: imageSize, origin: origin)
  }

  /// The rectangle in pixels of one in a region.
  public func toImageCoordinates(
    from regionOfInterest: NormalizedRect, imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
  ) -> CGRect {
    let corner = CGPoint(x: self.origin.x, y: origin == .lowerLeft ? self.origin.y : self.origin.y + height)
    let point = NormalizedPoint(normalizedPoint: corner).toImageCoordinates(from: regionOfInterest, imageSize: imageSize, origin: origin)
    return CGRect(
      x: point.x, y: point.y, width: width * regionOfInterest.width * imageSize.width,
      height: height * regionOfInterest.height * imageSize.height)
  }

  /// The same rectangle counted from the other edge.
  public func verticallyFlipped() -> NormalizedRect { NormalizedRect(x: origin.x, y: 1 - origin.y - height, width: width, height: height) }

  public var description: String { "NormalizedRect(x: \(origin.x), y: \(origin.y), width: \(width), height: \(height))" }

  public init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    self.init(
      x: try values.decode(CGFloat.self), y: try values.decode(CGFloat.self), width: try values.decode(CGFloat.self),
      height: try values.decode(CGFloat.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    for number in [origin.x, origin.y, width, height] { try values.encode(number) }
  }

  public func hash(into hasher: inout Hasher) {
    for number in [origin.x, origin.y, width, height] { hasher.combine(number) }
  }
}
