public import CoreGraphics
public import Foundation
public import ImageIO

extension CIImage {
  private func derived(_ recipe: any Recipe) -> CIImage { CIImage(recipe, properties: properties) }

  // MARK: Geometry

  /// The image under an affine map. How an image becomes smaller is the context's choice.
  public func transformed(by matrix: CGAffineTransform) -> CIImage { derived(TransformRecipe.make(recipe, matrix)) }

  /// - Parameter highQualityDownsample: whether an image that becomes smaller is filtered, whatever the context's option is.
  public func transformed(by matrix: CGAffineTransform, highQualityDownsample: Bool) -> CIImage {
    derived(TransformRecipe.make(recipe, matrix, isAntialiased: highQualityDownsample))
  }

  /// The image turned upright from the orientation of an EXIF tag; the image itself for other numbers than 1 to 8.
  public func oriented(forExifOrientation orientation: Int32) -> CIImage {
    UInt32(exactly: orientation).flatMap(CGImagePropertyOrientation.init).map(oriented) ?? self
  }

  /// The image turned upright. The lower left corner of the extent stays where it is.
  public func oriented(_ orientation: CGImagePropertyOrientation) -> CIImage { transformed(by: orientationTransform(for: orientation)) }

  /// The map of `oriented(forExifOrientation:)`.
  public func orientationTransform(forExifOrientation orientation: Int32) -> CGAffineTransform {
    UInt32(exactly: orientation).flatMap(CGImagePropertyOrientation.init).map { orientationTransform(for: $0) } ?? .identity
  }

  /// The map of `oriented(_:)`.
  public func orientationTransform(for orientation: CGImagePropertyOrientation) -> CGAffineTransform {
    Orientation.transform(orientation, recipe.extent)
  }

  /// The part of the image within a rectangle, whose edges are moved outwards to whole pixels.
  public func cropped(to rect: CGRect) -> CIImage {
    let region = PixelRegion(rect)
    if region.contains(recipe.extent) { return self }
    return derived(CropRecipe(recipe, region))
  }

  /// The image with the pixels of its edges continued without end.
  public func clampedToExtent() -> CIImage { clamped(recipe.extent) }

  /// The part within a rectangle, with the pixels of its edges continued without end.
  public func clamped(to rect: CGRect) -> CIImage { clamped(PixelRegion(rect).intersection(recipe.extent)) }

  private func clamped(_ region: PixelRegion) -> CIImage {
    region == .infinite ? self : derived(ClampRecipe(input: recipe, inner: region))
  }

  /// The image whose pixels are moved, not mixed, when it is transformed.
  public func samplingNearest() -> CIImage { derived(SamplingRecipe(input: recipe, isNearest: true)) }

  /// The image whose pixels are interpolated when it is transformed.
  public func samplingLinear() -> CIImage { derived(SamplingRecipe(input: recipe, isNearest: false)) }

  // MARK: Filters

  /// This image over another one.
  public func composited(over dest: CIImage) -> CIImage { derived(CompositeRecipe(input: recipe, background: dest.recipe)) }

  /// The output of a filter with this image as its input; an image without pixels for a name of no filter and a filter without output.
  public func applyingFilter(_ filterName: String, parameters params: [String: Any]) -> CIImage {
    guard let filter = CIFilter(name: filterName) else { return CIImage.empty() }
    filter.setValue(self, forKey: kCIInputImageKey)
    for (key, value) in params { filter.setValue(value, forKey: key) }
    return filter.outputImage ?? CIImage.empty()
  }

  public func applyingFilter(_ filterName: String) -> CIImage { applyingFilter(filterName, parameters: [:]) }

  /// The image blurred, transparent beyond its edges. The extent grows by three standard deviations.
  /// - Parameter sigma: the standard deviation in pixels.
  public func applyingGaussianBlur(sigma: Double) -> CIImage { derived(BlurRecipe.make(recipe, sigma: sigma)) }

  // MARK: Colours

  /// The image with colours multiplied by alpha.
  public func premultiplyingAlpha() -> CIImage { derived(PointRecipe(recipe, .premultiply)) }

  /// The image with colours divided by alpha.
  public func unpremultiplyingAlpha() -> CIImage { derived(PointRecipe(recipe, .unpremultiply)) }

  /// The image with an alpha of 1 within a rectangle and nothing outside of it.
  public func settingAlphaOne(in extent: CGRect) -> CIImage { derived(PointRecipe(recipe, .opaque, extent: PixelRegion(extent))) }

  /// The image whose numbers, which are in `colorSpace`, are converted to the working space. Nil unless it is a space of red, green and blue
  /// or of shades.
  public func matchedToWorkingSpace(from colorSpace: CGColorSpace) -> CIImage? {
    Self.isConvertible(colorSpace) ? derived(PointRecipe(recipe, .toWorkingSpace(colorSpace))) : nil
  }

  /// The image whose numbers are converted from the working space to `colorSpace`. Nil unless it is a space of red, green and blue.
  public func matchedFromWorkingSpace(to colorSpace: CGColorSpace) -> CIImage? {
    Self.isConvertible(colorSpace) ? derived(PointRecipe(recipe, .fromWorkingSpace(colorSpace))) : nil
  }

  private static func isConvertible(_ space: CGColorSpace) -> Bool { space.model == .rgb }

  /// The image with other properties.
  public func settingProperties(_ properties: [AnyHashable: Any]) -> CIImage {
    var named: [String: Any] = [:]
    for (key, value) in properties {
      if let key = key.base as? String ?? (key.base as? NSString).map({ $0 as String }) { named[key] = value }
    }
    return CIImage(recipe, properties: named, colorSpace: colorSpace)
  }

  /// The image itself: nothing is kept from one rendering to the next.
  public func insertingIntermediate() -> CIImage { self }
  public func insertingIntermediate(cache: Bool) -> CIImage { self }

  // MARK: Colours without end

  public static let black = CIImage(color: .black)
  public static let white = CIImage(color: .white)
  public static let gray = CIImage(color: .gray)
  public static let red = CIImage(color: .red)
  public static let green = CIImage(color: .green)
  public static let blue = CIImage(color: .blue)
  public static let cyan = CIImage(color: .cyan)
  public static let magenta = CIImage(color: .magenta)
  public static let yellow = CIImage(color: .yellow)
  public static let clear = CIImage(color: .clear)
}
