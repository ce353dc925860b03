import CoreGraphics
import MartletColor

/// A node of the recipe of an image.
protocol Recipe: Sendable {
  /// The pixels that may not be transparent.
  var extent: PixelRegion { get }
  /// Pixels of the inputs that one pixel needs beside its own place.
  var reach: Int { get }
  /// The pixels of a region, which is not empty and lies within `extent`.
  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile
  /// The picture that this node moves without changing its pixels; nil for other nodes.
  var moved: MovedPicture? { get }
}

extension Recipe {
  var reach: Int { 0 }
  var moved: MovedPicture? { nil }
}

enum RenderError: Error {
  /// More pixels are needed at once than memory should hold.
  case tooLarge
  /// Colours of a picture cannot be converted to the working space, or those to the space of the result.
  case colors
}

/// Settings for the evaluation of recipes.
struct Renderer: Sendable {
  /// Pixels of a region that a node may ask for.
  private static let largestRegion = 1 << 27

  /// The space in which colours are mixed; nil for the numbers of each picture.
  let space: CGColorSpace?
  /// True if pictures that are scaled down are antialiased.
  let isAntialiased: Bool

  /// The pixels of a region, transparent outside of the recipe's extent.
  func tile(_ recipe: any Recipe, _ region: PixelRegion) throws(RenderError) -> Tile {
    try limit(region)
    let inside = region.intersection(recipe.extent)
    if inside.isEmpty { return .clear(region) }
    return try recipe.tile(inside, self).placed(in: region)
  }

  /// Throws if a node may not ask for a region of this size.
  func limit(_ region: PixelRegion) throws(RenderError) {
    let (area, isOverflowing) = region.width.multipliedReportingOverflow(by: region.height)
    guard !isOverflowing, area <= Self.largestRegion else { throw .tooLarge }
  }

  /// The conversion from a space to the working space; nil where there is none to do.
  func toWorkingSpace(from source: CGColorSpace) throws(RenderError) -> ColorTransform? {
    guard let space else { return nil }
    guard let transform = ColorTransforms.transform(from: source, to: space) else { throw .colors }
    return transform
  }

  /// The conversion from the working space; nil where there is none to do.
  func fromWorkingSpace(to target: CGColorSpace) throws(RenderError) -> ColorTransform? {
    guard let space else { return nil }
    guard let transform = ColorTransforms.transform(from: space, to: target) else { throw .colors }
    return transform
  }
}
