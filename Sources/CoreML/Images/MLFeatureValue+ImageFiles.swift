public import CoreVideo
import Foundation
public import ImageIO
import Martlet

extension MLFeatureValue {
  /// Options for fitting an image to a model's input.
  public struct ImageOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The part of the upright image to use: a `CGRect` in the unit square with the origin at the lower left corner. Default: the whole
    /// image.
    public static let cropRect = ImageOption(rawValue: "MLFeatureValueImageOptionCropRect")
    /// Cropping and scaling mode: the raw value of a `VNImageCropAndScaleOption`. Default: stretch to fill.
    public static let cropAndScale = ImageOption(rawValue: "MLFeatureValueImageOptionCropAndScale")
  }

  /// Creates a value from a picture file, rotated according to its orientation and converted to sRGB and to the size and pixel format of
  /// a feature.
  ///
  /// Images are resized bilinearly with antialiasing; transparent ones are composited over black. One-component formats hold the luma of
  /// ITU-R BT.601; in floating-point formats it ranges from 0 to 1.
  /// - Throws: `MLModelError.io` naming a file that cannot be read; `.generic` if an option has an invalid value.
  public convenience init(imageAt url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    try self.init(
      imageAt: url, pixelsWide: constraint.pixelsWide, pixelsHigh: constraint.pixelsHigh, pixelFormatType: constraint.pixelFormatType,
      options: options)
  }

  /// Same, with an explicit orientation that replaces the file's.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      imageAt: url, orientation: orientation, pixelsWide: constraint.pixelsWide, pixelsHigh: constraint.pixelsHigh,
      pixelFormatType: constraint.pixelFormatType, options: options)
  }

  /// Creates a value from a picture file, rotated according to its orientation and converted to sRGB and to a size and pixel format.
  /// - Throws: as `init(imageAt:constraint:options:)`; also `.generic` for an unsupported size or format.
  public convenience init(
    imageAt url: URL, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType, options: [ImageOption: Any]? = nil
  ) throws {
    let fitting = try ImageFitting(width: pixelsWide, height: pixelsHigh, pixelFormat: pixelFormatType, options: options)
    self.init(pixelBuffer: try fitting.pixelBuffer(try Self.picture(url, orientation: nil)))
  }

  /// Same, with an explicit orientation that replaces the file's.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    let fitting = try ImageFitting(width: pixelsWide, height: pixelsHigh, pixelFormat: pixelFormatType, options: options)
    self.init(pixelBuffer: try fitting.pixelBuffer(try Self.picture(url, orientation: orientation)))
  }

  /// Reads an image file and rotates it upright.
  private static func picture(_ url: URL, orientation: CGImagePropertyOrientation?) throws -> Picture {
    guard url.isFileURL else { throw MLModelError(.io, "\(url) is not the URL of a file") }
    if let picture = try profiledPicture(url, orientation: orientation) { return picture }
    do {
      return try Picture(contentsOf: url, orientation: orientation.flatMap { Picture.Orientation(rawValue: Int($0.rawValue)) })
    } catch {
      throw MLModelError(error)
    }
  }

  /// The picture of a file whose colours are not sRGB's; nil for other files and for those that cannot be read.
  private static func profiledPicture(_ url: URL, orientation: CGImagePropertyOrientation?) throws -> Picture? {
    guard let source = CGImageSourceCreateWithURL(url as CFURL, nil) else { return nil }
    let index = CGImageSourceGetPrimaryImageIndex(source)
    guard let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) else { return nil }
    let png = properties[kCGImagePropertyPNGDictionary] as? CFDictionary
    guard properties[kCGImagePropertyProfileName] != nil || png?[kCGImagePropertyPNGGamma] != nil,
      let image = CGImageSourceCreateImageAtIndex(source, index, nil)
    else { return nil }
    let stated = (properties[kCGImagePropertyOrientation] as? Int).flatMap { CGImagePropertyOrientation(rawValue: UInt32($0)) }
    return try ImageColors.picture(image, orientation: orientation ?? stated ?? .up)
  }
}
