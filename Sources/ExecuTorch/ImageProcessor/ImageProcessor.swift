public import CoreVideo
public import Foundation
import MartletMedia

/// Turns pictures into inputs of models: float tensors of shape `[1, 3, targetHeight, targetWidth]`, red, green and blue.
///
/// A picture is decoded to 8 bits, turned upright, resized bilinearly and normalized. Pixel buffers may be of the formats BGRA, RGBA
/// and, with even extents, 4:2:0 of two planes with 8 bits, or with 10 of which the highest 8 are used. Colors are converted
/// as of ITU-R BT.601.
public final class ImageProcessor: NSObject {
  public let config: ImageProcessorConfig

  public init(config: ImageProcessorConfig) {
    self.config = config
  }

  /// The tensor of an upright picture.
  /// - Parameter orientation: how the picture is to be turned to be upright.
  ///
  /// Throws `.invalidArgument` for a pixel buffer or configuration that cannot be processed.
  public func process(_ pixelBuffer: CVPixelBuffer, orientation: ImageOrientation = .up) throws -> Tensor<Float> {
    Tensor<Float>(try processPixelBuffer(pixelBuffer, orientation: orientation))
  }

  /// Fills a tensor of the shape `[1, 3, targetHeight, targetWidth]`, whose elements are in that order in memory.
  ///
  /// Throws `.invalidArgument` also for other tensors.
  public func process(_ pixelBuffer: CVPixelBuffer, orientation: ImageOrientation = .up, into tensor: Tensor<Float>) throws {
    try processPixelBuffer(pixelBuffer, orientation: orientation, into: tensor.anyTensor)
  }

  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?) throws -> AnyTensor {
    try processPixelBuffer(pixelBuffer, orientation: .up)
  }

  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?, into tensor: AnyTensor) throws {
    try processPixelBuffer(pixelBuffer, orientation: .up, into: tensor)
  }

  /// As `process(_:orientation:)`; nil throws `.invalidArgument`.
  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?, orientation: ImageOrientation) throws -> AnyTensor {
    let pixelBuffer = try checked(pixelBuffer)
    let tensor = AnyTensor(uninitialized: try outputLayout(), dataType: .float, shapeDynamism: .dynamicBound)
    try fill(tensor, with: pixelBuffer, orientation: orientation)
    return tensor
  }

  /// As `process(_:orientation:into:)`; nil and tensors of other elements throw `.invalidArgument`.
  public func processPixelBuffer(_ pixelBuffer: CVPixelBuffer?, orientation: ImageOrientation, into tensor: AnyTensor) throws {
    let pixelBuffer = try checked(pixelBuffer)
    let layout = try outputLayout()
    guard tensor.dataType == .float, tensor.shape == layout.shape, tensor.strides == layout.strides else {
      throw failure(
        .invalidArgument, "The output must be a float tensor of the shape \(layout.shape) and strides \(layout.strides), not \(tensor)")
    }
    try fill(tensor, with: pixelBuffer, orientation: orientation)
  }

  /// The pixels that are added on either side of a picture, as it is stored, of the given extents: `x` to the left and right, `y`
  /// above and below. None unless it is letterboxed in the center. Extents below 1 count as 1.
  public func computeLetterboxPadding(inputWidth: Int, inputHeight: Int, orientation: ImageOrientation = .up) -> (x: Int, y: Int) {
    let placement = placement(imageWidth: max(1, inputWidth), imageHeight: max(1, inputHeight), orientation: orientation.stored)
    return placement.map { ($0.x, $0.y) } ?? (0, 0)
  }

  // MARK: Steps

  private func checked(_ pixelBuffer: CVPixelBuffer?) throws -> CVPixelBuffer {
    guard let pixelBuffer else { throw failure(.invalidArgument, "There is no pixel buffer") }
    return pixelBuffer
  }

  private func outputLayout() throws -> TensorLayout {
    guard config.targetWidth > 0, config.targetHeight > 0,
      let layout = try? TensorLayout(shape: [1, 3, config.targetHeight, config.targetWidth]),
      !layout.count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride).overflow
    else { throw failure(.invalidArgument, "There is no picture of \(config.targetWidth) x \(config.targetHeight) pixels") }
    return layout
  }

  /// Nil if the target's extents are below 1.
  private func placement(imageWidth: Int, imageHeight: Int, orientation: MartletMedia.ImageOrientation) -> ImagePlacement? {
    switch config.resizeMode {
    case .stretch:
      ImagePlacement.stretched(targetWidth: config.targetWidth, targetHeight: config.targetHeight)
    case .letterbox:
      ImagePlacement.letterboxed(
        imageWidth: orientation.exchangesAxes ? imageHeight : imageWidth,
        imageHeight: orientation.exchangesAxes ? imageWidth : imageHeight,
        targetWidth: config.targetWidth, targetHeight: config.targetHeight,
        anchor: config.letterboxAnchor == .center ? .center : .topLeft)
    }
  }

  /// Fills a tensor of the right shape.
  private func fill(_ tensor: AnyTensor, with pixelBuffer: CVPixelBuffer, orientation: ImageOrientation) throws {
    let normalization = try config.normalization.checked()
    try withPixels(of: pixelBuffer) { source in
      guard let placement = placement(imageWidth: source.width, imageHeight: source.height, orientation: orientation.stored) else {
        throw failure(.invalidArgument, "There is no picture of \(config.targetWidth) x \(config.targetHeight) pixels")
      }
      unsafe tensor.mutableBytes { bytes, _, _ in
        unsafe source.writePlanes(
          upright: orientation.stored, placement: placement, normalization: normalization, paddingValue: config.padValue,
          into: bytes.assumingMemoryBound(to: Float.self))
      }
    }
  }
}

extension ImageOrientation {
  fileprivate var stored: MartletMedia.ImageOrientation {
    switch self {
    case .up: .up
    case .down: .down
    case .right: .right
    case .left: .left
    }
  }
}
