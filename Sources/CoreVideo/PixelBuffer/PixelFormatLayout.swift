/// Memory layout of a pixel format: one plane for packed formats, several for planar ones.
struct PixelFormatLayout {
  /// One plane: blocks of one or more neighbouring pixels, with subsampling.
  struct Plane {
    /// Number of neighbouring pixels in a block.
    var blockWidth = 1
    var blockByteCount: Int
    /// Number of image pixels per sample along each axis.
    var horizontalSubsampling = 1
    var verticalSubsampling = 1
  }

  let planes: [Plane]
  var isPlanar: Bool { planes.count > 1 }

  /// - Returns: nil for a format that is not supported.
  init?(_ format: OSType) {
    switch format {
    case kCVPixelFormatType_OneComponent8:
      self.init(pixelByteCount: 1)
    case kCVPixelFormatType_16BE555, kCVPixelFormatType_16LE555, kCVPixelFormatType_16LE5551, kCVPixelFormatType_16BE565,
      kCVPixelFormatType_16LE565, kCVPixelFormatType_16Gray, kCVPixelFormatType_TwoComponent8, kCVPixelFormatType_OneComponent10,
      kCVPixelFormatType_OneComponent12, kCVPixelFormatType_OneComponent16, kCVPixelFormatType_OneComponent16Half,
      kCVPixelFormatType_DisparityFloat16, kCVPixelFormatType_DepthFloat16:
      self.init(pixelByteCount: 2)
    case kCVPixelFormatType_24RGB, kCVPixelFormatType_24BGR, kCVPixelFormatType_444YpCbCr8:
      self.init(pixelByteCount: 3)
    case kCVPixelFormatType_32ARGB, kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ABGR, kCVPixelFormatType_32RGBA,
      kCVPixelFormatType_30RGB, kCVPixelFormatType_ARGB2101010LEPacked, kCVPixelFormatType_32AlphaGray,
      kCVPixelFormatType_TwoComponent16, kCVPixelFormatType_OneComponent32Float, kCVPixelFormatType_TwoComponent16Half,
      kCVPixelFormatType_DisparityFloat32, kCVPixelFormatType_DepthFloat32, kCVPixelFormatType_4444YpCbCrA8,
      kCVPixelFormatType_4444AYpCbCr8:
      self.init(pixelByteCount: 4)
    case kCVPixelFormatType_48RGB:
      self.init(pixelByteCount: 6)
    case kCVPixelFormatType_64ARGB, kCVPixelFormatType_64RGBALE, kCVPixelFormatType_64RGBAHalf, kCVPixelFormatType_TwoComponent32Float,
      kCVPixelFormatType_4444AYpCbCr16:
      self.init(pixelByteCount: 8)
    case kCVPixelFormatType_128RGBAFloat:
      self.init(pixelByteCount: 16)
    case kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_422YpCbCr8_yuvs, kCVPixelFormatType_422YpCbCr8FullRange:
      self.init(planes: [Plane(blockWidth: 2, blockByteCount: 4)])
    case kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange:
      let chroma = Plane(blockByteCount: 1, horizontalSubsampling: 2, verticalSubsampling: 2)
      self.init(planes: [Plane(blockByteCount: 1), chroma, chroma])
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange:
      self.init(sampleByteCount: 1, horizontalSubsampling: 2, verticalSubsampling: 2)
    case kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_422YpCbCr8BiPlanarFullRange:
      self.init(sampleByteCount: 1, horizontalSubsampling: 2, verticalSubsampling: 1)
    case kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_444YpCbCr8BiPlanarFullRange:
      self.init(sampleByteCount: 1, horizontalSubsampling: 1, verticalSubsampling: 1)
    case kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr10BiPlanarFullRange:
      self.init(sampleByteCount: 2, horizontalSubsampling: 2, verticalSubsampling: 2)
    case kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_422YpCbCr10BiPlanarFullRange:
      self.init(sampleByteCount: 2, horizontalSubsampling: 2, verticalSubsampling: 1)
    case kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_444YpCbCr10BiPlanarFullRange:
      self.init(sampleByteCount: 2, horizontalSubsampling: 1, verticalSubsampling: 1)
    default:
      return nil
    }
  }

  private init(planes: [Plane]) {
    self.planes = planes
  }

  /// A packed format without subsampling.
  private init(pixelByteCount: Int) {
    planes = [Plane(blockByteCount: pixelByteCount)]
  }

  /// A biplanar format: luma, and both chroma channels interleaved.
  private init(sampleByteCount: Int, horizontalSubsampling: Int, verticalSubsampling: Int) {
    planes = [
      Plane(blockByteCount: sampleByteCount),
      Plane(
        blockByteCount: 2 * sampleByteCount, horizontalSubsampling: horizontalSubsampling, verticalSubsampling: verticalSubsampling),
    ]
  }
}

extension PixelFormatLayout.Plane {
  /// Size of the plane for an image, rounded up so that every pixel has a sample.
  /// - Precondition: width and height of the image are at least 1.
  func extents(imageWidth: Int, imageHeight: Int) -> (width: Int, height: Int) {
    ((imageWidth - 1) / horizontalSubsampling + 1, (imageHeight - 1) / verticalSubsampling + 1)
  }

  /// Size in bytes of a row of `width` samples (at least 1) without padding; nil if that overflows.
  func rowByteCount(width: Int) -> Int? {
    let (byteCount, overflow) = ((width - 1) / blockWidth + 1).multipliedReportingOverflow(by: blockByteCount)
    return overflow ? nil : byteCount
  }
}
