package import MartletTensor

/// Preprocessing of an image for a classifier: resize, crop, normalise.
package struct ImagePreprocessing: Sendable, Equatable {
  /// Length of the shorter side after resizing, in pixels; nil keeps the size.
  package var shorterSide: Int?
  /// Size of the centre crop; nil keeps the whole image.
  package var crop: (width: Int, height: Int)? {
    get { cropWidth.flatMap { width in cropHeight.map { (width, $0) } } }
    set { (cropWidth, cropHeight) = (newValue?.width, newValue?.height) }
  }
  private var cropWidth: Int?
  private var cropHeight: Int?
  package var filter: ImageResize.Filter
  /// For red, green and blue, relative to samples from 0 to 1.
  package var mean: [Float]
  package var standardDeviation: [Float]

  /// - Parameters mean, standardDeviation: one value per channel: three for RGB or one for gray.
  package init(
    shorterSide: Int?, crop: (width: Int, height: Int)?, filter: ImageResize.Filter = .bilinear, mean: [Float],
    standardDeviation: [Float]
  ) {
    self.shorterSide = shorterSide
    self.filter = filter
    self.mean = mean
    self.standardDeviation = standardDeviation
    self.crop = crop
  }

  /// The evaluation transform of torchvision's ImageNet models: shorter side 256, centre crop 224 x 224, bilinear.
  package static let imageNet = ImagePreprocessing(
    shorterSide: 256, crop: (224, 224), mean: [0.485, 0.456, 0.406], standardDeviation: [0.229, 0.224, 0.225])

  /// The float32 tensor of shape `[1, channels, height, width]`: RGB, or gray if `mean` has one value.
  /// - Parameter name: identifies the image in errors.
  /// - Throws: if the resized image is smaller than the crop.
  package func tensor(of image: Image, name: String) throws(MediaError) -> HostTensor {
    var image = image.converted(to: mean.count == 1 ? .gray8 : .rgb8)
    if let shorterSide { image = image.resizedShorterSide(to: shorterSide, filter: filter) }
    if let crop {
      guard let cropped = image.centerCropped(width: crop.width, height: crop.height) else {
        throw MediaError(
          file: name, field: "width and height",
          reason: .invalid("\(image.width) x \(image.height) is smaller than the crop of \(crop.width) x \(crop.height)"))
      }
      image = cropped
    }
    return image.tensor(mean: mean, standardDeviation: standardDeviation)
  }
}

extension Image {
  /// The float32 tensor of shape `[1, channels, height, width]`, or `[1, height, width, channels]`, with the elements
  /// `(sample / 255 - mean) / standardDeviation`.
  /// - Precondition: both lists have one value per channel of the image's format.
  package func tensor(mean: [Float], standardDeviation: [Float], isChannelsLast: Bool = false) -> HostTensor {
    let channelCount = format.channelCount
    precondition(mean.count == channelCount && standardDeviation.count == channelCount, "one value for each channel")
    var result = HostTensor(
      zeros: .float32, shape: isChannelsLast ? [1, height, width, channelCount] : [1, channelCount, height, width])
    let planeCount = width * height
    let (channelStep, pixelStep) = isChannelsLast ? (1, channelCount) : (planeCount, 1)
    // The closure receives exactly the bytes of the shape above, aligned for any element type.
    unsafe result.withUnsafeMutableBytes { bytes in
      let elements = unsafe bytes.bindMemory(to: Float.self)
      for channel in 0..<channelCount {
        for index in 0..<planeCount {
          let sample = Float(pixels[index * channelCount + channel]) / 255
          unsafe elements[channel * channelStep + index * pixelStep] = (sample - mean[channel]) / standardDeviation[channel]
        }
      }
    }
    return result
  }
}
