public import CoreVideo
public import Foundation
import MartletPixels

/// Converts images to model inputs: float tensors of shape `[1, 3, targetHeight, targetWidth]` with the channels red, green and blue.
///
/// An image is converted to 8 bits per channel, rotated upright, resized bilinearly and normalized. Supported pixel formats are BGRA,
/// RGBA and, with even width and height, biplanar 4:2:0 with 8 or 10 bits per sample. Colors are converted according
/// to ITU-R BT.601.
public final class ImageProcessor: NSObject {
  public let config: ImageProcessorConfig

  public init(config: ImageProcessorConfig) {
    self.config = config
  }

  /// Returns the tensor of an image.
  /// - Parameter orientation: the rotation that makes the image upright.
  ///
  /// Throws `.invalidArgument` if the pixel buffer or the configuration is not supported.
  public func process(_ pixelBuffer: CVPixelBuffer, orientation: ImageOrientation = .up) throws -> Tensor<Float> {
    Tensor<Float>(try processPixelBuffer(pixelBuffer, orientation: orientation))
  }

  /// Fills a tensor of shape `[1, 3, targetHeight, targetWidth]` with row-major strides.
  ///
  /// Throws `.invalidArgument` also for any other tensor.
  public func process(_ pixelBuffer: CVPixelBuffer, orientation: ImageOrientation = .up, into tensor: Tensor<Float>) throws {
    try processPixelBuffer(pixelBuffer, orientation: orientation, into: tensor.anyTensor)
  }

  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?) throws -> AnyTensor {
    try processPixelBuffer(pixelBuffer, orientation: .up)
  }

  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?, into tensor: AnyTensor) throws {
    try processPixelBuffer(pixelBuffer, orientation: .up, into: tensor)
  }

  /// Same as `process(_:orientation:)`; nil throws `.invalidArgument`.
  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?, orientation: ImageOrientation) throws -> AnyTensor {
    let pixelBuffer = try checked(pixelBuffer)
    let tensor = AnyTensor(uninitialized: try outputLayout(), dataType: .float, shapeDynamism: .dynamicBound)
    try fill(tensor, with: pixelBuffer, orientation: orientation)
    return tensor
  }

  /// Same as `process(_:orientation:into:)`. Throws `.invalidArgument` for nil, or for a tensor of another element type.
  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?, orientation: ImageOrientation, into tensor: AnyTensor) throws {
    let pixelBuffer = try checked(pixelBuffer)
    let layout = try outputLayout()
    guard tensor.dataType == .float, tensor.shape == layout.shape, tensor.strides == layout.strides else {
      throw failure(
        .invalidArgument, "The output must be a float tensor of shape \(layout.shape) with strides \(layout.strides), not \(tensor)")
    }
    try fill(tensor, with: pixelBuffer, orientation: orientation)
  }

  /// The padding on either side of a stored image with the given width and height: `x` on the left and right, `y` above and below. Zero
  /// unless the image is letterboxed in the center. Extents below 1 count as 1.
  public func computeLetterboxPadding(inputWidth: Int, inputHeight: Int, orientation: ImageOrientation = .up) -> (x: Int, y: Int) {
    transform?.padding(imageWidth: max(1, inputWidth), imageHeight: max(1, inputHeight), orientation: Int(orientation.rawValue)) ?? (0, 0)
  }

  // MARK: Steps

  private func checked(_ pixelBuffer: CVPixelBuffer?) throws -> CVPixelBuffer {
    guard let pixelBuffer else { throw failure(.invalidArgument, "The pixel buffer is nil") }
    return pixelBuffer
  }

  private func outputLayout() throws -> TensorLayout {
    guard config.targetWidth > 0, config.targetHeight > 0,
      let layout = try? TensorLayout(shape: [1, 3, config.targetHeight, config.targetWidth]),
      !layout.count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride).overflow
    else { throw failure(.invalidArgument, "The target size \(config.targetWidth) x \(config.targetHeight) is not valid") }
    return layout
  }

  /// Nil if the target width or height is below 1.
  private var transform: ImageTransform? {
    let fit: ImageTransform.Fit =
      switch (config.resizeMode, config.letterboxAnchor) {
      case (.stretch, _): .stretch
      case (.letterbox, .center): .letterboxCentered
      case (.letterbox, .topLeft): .letterboxTopLeft
      }
    return ImageTransform(width: config.targetWidth, height: config.targetHeight, fit: fit)
  }

  /// Fills a tensor of the output's shape.
  private func fill(_ tensor: AnyTensor, with pixelBuffer: CVPixelBuffer, orientation: ImageOrientation) throws {
    let normalization = config.normalization
    try normalization.check()
    guard let transform else {
      throw failure(.invalidArgument, "The target size \(config.targetWidth) x \(config.targetHeight) is not valid")
    }
    try withColors(of: pixelBuffer) { pixels in
      unsafe tensor.mutableBytes { bytes, _, _ in
        unsafe transform.write(
          pixels, orientation: Int(orientation.rawValue), factor: normalization.scaleFactor, mean: normalization.mean,
          standardDeviation: normalization.standardDeviation, paddingValue: config.padValue,
          to: bytes.assumingMemoryBound(to: Float.self))
      }
    }
  }
}
