public import Foundation

/// What an `ImageProcessor` makes of pictures.
public final class ImageProcessorConfig: NSObject {
  /// In pixels; processing fails below 1.
  public let targetWidth: Int
  public let targetHeight: Int
  public let resizeMode: ImageResizeMode
  public let letterboxAnchor: ImageLetterboxAnchor
  /// What elements beside a letterboxed picture become; it is not normalized.
  public let padValue: Float
  public let normalization: ImageNormalization
  /// From how many pixels of the picture on a GPU may be used; there is none here.
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
