import CoreGraphics
import CoreVideo
import Foundation
import ImageIO
import MartletImages
import MartletPixelBuffers
import MartletPixels

/// Fits an image to the size and pixel format that a model expects.
struct ImageFitting {
  let width: Int
  let height: Int
  let pixelFormat: OSType
  private var action = PictureMapping.Action.scaleFill
  /// Normalised coordinates, with the origin at the lower left corner of the upright image.
  private var cropRectangle = NormalizedBox.whole

  /// - Throws: `MLModelError.generic` if an option has an invalid value.
  init(width: Int, height: Int, pixelFormat: OSType, options: [MLFeatureValue.ImageOption: Any]?) throws {
    guard width > 0, height > 0 else { throw MLModelError(.generic, "An image of \(width) × \(height) pixels cannot be created") }
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    if let value = options?[.cropRect] { cropRectangle = try Self.cropRectangle(value) }
    if let value = options?[.cropAndScale] { action = try Self.action(value) }
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

  /// The mode that the raw value of a `VNImageCropAndScaleOption` names.
  private static func action(_ value: Any) throws -> PictureMapping.Action {
    var number = value as? any BinaryInteger
    if let option = value as? any RawRepresentable { number = option.rawValue as? any BinaryInteger }
    switch number.flatMap({ Int(exactly: $0) }) ?? (value as? NSNumber)?.intValue {
    case 0: return .centerCrop
    case 1: return .scaleFit
    case 2: return .scaleFill
    case 0x101: return .scaleFitTurned
    case 0x102: return .scaleFillTurned
    default:
      throw MLModelError(.generic, "The value \(value) of the option cropAndScale is not a raw value of VNImageCropAndScaleOption")
    }
  }

  /// The image, stored in an orientation, as a new pixel buffer.
  /// - Throws: `MLModelError.generic` if the pixel buffer cannot be created or its format is not supported.
  func pixelBuffer(_ image: CGImage, orientation: CGImagePropertyOrientation) throws -> CVPixelBuffer {
    guard let picture = StoredPicture(image) else { throw MLModelError(.generic, "The colours of the image cannot be converted to sRGB") }
    return try pixelBuffer(picture, orientation: orientation)
  }

  /// The picture, stored in an orientation, as a new pixel buffer.
  /// - Throws: `MLModelError.generic` if the pixel buffer cannot be created or its format is not supported.
  func pixelBuffer(_ picture: StoredPicture, orientation: CGImagePropertyOrientation) throws -> CVPixelBuffer {
    // The buffer is its own: nothing else is fitted with these.
    let buffers = FittedBuffers(width: width, height: height, format: pixelFormat)
    do {
      return try buffers.withBuffer(
        picture, orientation: ImageOrientation(rawValue: Int(orientation.rawValue)) ?? .up, region: cropRectangle, action: action
      ) { buffer, _ in buffer }
    } catch is PixelBufferError {
      throw MLModelError(.generic, "Images cannot be written to pixel buffers of format \(pixelFormatName(pixelFormat))")
    } catch let failure as FittedBuffers.Failure {
      switch failure {
      case .region: throw MLModelError(.generic, "An image of \(picture.width) × \(picture.height) pixels has no part to scale")
      case .buffer(let code):
        throw MLModelError(.generic, "A pixel buffer of \(width) × \(height) cannot be created (\(code))")
      case .format, .image: throw MLModelError(.generic, "The pixels of the image cannot be read")
      }
    }
  }
}
