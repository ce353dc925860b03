import CoreVideo
import Foundation
import MartletMedia
import Martlet

/// Fits an image from a file to the size and pixel format that a model expects.
struct ImageFitting {
  /// Cropping and scaling mode. The raw values are those of Vision's `VNImageCropAndScaleOption`.
  enum Scaling: Int {
    /// The largest central part with the target's aspect ratio.
    case centerCrop = 0
    /// The whole image with its aspect ratio preserved, centred between black bars.
    case scaleFit = 1
    /// The whole image, stretched to the target's aspect ratio.
    case scaleFill = 2
    /// Same as the two above, after a quarter turn counterclockwise.
    case scaleFitRotated = 0x101
    case scaleFillRotated = 0x102
  }

  let width: Int
  let height: Int
  let pixelFormat: OSType
  private var scaling = Scaling.scaleFill
  /// Normalised coordinates, with the origin at the lower left corner of the upright image.
  private var cropRectangle = CGRect(x: 0, y: 0, width: 1, height: 1)

  /// - Throws: `MLModelError.generic` if an option has an invalid value.
  init(width: Int, height: Int, pixelFormat: OSType, options: [MLFeatureValue.ImageOption: Any]?) throws {
    guard width > 0, height > 0 else { throw MLModelError(.generic, "An image of \(width) × \(height) pixels cannot be created") }
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    if let value = options?[.cropRect] { cropRectangle = try Self.cropRectangle(value) }
    if let value = options?[.cropAndScale] { scaling = try Self.scaling(value) }
  }

  private static func cropRectangle(_ value: Any) throws -> CGRect {
    guard let rectangle = value as? CGRect ?? (value as? NSValue)?.rectValue else {
      throw MLModelError(.generic, "The value of the option cropRect must be a CGRect, not \(type(of: value))")
    }
    let unit = CGRect(x: 0, y: 0, width: 1, height: 1).insetBy(dx: -1e-6, dy: -1e-6)
    guard rectangle.width > 0, rectangle.height > 0, unit.contains(rectangle) else {
      throw MLModelError(.generic, "The crop rectangle \(rectangle) exceeds the image, which spans 0 to 1 along each axis")
    }
    return rectangle
  }

  private static func scaling(_ value: Any) throws -> Scaling {
    var number = value as? any BinaryInteger
    if let option = value as? any RawRepresentable { number = option.rawValue as? any BinaryInteger }
    guard let number = number.flatMap({ Int(exactly: $0) }) ?? (value as? NSNumber)?.intValue,
      let scaling = Scaling(rawValue: number)
    else {
      throw MLModelError(.generic, "The value \(value) of the option cropAndScale is not a raw value of VNImageCropAndScaleOption")
    }
    return scaling
  }

  // MARK: Fitting

  /// Converts the image to a pixel buffer.
  /// - Throws: `MLModelError.generic` if the pixel buffer cannot be created or its format is not supported.
  func pixelBuffer(_ picture: Image) throws -> CVPixelBuffer {
    try pixelBuffer(opaque: placed(cropped(picture).drawnOnBlack()))
  }

  private func cropped(_ picture: Image) -> Image {
    // Rounds to whole pixels, at least one.
    func pixels(_ start: CGFloat, _ end: CGFloat, of extent: Int) -> Range<Int> {
      let lower = min(max(0, Int((start * CGFloat(extent)).rounded())), extent - 1)
      return lower..<max(lower + 1, min(extent, Int((end * CGFloat(extent)).rounded())))
    }
    let columns = pixels(cropRectangle.minX, cropRectangle.maxX, of: picture.width)
    let rows = pixels(1 - cropRectangle.maxY, 1 - cropRectangle.minY, of: picture.height)
    return picture.cropped(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count) ?? picture
  }

  private func placed(_ picture: Image) -> Image {
    switch scaling {
    case .scaleFill: return picture.resized(width: width, height: height)
    case .scaleFillRotated: return picture.upright(from: .left).resized(width: width, height: height)
    case .scaleFit: return letterboxed(picture)
    case .scaleFitRotated: return letterboxed(picture.upright(from: .left))
    case .centerCrop:
      let scale = max(Double(width) / Double(picture.width), Double(height) / Double(picture.height))
      func part(_ target: Int, of extent: Int) -> Int { min(extent, max(1, Int((Double(target) / scale).rounded()))) }
      let (columns, rows) = (part(width, of: picture.width), part(height, of: picture.height))
      let middle = picture.cropped(
        x: (picture.width - columns) / 2, y: (picture.height - rows) / 2, width: columns, height: rows)
      return (middle ?? picture).resized(width: width, height: height)
    }
  }

  private func letterboxed(_ picture: Image) -> Image {
    guard
      let placement = ImagePlacement.letterboxed(
        imageWidth: picture.width, imageHeight: picture.height, targetWidth: width, targetHeight: height, anchor: .center)
    else { return picture.resized(width: width, height: height) }
    return picture.resized(width: placement.width, height: placement.height).padded(placement)
  }

  // MARK: Pixels

  private func pixelBuffer(opaque picture: Image) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, pixelFormat, nil, &made)
    guard let buffer = made else { throw MLModelError(.generic, "A pixel buffer of \(width) × \(height) cannot be created (\(code))") }
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    guard let base = unsafe CVPixelBufferGetBaseAddress(buffer) else {
      throw MLModelError(.generic, "Images cannot be written to pixel buffers of format \(pixelFormatName(pixelFormat))")
    }
    let rowByteCount = CVPixelBufferGetBytesPerRow(buffer)
    let channels = pixelFormat == kCVPixelFormatType_OneComponent8 || floatSampleType(pixelFormat) != nil ? 1 : 3
    let pixels = picture.converted(to: channels == 1 ? .gray8 : .rgb8).pixels
    let area = width * height
    var planes = [Float](repeating: 0, count: channels * area)
    for pixel in 0..<area {
      for channel in 0..<channels { planes[channel * area + pixel] = Float(pixels[pixel * channels + channel]) }
    }
    if let sampleType = floatSampleType(pixelFormat) {
      // Samples of these formats range from 0 to 1.
      for index in planes.indices { planes[index] /= 255 }
      let strides = [rowByteCount / sampleType.byteCount, 1]
      unsafe planes.withUnsafeBytes { source in
        guard let source = source.baseAddress else { return }
        unsafe copyElements(
          shape: [height, width], from: source, ElementPlacement(.float32, strides: [width, 1]), to: base,
          ElementPlacement(sampleType, strides: strides))
      }
      return buffer
    }
    guard let format = PixelFormat(pixelBufferFormat: pixelFormat),
      let target = unsafe PixelTarget(width: width, height: height, format: format, base: base, rowByteCount: rowByteCount)
    else { throw MLModelError(.generic, "Images cannot be written to pixel buffers of format \(pixelFormatName(pixelFormat))") }
    unsafe planes.withUnsafeBufferPointer { planes in
      if let planes = planes.baseAddress { unsafe target.write(planes, order: [0, 1, 2]) }
    }
    return buffer
  }
}

extension Image {
  /// The image composited over black.
  fileprivate func drawnOnBlack() -> Image {
    guard format == .rgba8 else { return self }
    var colors = pixels
    for start in stride(from: 0, to: colors.count, by: 4) {
      let alpha = Int(colors[start + 3])
      for channel in start..<start + 3 { colors[channel] = UInt8((Int(colors[channel]) * alpha + 127) / 255) }
    }
    return (Image(width: width, height: height, format: .rgba8, pixels: colors) ?? self).converted(to: .rgb8)
  }

  /// The image at its placement, surrounded by black.
  fileprivate func padded(_ placement: ImagePlacement) -> Image {
    let channels = format.channelCount
    var result = [UInt8](repeating: 0, count: placement.targetWidth * placement.targetHeight * channels)
    for row in 0..<height {
      let start = ((placement.y + row) * placement.targetWidth + placement.x) * channels
      result.replaceSubrange(
        start..<start + width * channels, with: pixels[row * width * channels..<(row + 1) * width * channels])
    }
    return Image(width: placement.targetWidth, height: placement.targetHeight, format: format, pixels: result) ?? self
  }
}
