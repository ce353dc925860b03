public import CoreVideo
public import Foundation
import MartletFeatures

/// How a constraint limits the size of an image.
public enum MLImageSizeConstraintType: Int, Sendable, Hashable {
  /// Any size is accepted.
  case unspecified = 0
  /// Only the listed sizes are accepted. A feature of fixed size lists one.
  case enumerated = 2
  /// Width and height each have a range.
  case range = 3
}

/// The size of an image in pixels.
public final class MLImageSize: NSObject, NSSecureCoding {
  public let pixelsWide: Int
  public let pixelsHigh: Int

  init(pixelsWide: Int, pixelsHigh: Int) {
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
    super.init()
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageSize else { return false }
    return pixelsWide == other.pixelsWide && pixelsHigh == other.pixelsHigh
  }

  public override var hash: Int { pixelsWide &* 31 &+ pixelsHigh }
  public override var description: String { "\(pixelsWide) × \(pixelsHigh)" }
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(pixelsWide, forKey: "pixelsWide")
    coder.encode(pixelsHigh, forKey: "pixelsHigh")
  }

  public convenience init?(coder: NSCoder) {
    self.init(pixelsWide: coder.decodeInteger(forKey: "pixelsWide"), pixelsHigh: coder.decodeInteger(forKey: "pixelsHigh"))
  }
}

/// The sizes that an image feature accepts.
public final class MLImageSizeConstraint: NSObject, ComparedByContent, NSSecureCoding {
  public let type: MLImageSizeConstraintType
  /// The allowed widths. The end of the range is excluded.
  public let pixelsWideRange: NSRange
  /// The allowed heights. The end of the range is excluded.
  public let pixelsHighRange: NSRange
  /// The allowed sizes of an enumerated constraint.
  public let enumeratedImageSizes: [MLImageSize]

  init(type: MLImageSizeConstraintType, pixelsWideRange: NSRange, pixelsHighRange: NSRange, enumeratedImageSizes: [MLImageSize]) {
    self.type = type
    self.pixelsWideRange = pixelsWideRange
    self.pixelsHighRange = pixelsHighRange
    self.enumeratedImageSizes = enumeratedImageSizes
    super.init()
  }

  private convenience init(sizes: [ImageFeature.Size]) {
    self.init(
      type: .enumerated, pixelsWideRange: NSRange(spanning: sizes.map(\.width)), pixelsHighRange: NSRange(spanning: sizes.map(\.height)),
      enumeratedImageSizes: sizes.map { MLImageSize(pixelsWide: $0.width, pixelsHigh: $0.height) })
  }

  convenience init(_ image: ImageFeature) {
    switch image.flexibility {
    case .fixed where image.size == .init(width: 0, height: 0):
      let any = NSRange(location: 0, length: Int.max)
      self.init(type: .unspecified, pixelsWideRange: any, pixelsHighRange: any, enumeratedImageSizes: [])
    case .fixed: self.init(sizes: [image.size])
    case .enumerated(let sizes): self.init(sizes: sizes)
    case .ranges(let width, let height):
      self.init(type: .range, pixelsWideRange: width.range, pixelsHighRange: height.range, enumeratedImageSizes: [])
    }
  }

  var content: [AnyHashable] { [type, pixelsWideRange, pixelsHighRange, enumeratedImageSizes] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String {
    switch type {
    case .unspecified: "any size"
    case .enumerated:
      (enumeratedImageSizes.count == 1 ? "" : "one of ") + enumeratedImageSizes.map(\.description).joined(separator: ", ")
    case .range:
      [pixelsWideRange, pixelsHighRange].map { range in
        "\(range.location)..." + (range.isUnbounded ? "" : "\(range.upperBound - 1)")
      }.joined(separator: " × ")
    }
  }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(
      [pixelsWideRange.location, pixelsWideRange.length, pixelsHighRange.location, pixelsHighRange.length].map { NSNumber(value: $0) }
        as NSArray, forKey: "ranges")
    coder.encode(enumeratedImageSizes as NSArray, forKey: "sizes")
  }

  public convenience init?(coder: NSCoder) {
    guard let type = MLImageSizeConstraintType(rawValue: coder.decodeInteger(forKey: "type")),
      let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "ranges") as? [NSNumber], numbers.count == 4,
      let sizes = coder.decodeObject(of: [NSArray.self, MLImageSize.self], forKey: "sizes") as? [MLImageSize]
    else { return nil }
    let bounds = numbers.map(\.intValue)
    self.init(
      type: type, pixelsWideRange: NSRange(location: bounds[0], length: bounds[1]),
      pixelsHighRange: NSRange(location: bounds[2], length: bounds[3]), enumeratedImageSizes: sizes)
  }
}

/// Constrains the size and the pixel format of an image feature.
public final class MLImageConstraint: NSObject, ComparedByContent, NSSecureCoding {
  /// The default width.
  public let pixelsWide: Int
  /// The default height.
  public let pixelsHigh: Int
  /// The pixel format that the model uses. Images of other formats are converted.
  public let pixelFormatType: OSType
  public let sizeConstraint: MLImageSizeConstraint

  init(pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType, sizeConstraint: MLImageSizeConstraint) {
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
    self.pixelFormatType = pixelFormatType
    self.sizeConstraint = sizeConstraint
    super.init()
  }

  convenience init(_ image: ImageFeature) {
    self.init(
      pixelsWide: image.size.width, pixelsHigh: image.size.height, pixelFormatType: image.pixelFormatType,
      sizeConstraint: MLImageSizeConstraint(image))
  }

  /// Returns true if the constraint allows an image of this size.
  func allows(width: Int, height: Int) -> Bool {
    switch sizeConstraint.type {
    case .unspecified: return true
    case .enumerated:
      return width == pixelsWide && height == pixelsHigh
        || sizeConstraint.enumeratedImageSizes.contains { $0.pixelsWide == width && $0.pixelsHigh == height }
    case .range:
      func holds(_ range: NSRange, _ extent: Int) -> Bool { range.isUnbounded ? extent >= range.location : range.contains(extent) }
      return holds(sizeConstraint.pixelsWideRange, width) && holds(sizeConstraint.pixelsHighRange, height)
    }
  }

  /// The allowed images, for messages.
  var expectation: String {
    let color =
      switch pixelFormatType {
      case kCVPixelFormatType_OneComponent8: "Grayscale"
      case kCVPixelFormatType_OneComponent16Half: "Grayscale16Half"
      default: "Color"
      }
    return "Image (\(color), \(sizeConstraint.description))"
  }

  var content: [AnyHashable] { [pixelsWide, pixelsHigh, pixelFormatType, sizeConstraint] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String { expectation }
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(pixelsWide, forKey: "pixelsWide")
    coder.encode(pixelsHigh, forKey: "pixelsHigh")
    coder.encode(Int64(pixelFormatType), forKey: "pixelFormatType")
    coder.encode(sizeConstraint, forKey: "sizeConstraint")
  }

  public convenience init?(coder: NSCoder) {
    guard let format = OSType(exactly: coder.decodeInt64(forKey: "pixelFormatType")),
      let constraint = coder.decodeObject(of: MLImageSizeConstraint.self, forKey: "sizeConstraint")
    else { return nil }
    self.init(
      pixelsWide: coder.decodeInteger(forKey: "pixelsWide"), pixelsHigh: coder.decodeInteger(forKey: "pixelsHigh"),
      pixelFormatType: format, sizeConstraint: constraint)
  }
}
