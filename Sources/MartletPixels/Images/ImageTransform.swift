/// Converts images to float tensors of shape `[1, 3, height, width]` for models whose inputs are not image features: rotates an image
/// upright, scales it bilinearly and normalises its channels red, green and blue.
package struct ImageTransform: Sendable {
  package enum Fit: Sendable {
    /// Fills the target; the aspect ratio may change.
    case stretch
    /// Keeps the aspect ratio and pads the rest of the target, on both sides or at the right and below.
    case letterboxCentered
    case letterboxTopLeft
  }

  private let width: Int
  private let height: Int
  private let fit: Fit

  /// Returns nil if an extent of the target is below 1.
  package init?(width: Int, height: Int, fit: Fit) {
    guard width > 0, height > 0 else { return nil }
    self.width = width
    self.height = height
    self.fit = fit
  }

  /// The padding on either side of a centred image: `x` on the left and right, `y` above and below. Zero for other images.
  /// - Parameters:
  ///   - imageWidth, imageHeight: size of the stored image, at least 1.
  ///   - orientation: the EXIF orientation of the stored image.
  package func padding(imageWidth: Int, imageHeight: Int, orientation: Int) -> (x: Int, y: Int) {
    let placement = placement(imageWidth, imageHeight, ImageOrientation(rawValue: orientation) ?? .up)
    return (placement.x, placement.y)
  }

  /// Writes `(sample * factor - mean) / standardDeviation` for samples from 0 to 255.
  /// - Precondition: the pixels are not floating-point samples, which have no colours.
  /// - Parameters:
  ///   - orientation: the EXIF orientation of the stored image.
  ///   - standardDeviation: none of them 0.
  ///   - paddingValue: value of the elements around the image; it is not normalised.
  ///   - output: `3 * height * width` elements.
  package func write(
    _ pixels: PixelView, orientation: Int, factor: Float, mean: [Float], standardDeviation: [Float], paddingValue: Float,
    to output: UnsafeMutablePointer<Float>
  ) {
    guard case .colors(let source) = pixels else { preconditionFailure("floating-point samples have no colours") }
    let orientation = ImageOrientation(rawValue: orientation) ?? .up
    unsafe source.writePlanes(
      upright: orientation, placement: placement(source.width, source.height, orientation),
      normalization: ColorNormalization(factor: factor, mean: SIMD3(mean), standardDeviation: SIMD3(standardDeviation)),
      paddingValue: paddingValue, into: output)
  }

  private func placement(_ imageWidth: Int, _ imageHeight: Int, _ orientation: ImageOrientation) -> ImagePlacement {
    let placement =
      switch fit {
      case .stretch: ImagePlacement.stretched(targetWidth: width, targetHeight: height)
      case .letterboxCentered, .letterboxTopLeft:
        ImagePlacement.letterboxed(
          imageWidth: orientation.exchangesAxes ? imageHeight : imageWidth,
          imageHeight: orientation.exchangesAxes ? imageWidth : imageHeight, targetWidth: width, targetHeight: height,
          anchor: fit == .letterboxCentered ? .center : .topLeft)
      }
    guard let placement else { preconditionFailure("extents are at least 1") }
    return placement
  }
}
