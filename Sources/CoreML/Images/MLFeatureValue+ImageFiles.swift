public import CoreVideo
import Foundation
import MartletMedia

extension MLFeatureValue {
  /// How a picture is fitted to a model's image.
  public struct ImageOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The part of the upright picture that is taken: a `CGRect` in the unit square whose origin is the lower left corner. The whole
    /// picture, if it is not given.
    public static let cropRect = ImageOption(rawValue: "MLFeatureValueImageOptionCropRect")
    /// How that part is scaled: the raw value of a `VNImageCropAndScaleOption`. It fills the image, if it is not given.
    public static let cropAndScale = ImageOption(rawValue: "MLFeatureValueImageOptionCropAndScale")
  }

  /// The picture of a PNG or JPEG file, turned upright as its EXIF orientation says, in the size and pixel format that a feature takes.
  ///
  /// Pictures are scaled bilinearly, with antialiasing; transparent ones are drawn on black. One-component formats take the luma of
  /// ITU-R BT.601, floating-point ones from 0 to 1.
  /// - Throws: `MLModelError.io` naming a file that cannot be read; `.generic` if an option has a value that it cannot have.
  public convenience init(imageAt url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws {
    try self.init(
      imageAt: url, pixelsWide: constraint.pixelsWide, pixelsHigh: constraint.pixelsHigh, pixelFormatType: constraint.pixelFormatType,
      options: options)
  }

  /// The same with an orientation in place of the file's.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      imageAt: url, orientation: orientation, pixelsWide: constraint.pixelsWide, pixelsHigh: constraint.pixelsHigh,
      pixelFormatType: constraint.pixelFormatType, options: options)
  }

  /// The picture of a PNG or JPEG file, turned upright as its EXIF orientation says, in a size and pixel format.
  /// - Throws: as `init(imageAt:constraint:options:)`; `.generic`, too, for a size or format that pictures cannot have.
  public convenience init(
    imageAt url: URL, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType, options: [ImageOption: Any]? = nil
  ) throws {
    let fitting = try ImageFitting(width: pixelsWide, height: pixelsHigh, pixelFormat: pixelFormatType, options: options)
    self.init(pixelBuffer: try fitting.pixelBuffer(try Self.picture(url, orientation: nil)))
  }

  /// The same with an orientation in place of the file's.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    let fitting = try ImageFitting(width: pixelsWide, height: pixelsHigh, pixelFormat: pixelFormatType, options: options)
    self.init(pixelBuffer: try fitting.pixelBuffer(try Self.picture(url, orientation: orientation)))
  }

  /// The upright picture of a file.
  private static func picture(_ url: URL, orientation: CGImagePropertyOrientation?) throws -> Image {
    guard url.isFileURL else { throw MLModelError(.io, "\(url) is not the URL of a file") }
    do {
      return try Image.read(path: url.path, orientation: orientation.flatMap { ImageOrientation(rawValue: Int($0.rawValue)) })
    } catch {
      throw MLModelError(.io, "\(error)")
    }
  }
}
