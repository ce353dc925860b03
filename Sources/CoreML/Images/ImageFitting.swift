import CoreVideo
import Foundation
import Martlet
import MartletPixelBuffers
import MartletPixels

/// Fits an image from a file to the size and pixel format that a model expects.
struct ImageFitting {
  /// Cropping and scaling mode. The raw values are those of Vision's `VNImageCropAndScaleOption`.
  enum Scaling: Int {
    /// The largest central part with the target's aspect ratio.
    case centerCrop = 0
    /// The whole image with its aspect ratio preserved, centred between black bars.
    case scaleFit = 1
    /// The whole image, stretched to the target's aspect ratio.
    case scaleFill = 2
    /// Same as the two above, after a quarter turn counterclockwise.
    case scaleFitRotated = 0x101
    case scaleFillRotated = 0x102
  }

  let width: Int
  let height: Int
  let pixelFormat: OSType
  private var scaling = Scaling.scaleFill
  /// Normalised coordinates, with the origin at the lower left corner of the upright image.
  private var cropRectangle = NormalizedBox.whole

  /// - Throws: `MLModelError.generic` if an option has an invalid value.
  init(width: Int, height: Int, pixelFormat: OSType, options: [MLFeatureValue.ImageOption: Any]?) throws {
    guard width > 0, height > 0 else { throw MLModelError(.generic, "An image of \(width) × \(height) pixels cannot be created") }
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    if let value = options?[.cropRect] { cropRectangle = try Self.cropRectangle(value) }
    if let value = options?[.cropAndScale] { scaling = try Self.scaling(value) }
  }

  private static func cropRectangle(_ value: Any) throws -> NormalizedBox {
    guard let rectangle = value as? CGRect ?? (value as? NSValue)?.rectValue else {
      throw MLModelError(.generic, "The value of the option cropRect must be a CGRect, not \(type(of: value))")
    }
    let box = NormalizedBox(x: rectangle.minX, y: rectangle.minY, width: rectangle.width, height: rectangle.height)
    guard box.isInside else {
      throw MLModelError(.generic, "The crop rectangle \(rectangle) exceeds the image, which spans 0 to 1 along each axis")
    }
    return box
  }

  private static func scaling(_ value: Any) throws -> Scaling {
    var number = value as? any BinaryInteger
    if let option = value as? any RawRepresentable { number = option.rawValue as? any BinaryInteger }
    guard let number = number.flatMap({ Int(exactly: $0) }) ?? (value as? NSNumber)?.intValue,
      let scaling = Scaling(rawValue: number)
    else {
      throw MLModelError(.generic, "The value \(value) of the option cropAndScale is not a raw value of VNImageCropAndScaleOption")
    }
    return scaling
  }

  // MARK: Fitting

  /// Converts the picture to a pixel buffer.
  /// - Throws: `MLModelError.generic` if the pixel buffer cannot be created or its format is not supported.
  func pixelBuffer(_ picture: Picture) throws -> CVPixelBuffer {
    do {
      return try pixelBuffer(opaque: placed(picture.overBlack))
    } catch let error as MartletError {
      throw MLModelError(.generic, error.message)
    }
  }

  /// The picture in the target's size.
  private func placed(_ picture: Picture) throws -> Picture {
    var picture = picture
    let (columns, rows) = cropRectangle.pixels(width: picture.width, height: picture.height)
    var region = (x: columns, y: rows)
    let mode: PictureFit.Mode
    switch scaling {
    case .scaleFill: mode = .fill
    case .scaleFit: mode = .fit
    case .centerCrop: mode = .centerCrop
    case .scaleFillRotated, .scaleFitRotated:
      mode = scaling == .scaleFitRotated ? .fit : .fill
      picture = try picture.cropped(x: region.x.lowerBound, y: region.y.lowerBound, width: region.x.count, height: region.y.count)
        .upright(from: .left)
      region = (0..<picture.width, 0..<picture.height)
    }
    guard
      let fit = PictureFit(
        imageWidth: picture.width, imageHeight: picture.height, region: region, targetWidth: width, targetHeight: height, mode: mode)
    else { throw MLModelError(.generic, "An image of \(picture.width) × \(picture.height) pixels has no part to scale") }
    return try picture.fitted(fit)
  }

  private func pixelBuffer(opaque picture: Picture) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, pixelFormat, nil, &made)
    guard let buffer = made else { throw MLModelError(.generic, "A pixel buffer of \(width) × \(height) cannot be created (\(code))") }
    do {
      try picture.write(to: buffer)
    } catch is PixelBufferError {
      throw MLModelError(.generic, "Images cannot be written to pixel buffers of format \(pixelFormatName(pixelFormat))")
    }
    return buffer
  }
}
