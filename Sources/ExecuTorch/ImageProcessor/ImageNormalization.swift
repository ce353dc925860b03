public import Foundation

/// Per-channel normalization of samples from 0 to 255: `(sample * scaleFactor - mean) / standardDeviation`.
public final class ImageNormalization: NSObject {
  let scaleFactor: Float
  let mean: [Float]
  let standardDeviation: [Float]

  /// - Parameters mean, standardDeviation: one value each for red, green and blue; any other count is a programming error. Processing
  ///   fails if a standard deviation is 0.
  public init(scaleFactor: Float, mean: [Float], standardDeviation: [Float]) {
    precondition(mean.count == 3, "mean must have three values, for red, green and blue")
    precondition(standardDeviation.count == 3, "standardDeviation must have three values, for red, green and blue")
    self.scaleFactor = scaleFactor
    self.mean = mean
    self.standardDeviation = standardDeviation
  }

  /// Scales samples to 0...1.
  public class func zeroToOne() -> ImageNormalization { sharedZeroToOne }

  /// Uses the means and standard deviations of the ImageNet data set.
  public class func imagenet() -> ImageNormalization { sharedImageNet }

  // Immutable, and therefore safe to share between threads.
  @safe nonisolated(unsafe) private static let sharedZeroToOne = ImageNormalization(
    scaleFactor: 1 / 255, mean: [0, 0, 0], standardDeviation: [1, 1, 1])
  @safe nonisolated(unsafe) private static let sharedImageNet = ImageNormalization(
    scaleFactor: 1 / 255, mean: [0.485, 0.456, 0.406], standardDeviation: [0.229, 0.224, 0.225])

  /// Throws `.invalidArgument` if a standard deviation is 0.
  func check() throws {
    guard !standardDeviation.contains(0) else {
      throw failure(.invalidArgument, "The standard deviations \(standardDeviation) of the normalization must not be 0")
    }
  }
}
