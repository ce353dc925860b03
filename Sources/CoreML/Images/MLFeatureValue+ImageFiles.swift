public import CoreVideo
import Foundation
public import ImageIO
import Martlet
import MartletImages

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
  /// The size is the feature's default size, even if the model accepts others. Images are resized bilinearly with antialiasing;
  /// transparent ones are composited over black. One-component formats hold the luma of ITU-R BT.601; in floating-point formats it ranges
  /// from 0 to 1.
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
    self.init(pixelBuffer: try fitting.pixelBuffer(url, orientation: nil))
  }

  /// Same, with an explicit orientation that replaces the file's.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    let fitting = try ImageFitting(width: pixelsWide, height: pixelsHigh, pixelFormat: pixelFormatType, options: options)
    self.init(pixelBuffer: try fitting.pixelBuffer(url, orientation: orientation))
  }
}

extension ImageFitting {
  /// The primary picture of a file as a new pixel buffer.
  /// - Parameter orientation: replaces the file's.
  fileprivate func pixelBuffer(_ url: URL, orientation: CGImagePropertyOrientation?) throws -> CVPixelBuffer {
    guard url.isFileURL else { throw MLModelError(.io, "\(url) is not the URL of a file") }
    if let content = PictureContent(contentsOf: url) {
      return try pixelBuffer(content.image, orientation: orientation ?? content.orientation)
    }
    do {
      // PPM and PGM, which Image I/O does not read; and the reason why another file cannot be read.
      let picture = try Picture(contentsOf: url, orientation: .up)
      return try pixelBuffer(.image(ImagePixels(picture.image)), orientation: orientation ?? .up)
    } catch let error as MLModelError {
      throw error
    } catch {
      throw MLModelError(error)
    }
  }
}
