public import Foundation

/// Configuration of an `ImageProcessor`.
public final class ImageProcessorConfig: NSObject {
  /// Target size in pixels; processing fails if it is below 1.
  public let targetWidth: Int
  public let targetHeight: Int
  public let resizeMode: ImageResizeMode
  public let letterboxAnchor: ImageLetterboxAnchor
  /// Value of the elements beside a letterboxed image; it is not normalized.
  public let padValue: Float
  public let normalization: ImageNormalization
  /// Minimum number of input pixels for processing on a GPU. It has no effect, because images are processed on the CPU.
  public let gpuMinInputPixels: Int

  public static let alwaysGPU = 0
  public static let alwaysCPU = Int.max
  /// One more than 1920 x 1080.
  public class var defaultGpuMinInputPixels: Int { 1920 * 1080 + 1 }

  public init(
    targetWidth: Int,
    targetHeight: Int,
    resizeMode: ImageResizeMode = .stretch,
    letterboxAnchor: ImageLetterboxAnchor = .center,
    padValue: Float = 0,
    normalization: ImageNormalization = .zeroToOne(),
    gpuMinInputPixels: Int = ImageProcessorConfig.defaultGpuMinInputPixels
  ) {
    self.targetWidth = targetWidth
    self.targetHeight = targetHeight
    self.resizeMode = resizeMode
    self.letterboxAnchor = letterboxAnchor
    self.padValue = padValue
    self.normalization = normalization
    self.gpuMinInputPixels = gpuMinInputPixels
  }
}
