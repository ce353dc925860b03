public import Foundation
import MartletMedia

/// What becomes of a sample of 0...255: `(sample * scaleFactor - mean) / standardDeviation`, for red, green and blue each.
public final class ImageNormalization: NSObject {
  private let scaleFactor: Float
  private let mean: [Float]
  private let standardDeviation: [Float]

  /// - Parameters mean, standardDeviation: for red, green and blue; other counts are errors of the programmer. A deviation of 0
  ///   makes processing fail.
  public init(scaleFactor: Float, mean: [Float], standardDeviation: [Float]) {
    precondition(mean.count == 3, "A mean for each of red, green and blue is needed")
    precondition(standardDeviation.count == 3, "A standard deviation for each of red, green and blue is needed")
    self.scaleFactor = scaleFactor
    self.mean = mean
    self.standardDeviation = standardDeviation
  }

  /// To 0...1.
  public class func zeroToOne() -> ImageNormalization { sharedZeroToOne }

  /// With the means and deviations of ImageNet's pictures.
  public class func imagenet() -> ImageNormalization { sharedImageNet }

  // They do not change, so they can be shared between threads.
  @safe nonisolated(unsafe) private static let sharedZeroToOne = ImageNormalization(
    scaleFactor: 1 / 255, mean: [0, 0, 0], standardDeviation: [1, 1, 1])
  @safe nonisolated(unsafe) private static let sharedImageNet = ImageNormalization(
    scaleFactor: 1 / 255, mean: [0.485, 0.456, 0.406], standardDeviation: [0.229, 0.224, 0.225])

  /// Throws `.invalidArgument` for a deviation of 0.
  func checked() throws -> ColorNormalization {
    guard !standardDeviation.contains(0) else {
      throw failure(.invalidArgument, "The standard deviations \(standardDeviation) of a normalization must not be 0")
    }
    return ColorNormalization(factor: scaleFactor, mean: SIMD3(mean), standardDeviation: SIMD3(standardDeviation))
  }
}
