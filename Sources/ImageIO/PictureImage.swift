import CoreGraphics
import MartletMedia
import MartletPixels
import MartletTensor

extension DecodedPicture {
  /// The picture as an image; its memory is shared.
  func image(_ metadata: PictureMetadata) -> CGImage? {
    let info: CGImageAlphaInfo =
      switch alpha {
      case .none: .none
      case .skipped: .noneSkipLast
      case .straight: .last
      }
    let order: CGImageByteOrderInfo = bitsPerComponent == 16 ? .order16Host : .orderDefault
    let space: CGColorSpace
    if case .palette(let table) = colors {
      let base = PictureColors.space(metadata, sampleCount: 3)
      guard let palette = unsafe CGColorSpace(indexedBaseSpace: base, lastIndex: table.count / 3 - 1, colorTable: table) else { return nil }
      space = palette
    } else {
      space = PictureColors.space(metadata, sampleCount: colors.sampleCount)
    }
    return unsafe CGImage(
      width: width, height: height, bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, bytesPerRow: rowByteCount,
      space: space, bitmapInfo: CGBitmapInfo(alpha: info, byteOrder: order), provider: CGDataProvider(Data(bytes)), decode: nil,
      shouldInterpolate: true, intent: .defaultIntent)
  }

  /// The pixels of an image with straight alpha: in 8 bits, or in 16 if it has more. Palettes are looked up.
  init?(_ image: CGImage) {
    let layout = image.layout
    let hasAlpha = layout.colorCount > 0 && layout.alphaStart != nil
    let table = image.colorSpace?.colorTable
    // A palette of other colours than red, green and blue has no form in a file; a shade of a mask is one of an image.
    guard table == nil || image.colorSpace?.baseColorSpace?.numberOfComponents == 3,
      let colors: Colors = [0: .gray, 1: table == nil ? .gray : .rgb, 3: .rgb, 4: .cmyk][layout.colorCount],
      let samples = ImageSamples(image, sampleCount: colors.sampleCount, hasAlpha: hasAlpha)
    else { return nil }
    self.init(
      width: image.width, height: image.height, colors: colors, alpha: hasAlpha ? .straight : .none,
      bitsPerComponent: layout.bitsPerComponent > 8 ? 16 : 8, bytes: samples.bytes)
  }
}

/// The components of an image as a file has them: colours, then straight alpha.
private struct ImageSamples {
  private(set) var bytes: [UInt8] = []

  init?(_ image: CGImage, sampleCount: Int, hasAlpha: Bool) {
    guard let provider = image.dataProvider else { return nil }
    let layout = image.layout
    let count = sampleCount + (hasAlpha ? 1 : 0)
    // In range: the image's initialiser has compared the size of its rows with the provider's.
    bytes.reserveCapacity(image.width * image.height * count * (layout.bitsPerComponent > 8 ? 2 : 1))
    let rowByteCount = layout.rowByteCount(width: image.width).clamped
    unsafe provider.withBytes { memory in
      for row in 0..<image.height {
        let start = row * image.bytesPerRow
        let source = unsafe UnsafeRawBufferPointer(rebasing: memory[start..<start + rowByteCount])
        if let offsets = layout.byteOffsets, offsets.color.count == sampleCount, image.decodeRange.isEmpty, !layout.isPremultiplied {
          let all = offsets.color + (hasAlpha ? [offsets.alpha].compactMap { $0 } : [])
          for pixel in stride(from: 0, to: image.width * offsets.stride, by: offsets.stride) {
            for offset in all { bytes.append(unsafe source[pixel + offset]) }
          }
        } else {
          unsafe layout.read(source, columns: 0..<image.width) { _, color, alpha in append(color, alpha, image, sampleCount, hasAlpha) }
        }
      }
    }
  }

  /// - Parameter color: components as they are stored, 0…1.
  private mutating func append(_ color: SIMD4<Float>, _ alpha: Float, _ image: CGImage, _ sampleCount: Int, _ hasAlpha: Bool) {
    let layout = image.layout
    let range = image.decodeRange
    let greatest = Float((1 << min(layout.bitsPerComponent, 16)) - 1)
    if let table = image.colorSpace?.colorTable {
      let (low, high) = range.count == 2 ? (Float(range[0]), Float(range[1])) : (0, greatest)
      // An index beyond the table is its last colour.
      let index = min(max(low + (high - low) * color.x, 0), Float(table.count / 3 - 1))
      let start = 3 * (Int(exactly: index.rounded()) ?? 0)
      bytes += table[start..<start + 3]
    } else {
      for component in 0..<sampleCount {
        var value = layout.colorCount == 0 ? alpha : color[component]
        if layout.isPremultiplied { value = alpha > 0 ? value / alpha : 0 }
        if 2 * component + 1 < range.count {
          let (low, high) = (Float(range[2 * component]), Float(range[2 * component + 1]))
          value = low + (high - low) * value
        }
        append(value, layout)
      }
    }
    if hasAlpha { append(alpha, layout) }
  }

  private mutating func append(_ value: Float, _ layout: PixelLayout) {
    // NaN becomes black.
    let bounded = value > 0 ? min(value, 1) : 0
    guard layout.bitsPerComponent > 8 else { return bytes.append(UInt8(exactly: (bounded * 255).rounded()) ?? 0) }
    let sample = UInt16(exactly: (bounded * 65_535).rounded()) ?? 0
    unsafe withUnsafeBytes(of: sample) { unsafe bytes += $0 }
  }
}
