public import CoreGraphics
public import CoreVideo
import Foundation
public import ImageIO

extension MLFeatureValue {
  /// Creates a value from an image, converted to sRGB and to the size and pixel format of a feature.
  ///
  /// The size is the feature's default size, even if the model accepts others. Images are resized bilinearly with antialiasing;
  /// transparent ones are composited over black. One-component formats hold the luma of ITU-R BT.601; in floating-point formats it ranges
  /// from 0 to 1.
  /// - Throws: `MLModelError.generic` if the image cannot be converted or an option has an invalid value.
  public convenience init(cgImage: CGImage, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    try self.init(cgImage: cgImage, orientation: .up, constraint: constraint, options: options)
  }

  /// Same, after turning the image, which was stored in an orientation, upright.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      cgImage: cgImage, orientation: orientation, pixelsWide: constraint.pixelsWide, pixelsHigh: constraint.pixelsHigh,
      pixelFormatType: constraint.pixelFormatType, options: options)
  }

  /// Creates a value from an image, converted to sRGB and to a size and pixel format.
  /// - Throws: as `init(cgImage:constraint:options:)`; also for an unsupported size or format.
  public convenience init(
    cgImage: CGImage, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      cgImage: cgImage, orientation: .up, pixelsWide: pixelsWide, pixelsHigh: pixelsHigh, pixelFormatType: pixelFormatType,
      options: options)
  }

  /// Same, after turning the image, which was stored in an orientation, upright.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    let fitting = try ImageFitting(width: pixelsWide, height: pixelsHigh, pixelFormat: pixelFormatType, options: options)
    self.init(pixelBuffer: try fitting.pixelBuffer(cgImage, orientation: orientation))
  }
}
