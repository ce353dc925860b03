public import CoreGraphics
public import CoreVideo
public import Foundation
import ImageIO
import MartletBufferImages

/// A recipe for an image: where pixels come from and what is done with them. Nothing is computed before a `CIContext` renders the image.
///
/// Coordinates are in pixels, with the origin at the lower left; a pixel covers a square of 1 by 1. The extent is in whole pixels. Images are
/// immutable, and threads may share them.
///
/// A pixel buffer is read when the image is rendered. Its alpha is taken as multiplied into the colours. One-component formats are shades.
open class CIImage: NSObject, NSCopying, @unchecked Sendable {
  let recipe: any Recipe
  /// Properties of the file that the image comes from, as Image I/O gives them; empty for other images.
  public let properties: [String: Any]
  /// The colour space of the pixels that the image was made from; nil for other images.
  public let colorSpace: CGColorSpace?
  /// The buffer that the image was made from without further steps.
  public let pixelBuffer: CVPixelBuffer?
  /// The image that this one was made from without further steps.
  public let cgImage: CGImage?
  /// The file that the image was read from.
  public let url: URL?

  private init(
    recipe: any Recipe, properties: [String: Any], colorSpace: CGColorSpace?, pixelBuffer: CVPixelBuffer?, cgImage: CGImage?, url: URL?
  ) {
    self.recipe = recipe
    self.properties = properties
    self.colorSpace = colorSpace
    self.pixelBuffer = pixelBuffer
    self.cgImage = cgImage
    self.url = url
  }

  convenience init(_ recipe: any Recipe, properties: [String: Any] = [:], colorSpace: CGColorSpace? = nil) {
    self.init(recipe: recipe, properties: properties, colorSpace: colorSpace, pixelBuffer: nil, cgImage: nil, url: nil)
  }

  /// Where the image may have pixels that are not transparent. Infinite for colours and clamped images, empty for no image.
  public var extent: CGRect { recipe.extent.rect }

  /// An image without pixels.
  public class func empty() -> CIImage { CIImage(EmptyRecipe()) }

  /// The image itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String { "<CIImage: extent \(extent)>" }

  // MARK: Sources

  /// One colour, without end.
  public convenience init(color: CIColor) { self.init(ColorRecipe(color: color)) }

  public convenience init(cgImage image: CGImage) { self.init(cgImage: image, options: nil) }

  /// - Parameter options: `colorSpace`, `applyOrientationProperty` with `properties`, `nearestSampling`; others are ignored.
  public convenience init(cgImage image: CGImage, options: [CIImageOption: Any]?) {
    self.init(image, ImageOptions(options), properties: nil, url: nil, original: image)
  }

  private convenience init(_ image: CGImage, _ options: ImageOptions, properties: [String: Any]?, url: URL?, original: CGImage?) {
    let image = options.colorSpace.flatMap { image.copy(colorSpace: $0) } ?? image
    let properties = options.properties ?? properties ?? [:]
    let recipe = PictureRecipe(content: .image(image), isManaged: options.isManaged)
    let finished = options.finished(recipe, properties)
    self.init(
      recipe: finished, properties: properties, colorSpace: options.isManaged ? image.colorSpace : nil, pixelBuffer: nil,
      cgImage: finished is PictureRecipe ? original : nil, url: url)
  }

  public convenience init?(data: Data) { self.init(data: data, options: nil) }

  /// The primary picture of a file's content; nil if it cannot be decoded. It is turned only with `applyOrientationProperty`.
  public convenience init?(data: Data, options: [CIImageOption: Any]?) {
    guard let source = CGImageSourceCreateWithData(data as CFData, nil) else { return nil }
    self.init(source, options, url: nil)
  }

  public convenience init?(contentsOf url: URL) { self.init(contentsOf: url, options: nil) }

  /// The primary picture of a file; nil if it cannot be read. It is turned only with `applyOrientationProperty`.
  public convenience init?(contentsOf url: URL, options: [CIImageOption: Any]?) {
    guard let source = CGImageSourceCreateWithURL(url as CFURL, nil) else { return nil }
    self.init(source, options, url: url)
  }

  private convenience init?(_ source: CGImageSource, _ options: [CIImageOption: Any]?, url: URL?) {
    let index = CGImageSourceGetPrimaryImageIndex(source)
    guard let image = CGImageSourceCreateImageAtIndex(source, index, nil) else { return nil }
    var properties: [String: Any] = [:]
    for (key, value) in CGImageSourceCopyPropertiesAtIndex(source, index, nil) ?? [:] {
      if let key = key as? String { properties[key] = value }
    }
    self.init(image, ImageOptions(options), properties: properties, url: url, original: image)
  }

  /// An image whose pixels lie in memory, rows from the top down; empty if they do not fit the numbers given.
  /// - Parameter colorSpace: nil for colours that are not converted.
  public convenience init(bitmapData data: Data, bytesPerRow: Int, size: CGSize, format: CIFormat, colorSpace: CGColorSpace?) {
    guard let image = format.image(data, bytesPerRow: bytesPerRow, size: size, space: colorSpace) else {
      self.init(EmptyRecipe())
      return
    }
    self.init(PictureRecipe(content: .image(image), isManaged: colorSpace != nil), colorSpace: colorSpace)
  }

  public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer) { self.init(cvPixelBuffer: pixelBuffer, options: nil) }

  /// The pixels of a buffer; empty for a format without colours. Attachments say which colour space they are in; without them it is sRGB, or
  /// the shades of the device.
  /// - Parameter options: as for `init(cgImage:options:)`.
  public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [CIImageOption: Any]? = nil) {
    guard let buffer = BufferPicture(pixelBuffer) else {
      self.init(recipe: EmptyRecipe(), properties: [:], colorSpace: nil, pixelBuffer: pixelBuffer, cgImage: nil, url: nil)
      return
    }
    let options = ImageOptions(options)
    var space = buffer.space
    var content = PictureRecipe.Content.buffer(buffer)
    if let image = buffer.viewedImage {
      let meant = options.colorSpace.flatMap { image.copy(colorSpace: $0) } ?? image
      space = meant.colorSpace ?? space
      content = .image(meant)
    } else if let other = options.colorSpace, other.numberOfComponents == 3 {
      space = other
      content = .buffer(buffer.with(space: other))
    }
    let properties = options.properties ?? [:]
    let recipe = options.finished(PictureRecipe(content: content, isManaged: options.isManaged), properties)
    self.init(
      recipe: recipe, properties: properties, colorSpace: options.isManaged ? space : nil,
      pixelBuffer: recipe is PictureRecipe ? pixelBuffer : nil, cgImage: nil, url: nil)
  }

  public convenience init(cvImageBuffer imageBuffer: CVImageBuffer) { self.init(cvPixelBuffer: imageBuffer, options: nil) }

  public convenience init(cvImageBuffer imageBuffer: CVImageBuffer, options: [CIImageOption: Any]? = nil) {
    self.init(cvPixelBuffer: imageBuffer, options: options)
  }
}

/// Options of initialisers.
private struct ImageOptions {
  let colorSpace: CGColorSpace?
  let isManaged: Bool
  let properties: [String: Any]?
  private let appliesOrientation: Bool
  private let isNearest: Bool

  init(_ options: [CIImageOption: Any]?) {
    colorSpace = options?[.colorSpace] as? CGColorSpace
    isManaged = !(options?[.colorSpace] is NSNull)
    properties =
      (options?[.properties] as? [String: Any])
      ?? (options?[.properties] as? [CFString: Any]).map { properties in
        Dictionary(properties.map { ($0.key as String, $0.value) }) { first, _ in first }
      }
    func flag(_ key: CIImageOption) -> Bool { options?[key] as? Bool ?? (options?[key] as? NSNumber)?.boolValue ?? false }
    appliesOrientation = flag(.applyOrientationProperty)
    isNearest = flag(.nearestSampling)
  }

  /// The recipe with what the options do to it.
  func finished(_ recipe: any Recipe, _ properties: [String: Any]) -> any Recipe {
    var result = recipe
    if appliesOrientation, let number = properties[kCGImagePropertyOrientation as String] as? NSNumber,
      let orientation = CGImagePropertyOrientation(rawValue: number.uint32Value)
    {
      result = TransformRecipe.make(result, Orientation.transform(orientation, result.extent))
    }
    return isNearest ? SamplingRecipe(input: result, isNearest: true) : result
  }
}
