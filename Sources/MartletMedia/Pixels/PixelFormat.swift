/// Memory layout of pixels that can be decoded to red, green and blue.
package enum PixelFormat: Sendable, Hashable, CaseIterable {
  // 8-bit samples, interleaved in the order of the name. Alpha is ignored.
  case gray8
  case rgb8
  case bgr8
  case rgba8
  case bgra8
  case argb8
  case abgr8
  // One plane of luma, and one of interleaved chroma samples, Cb first, each covering 2 x 2 pixels: "NV12".
  case yCbCr420VideoRange8
  case yCbCr420FullRange8
  // The same with 10-bit samples in the high bits of 16-bit little-endian words: "P010". The lowest two bits are ignored.
  case yCbCr420VideoRange10
  case yCbCr420FullRange10

  package var planeCount: Int { isYCbCr ? 2 : 1 }

  var isYCbCr: Bool {
    switch self {
    case .yCbCr420VideoRange8, .yCbCr420FullRange8, .yCbCr420VideoRange10, .yCbCr420FullRange10: true
    default: false
    }
  }

  /// Whether samples range from 0 to 255; otherwise luma ranges from 16 to 235 and chroma from 16 to 240.
  var isFullRange: Bool { self == .yCbCr420FullRange8 || self == .yCbCr420FullRange10 }

  /// Bytes per sample; the last one holds the highest bits.
  var sampleByteCount: Int { self == .yCbCr420VideoRange10 || self == .yCbCr420FullRange10 ? 2 : 1 }

  /// Bytes per interleaved pixel, or per luma sample.
  var pixelByteCount: Int {
    switch self {
    case .gray8: 1
    case .rgb8, .bgr8: 3
    case .rgba8, .bgra8, .argb8, .abgr8: 4
    case .yCbCr420VideoRange8, .yCbCr420FullRange8, .yCbCr420VideoRange10, .yCbCr420FullRange10: sampleByteCount
    }
  }

  /// Offsets of red, green and blue in an interleaved pixel.
  var colorOffsets: (red: Int, green: Int, blue: Int) {
    switch self {
    case .rgb8, .rgba8: (0, 1, 2)
    case .bgr8, .bgra8: (2, 1, 0)
    case .argb8: (1, 2, 3)
    case .abgr8: (3, 2, 1)
    case .gray8, .yCbCr420VideoRange8, .yCbCr420FullRange8, .yCbCr420VideoRange10, .yCbCr420FullRange10: (0, 0, 0)
    }
  }
}
