import MartletSystem
package import MartletPixels
import MartletTensor
import MartletVocabulary

extension Picture {
  /// Orientation of stored rows and columns relative to the upright picture: the values of the EXIF tag `Orientation`.
  public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    var image: ImageOrientation { ImageOrientation(rawValue: rawValue) ?? .up }
  }

  /// Interpolation in scaling, with antialiasing.
  public enum Filter: Sendable, Hashable, CaseIterable {
    case bilinear
    /// Keys' cubic convolution with a = -0.5.
    case bicubic

    fileprivate var resize: ResamplingFilter {
      switch self {
      case .bilinear: .bilinear
      case .bicubic: .bicubic
      }
    }
  }

  /// Scales the picture to a size. The aspect ratio may change.
  /// - Throws: `MartletError.invalidInput` if an extent is below 1 or the picture would be too large.
  public func resized(width: Int, height: Int, filter: Filter = .bilinear) throws -> Picture {
    try Self.check(width: width, height: height)
    return Picture(image.resized(width: width, height: height, filter: filter.resize))
  }

  /// Scales a part of the picture to a size. The aspect ratio may change.
  /// - Parameters columns, rows: the part, in pixels.
  /// - Throws: `MartletError.invalidInput` if an extent is below 1, the part is empty or exceeds the picture, or the result would be too large.
  public func resized(
    columns: Range<Int>, rows: Range<Int>, width: Int, height: Int, filter: Filter = .bilinear
  ) throws -> Picture {
    try Self.check(width: width, height: height)
    guard !columns.isEmpty, !rows.isEmpty, columns.lowerBound >= 0, rows.lowerBound >= 0, columns.upperBound <= self.width,
      rows.upperBound <= self.height
    else {
      throw MartletError.invalidInput("a picture of \(self.width) x \(self.height) has no columns \(columns) of rows \(rows)")
    }
    return Picture(image.resized(width: width, height: height, filter: filter.resize, region: (columns, rows)))
  }

  /// Scales the picture bilinearly to the largest size that fits, and centres it between black bars.
  /// - Throws: `MartletError.invalidInput` if an extent is below 1 or the picture would be too large.
  public func letterboxed(width: Int, height: Int) throws -> Picture {
    guard let fit = PictureFit(imageWidth: self.width, imageHeight: self.height, targetWidth: width, targetHeight: height, mode: .fit)
    else {
      throw MartletError.invalidInput("a picture cannot be scaled to \(width) x \(height)")
    }
    return try fitted(fit)
  }

  /// The part of the picture that a fit uses, scaled bilinearly, at its place in the target, surrounded by black.
  /// - Throws: `MartletError.invalidInput` if the target is too large.
  package func fitted(_ fit: PictureFit) throws -> Picture {
    try Self.check(width: fit.placement.targetWidth, height: fit.placement.targetHeight)
    return Picture(image.fitted(fit))
  }

  private static func check(width: Int, height: Int) throws {
    guard width > 0, height > 0, (Extent(width) * height).fits(1 << 28) else {
      throw MartletError.invalidInput("a picture cannot be scaled to \(width) x \(height)")
    }
  }

  /// A rectangle of the picture.
  /// - Throws: `MartletError.invalidInput` if it is empty or exceeds the picture.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws -> Picture {
    guard let part = image.cropped(x: x, y: y, width: width, height: height) else {
      throw MartletError.invalidInput("a picture of \(self.width) x \(self.height) has no part of \(width) x \(height) at \(x), \(y)")
    }
    return Picture(part)
  }

  /// The upright picture, if this one is stored in an orientation.
  public func upright(from orientation: Orientation) -> Picture { Picture(image.upright(from: orientation.image)) }

  // MARK: Samples

  /// Converts the picture to another format. Alpha is dropped or becomes 255; gray is the luma of ITU-R BT.601.
  public func converted(to format: PixelFormat) -> Picture { Picture(image.converted(to: format.image)) }

  /// The picture without alpha, composited over black.
  public var overBlack: Picture { Picture(image.overBlack) }

  /// The picture as a float32 tensor of shape `[1, channels, height, width]`, or `[1, height, width, channels]`, with the elements
  /// `(sample / 255 - mean) / standardDeviation`.
  /// - Parameters mean, standardDeviation: one value for each sample of a pixel.
  /// - Throws: `MartletError.invalidInput` for another number of values, or a standard deviation of 0.
  public func tensor(mean: [Float], standardDeviation: [Float], isChannelsLast: Bool = false) throws -> Tensor {
    guard mean.count == format.channelCount, standardDeviation.count == format.channelCount, !standardDeviation.contains(0) else {
      throw MartletError.invalidInput("mean and standard deviation need \(format.channelCount) values, deviations other than 0")
    }
    return Tensor(image.tensor(mean: mean, standardDeviation: standardDeviation, isChannelsLast: isChannelsLast))
  }
}
