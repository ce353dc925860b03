package import MartletPixels
import MartletTensor

/// The stored pixels of a picture: rows from top to bottom, samples interleaved, no padding between rows.
package struct DecodedPicture: Sendable, Equatable {
  package enum Colors: Sendable, Hashable {
    case gray
    case rgb
    /// Amounts of ink, the largest number being full.
    case cmyk
    /// Indices to a table of red, green and blue bytes.
    case palette([UInt8])

    package var sampleCount: Int {
      switch self {
      case .gray, .palette: 1
      case .rgb: 3
      case .cmyk: 4
      }
    }
  }

  package enum Alpha: Sendable, Hashable {
    case none
    /// A sample without meaning, all ones, follows the colours.
    case skipped
    /// Alpha follows the colours, which are not multiplied by it.
    case straight
  }

  package var width: Int
  package var height: Int
  package var colors: Colors
  package var alpha: Alpha
  /// 8 or 16; samples of 16 bits have the machine's byte order.
  package var bitsPerComponent: Int
  package var bytes: [UInt8]

  /// - Precondition: `bytes` has the size that the other properties imply, which its maker has computed with checks.
  package init(width: Int, height: Int, colors: Colors, alpha: Alpha, bitsPerComponent: Int, bytes: [UInt8]) {
    self.width = width
    self.height = height
    self.colors = colors
    self.alpha = alpha
    self.bitsPerComponent = bitsPerComponent
    self.bytes = bytes
    precondition(Extent(bytes.count) == Extent(rowByteCount) * height)
  }

  package var samplesPerPixel: Int { colors.sampleCount + (alpha == .none ? 0 : 1) }
  package var bitsPerPixel: Int { (Extent(samplesPerPixel) * bitsPerComponent).clamped }
  package var rowByteCount: Int { (Extent(width) * bitsPerPixel / 8).clamped }

  /// Memory for rows, filled by a decoder.
  /// - Parameter fill: writes every row and returns what is wrong, if anything.
  static func rows(
    width: Int, height: Int, bytesPerPixel: Int, file: String,
    _ fill: (_ rows: UnsafeMutablePointer<UInt8>, _ rowByteCount: Int) throws(MediaError) -> Void
  ) throws(MediaError) -> [UInt8] {
    guard let rowByteCount = (Extent(width) * bytesPerPixel).count, let byteCount = (Extent(rowByteCount) * height).count else {
      throw MediaError(file: file, field: "pixel count", reason: .invalid("overflows a byte count"))
    }
    var fault: MediaError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      guard let rows = buffer.baseAddress else { return }
      // A decoder that stops early leaves zeros, not what was in memory before.
      unsafe buffer.initialize(repeating: 0)
      count = byteCount
      do throws(MediaError) { unsafe try fill(rows, rowByteCount) } catch { fault = error }
    }
    if let fault { throw fault }
    return bytes
  }
}

extension DecodedPicture {
  /// The picture with or without the sample that follows three colours without alpha.
  func padded(_ isPadded: Bool) -> DecodedPicture {
    guard !isPadded, colors == .rgb, alpha == .skipped else { return self }
    let sampleByteCount = bitsPerComponent / 8
    var packed: [UInt8] = []
    // In range: samples in memory.
    packed.reserveCapacity(bytes.count / 4 * 3)
    for start in stride(from: 0, to: bytes.count, by: 4 * sampleByteCount) { packed += bytes[start..<start + 3 * sampleByteCount] }
    return DecodedPicture(width: width, height: height, colors: .rgb, alpha: .none, bitsPerComponent: bitsPerComponent, bytes: packed)
  }

  /// The picture in 8 bits without padding: palettes are looked up, samples of 16 bits rounded, and inks mixed without a profile.
  package var image: Image {
    if alpha == .skipped, colors == .rgb { return padded(false).image }
    let samples = bitsPerComponent == 16 ? roundedSamples : bytes
    let format: Image.PixelFormat
    var pixels: [UInt8] = []
    // In range: positions of samples in memory.
    switch (colors, alpha) {
    case (.gray, .none): (format, pixels) = (.gray8, samples)
    case (.rgb, .none), (.rgb, .skipped): (format, pixels) = (.rgb8, samples)
    case (.rgb, .straight): (format, pixels) = (.rgba8, samples)
    case (.gray, _):
      format = .rgba8
      pixels.reserveCapacity(samples.count * 2)
      for start in stride(from: 0, to: samples.count, by: 2) {
        pixels.append(samples[start])
        pixels.append(samples[start])
        pixels.append(samples[start])
        pixels.append(samples[start + 1])
      }
    case (.palette(let table), _):
      format = .rgb8
      pixels.reserveCapacity(samples.count * 3)
      for sample in samples {
        let start = 3 * Int(widening: sample)
        // An index beyond the table is black.
        if start + 3 <= table.count { pixels += table[start..<start + 3] } else { pixels += [0, 0, 0] }
      }
    case (.cmyk, _):
      format = .rgb8
      pixels.reserveCapacity(samples.count / 4 * 3)
      for start in stride(from: 0, to: samples.count, by: 4) {
        let light = 255 - Int(widening: samples[start + 3])
        for channel in 0..<3 {
          pixels.append(UInt8(clamping: ((255 - Int(widening: samples[start + channel])) * light + 127) / 255))
        }
      }
    }
    return Image(checkedWidth: width, height: height, format: format, pixels: pixels)
  }

  /// Samples of 16 bits as the nearest 8-bit ones.
  private var roundedSamples: [UInt8] {
    unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 2).map { index in
        let sample = UInt32(widening: unsafe bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
        // In range: 65535 × 255 has 24 bits.
        return UInt8(truncatingIfNeeded: (sample * 255 + 32_895) >> 16)
      }
    }
  }
}
