package import MartletKernels

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
  // The same with 10-bit samples in the high bits of 16-bit little-endian words: "P010".
  case yCbCr420VideoRange10
  case yCbCr420FullRange10

  package var planeCount: Int { isYCbCr ? 2 : 1 }

  package var isYCbCr: Bool {
    switch self {
    case .yCbCr420VideoRange8, .yCbCr420FullRange8, .yCbCr420VideoRange10, .yCbCr420FullRange10: true
    default: false
    }
  }

  /// True if samples range from 0 to 255; otherwise luma ranges from 16 to 235 and chroma from 16 to 240.
  package var isFullRange: Bool { self == .yCbCr420FullRange8 || self == .yCbCr420FullRange10 }

  /// Bits per sample.
  var bits: Int { self == .yCbCr420VideoRange10 || self == .yCbCr420FullRange10 ? 10 : 8 }

  /// Bytes per interleaved pixel, or per luma sample.
  package var pixelByteCount: Int {
    switch self {
    case .gray8: 1
    case .rgb8, .bgr8: 3
    case .rgba8, .bgra8, .argb8, .abgr8: 4
    case .yCbCr420VideoRange8, .yCbCr420FullRange8, .yCbCr420VideoRange10, .yCbCr420FullRange10: bits > 8 ? 2 : 1
    }
  }

  /// Red, green, blue and nothing, of pixels as they are stored or, for luma and chroma, converted; gray stands for all three.
  package var colorChannels: PixelChannels {
    switch self {
    case .gray8: PixelChannels(step: 1, places: [0, 0, 0, -1])
    case .rgb8: PixelChannels(step: 3, places: [0, 1, 2, -1])
    case .bgr8: PixelChannels(step: 3, places: [2, 1, 0, -1])
    case .rgba8: PixelChannels(step: 4, places: [0, 1, 2, -1])
    case .bgra8: PixelChannels(step: 4, places: [2, 1, 0, -1])
    case .argb8: PixelChannels(step: 4, places: [1, 2, 3, -1])
    case .abgr8: PixelChannels(step: 4, places: [3, 2, 1, -1])
    case .yCbCr420VideoRange8, .yCbCr420FullRange8, .yCbCr420VideoRange10, .yCbCr420FullRange10:
      PixelChannels(step: 4, places: [0, 1, 2, -1])
    }
  }

  /// The bytes of a pixel as they are stored. Luma and chroma have none.
  var storedChannels: PixelChannels {
    switch pixelByteCount {
    case 1: PixelChannels(step: 1, places: [0, -1, -1, -1])
    case 3: PixelChannels(step: 3, places: [0, 1, 2, -1])
    default: PixelChannels(step: 4, places: [0, 1, 2, 3])
    }
  }
}
