import CoreGraphics
import CoreVideo

/// Pixel formats of buffers that images have, too.
struct BufferLayout {
  let bitsPerComponent: Int
  let bitsPerPixel: Int
  let isGray: Bool
  let info: CGBitmapInfo

  private init(_ bitsPerComponent: Int, _ bitsPerPixel: Int, isGray: Bool = false, _ info: CGBitmapInfo) {
    self.bitsPerComponent = bitsPerComponent
    self.bitsPerPixel = bitsPerPixel
    self.isGray = isGray
    self.info = info
  }

  /// Nil for other formats.
  init?(_ format: OSType) {
    switch format {
    case kCVPixelFormatType_24RGB: self.init(8, 24, CGBitmapInfo(alpha: .none))
    case kCVPixelFormatType_32ARGB: self.init(8, 32, CGBitmapInfo(alpha: .premultipliedFirst, byteOrder: .order32Big))
    case kCVPixelFormatType_32BGRA: self.init(8, 32, CGBitmapInfo(alpha: .premultipliedFirst, byteOrder: .order32Little))
    case kCVPixelFormatType_32ABGR: self.init(8, 32, CGBitmapInfo(alpha: .premultipliedLast, byteOrder: .order32Little))
    case kCVPixelFormatType_32RGBA: self.init(8, 32, CGBitmapInfo(alpha: .premultipliedLast, byteOrder: .order32Big))
    case kCVPixelFormatType_16BE555: self.init(5, 16, CGBitmapInfo(alpha: .noneSkipFirst, byteOrder: .order16Big))
    case kCVPixelFormatType_16LE555: self.init(5, 16, CGBitmapInfo(alpha: .noneSkipFirst, byteOrder: .order16Little))
    case kCVPixelFormatType_48RGB: self.init(16, 48, CGBitmapInfo(alpha: .none, byteOrder: .order16Big))
    case kCVPixelFormatType_64ARGB: self.init(16, 64, CGBitmapInfo(alpha: .premultipliedFirst, byteOrder: .order16Big))
    case kCVPixelFormatType_64RGBALE: self.init(16, 64, CGBitmapInfo(alpha: .premultipliedLast, byteOrder: .order16Little))
    case kCVPixelFormatType_64RGBAHalf:
      self.init(16, 64, CGBitmapInfo(alpha: .premultipliedLast, component: .float, byteOrder: .order16Little))
    case kCVPixelFormatType_128RGBAFloat:
      self.init(32, 128, CGBitmapInfo(alpha: .premultipliedLast, component: .float, byteOrder: .order32Little))
    case kCVPixelFormatType_OneComponent8: self.init(8, 8, isGray: true, CGBitmapInfo(alpha: .none))
    case kCVPixelFormatType_16Gray: self.init(16, 16, isGray: true, CGBitmapInfo(alpha: .none, byteOrder: .order16Big))
    case kCVPixelFormatType_OneComponent16: self.init(16, 16, isGray: true, CGBitmapInfo(alpha: .none, byteOrder: .order16Little))
    case kCVPixelFormatType_32AlphaGray: self.init(16, 32, isGray: true, CGBitmapInfo(alpha: .first, byteOrder: .order16Big))
    case kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_DepthFloat16, kCVPixelFormatType_DisparityFloat16:
      self.init(16, 16, isGray: true, CGBitmapInfo(alpha: .none, component: .float, byteOrder: .order16Little))
    case kCVPixelFormatType_OneComponent32Float, kCVPixelFormatType_DepthFloat32, kCVPixelFormatType_DisparityFloat32:
      self.init(32, 32, isGray: true, CGBitmapInfo(alpha: .none, component: .float, byteOrder: .order32Little))
    default: return nil
    }
  }
}
