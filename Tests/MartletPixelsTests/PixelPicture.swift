import MartletPixels
import Testing

/// Random pixels of a format, with something between the rows, and the picture they are.
struct PixelPicture {
  let width: Int
  let height: Int
  let format: PixelFormat
  private var planes: [(bytes: [UInt8], rowByteCount: Int)] = []
  private(set) var reference = ReferencePicture(width: 0, height: 0) { _, _ in [0, 0, 0] }

  init(width: Int, height: Int, format: PixelFormat, seed: UInt64 = 1) {
    self.width = width
    self.height = height
    self.format = format
    var generator = SplitMix64(state: seed)
    func plane(rowByteCount: Int, rowCount: Int) -> (bytes: [UInt8], rowByteCount: Int) {
      let padded = rowByteCount + 5
      return ((0..<padded * rowCount).map { _ in UInt8.random(in: 0...255, using: &generator) }, padded)
    }
    switch format {
    case .gray8: planes = [plane(rowByteCount: width, rowCount: height)]
    case .rgb8, .bgr8: planes = [plane(rowByteCount: 3 * width, rowCount: height)]
    case .rgba8, .bgra8, .argb8, .abgr8: planes = [plane(rowByteCount: 4 * width, rowCount: height)]
    case .yCbCr420VideoRange8, .yCbCr420FullRange8:
      planes = [
        plane(rowByteCount: width, rowCount: height), plane(rowByteCount: (width + 1) / 2 * 2, rowCount: (height + 1) / 2),
      ]
    case .yCbCr420VideoRange10, .yCbCr420FullRange10:
      planes = [
        plane(rowByteCount: 2 * width, rowCount: height), plane(rowByteCount: (width + 1) / 2 * 4, rowCount: (height + 1) / 2),
      ]
    }
    let picture = self
    reference = ReferencePicture(width: width, height: height) { picture.color($0, $1) }
  }

  func withSource<R>(_ body: (PixelSource) throws -> R) throws -> R {
    try unsafe planes[0].bytes.withUnsafeBytes { first in
      try unsafe planes[planes.count - 1].bytes.withUnsafeBytes { last in
        let source = unsafe PixelSource(
          width: width, height: height, format: format,
          plane: .init(base: first.baseAddress!, rowByteCount: planes[0].rowByteCount),
          chroma: planes.count > 1 ? .init(base: last.baseAddress!, rowByteCount: planes[1].rowByteCount) : nil)
        return try body(try #require(source))
      }
    }
  }

  private func byte(_ plane: Int, _ row: Int, _ offset: Int) -> Double {
    Double(planes[plane].bytes[row * planes[plane].rowByteCount + offset])
  }

  private func color(_ x: Int, _ y: Int) -> SIMD3<Double> {
    func interleaved(_ pixelByteCount: Int, _ red: Int, _ green: Int, _ blue: Int) -> SIMD3<Double> {
      [byte(0, y, x * pixelByteCount + red), byte(0, y, x * pixelByteCount + green), byte(0, y, x * pixelByteCount + blue)]
    }
    switch format {
    case .gray8: return interleaved(1, 0, 0, 0)
    case .rgb8: return interleaved(3, 0, 1, 2)
    case .bgr8: return interleaved(3, 2, 1, 0)
    case .rgba8: return interleaved(4, 0, 1, 2)
    case .bgra8: return interleaved(4, 2, 1, 0)
    case .argb8: return interleaved(4, 1, 2, 3)
    case .abgr8: return interleaved(4, 3, 2, 1)
    case .yCbCr420VideoRange8: return rgb(byte(0, y, x), byte(1, y / 2, x / 2 * 2), byte(1, y / 2, x / 2 * 2 + 1), isFullRange: false)
    case .yCbCr420FullRange8: return rgb(byte(0, y, x), byte(1, y / 2, x / 2 * 2), byte(1, y / 2, x / 2 * 2 + 1), isFullRange: true)
    case .yCbCr420VideoRange10, .yCbCr420FullRange10:
      let isFullRange = format == .yCbCr420FullRange10
      // In steps of 8 bits; the lowest six bits of a word mean nothing.
      func sample(_ plane: Int, _ row: Int, _ offset: Int) -> Double {
        (byte(plane, row, offset + 1) * 4 + (byte(plane, row, offset) / 64).rounded(.down)) / 4
      }
      let chroma = (sample(1, y / 2, x / 2 * 4), sample(1, y / 2, x / 2 * 4 + 2))
      guard isFullRange else { return rgb(sample(0, y, 2 * x), chroma.0, chroma.1, isFullRange: false) }
      // 1023 is white.
      let scale = 1020.0 / 1023
      return rgb(sample(0, y, 2 * x) * scale, (chroma.0 - 128) * scale + 128, (chroma.1 - 128) * scale + 128, isFullRange: true)
    }
  }

  /// ITU-R BT.601, from its luma weights.
  private func rgb(_ luma: Double, _ cb: Double, _ cr: Double, isFullRange: Bool) -> SIMD3<Double> {
    let (redWeight, blueWeight) = (0.299, 0.114)
    let y = isFullRange ? luma : (luma - 16) * 255 / 219
    let chromaScale = isFullRange ? 1 : 255.0 / 224
    let red = y + 2 * (1 - redWeight) * (cr - 128) * chromaScale
    let blue = y + 2 * (1 - blueWeight) * (cb - 128) * chromaScale
    let green = (y - redWeight * red - blueWeight * blue) / (1 - redWeight - blueWeight)
    return SIMD3(red, green, blue).clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
  }
}
