import MartletColor
import MartletKernels
import MartletTensor

/// Reads rows of an image as colours of a space, multiplied by alpha.
package struct ImageReader {
  private let image: CGImage
  private let provider: CGDataProvider
  private let space: CGColorSpace
  private let transform: ColorTransform?
  private let decode: [CGFloat]
  /// The colour of each value of an image with one component of few bits.
  private var palette: [Pixel] = []
  private var paletteBytes: [SIMD4<UInt8>] = []

  /// Nil if colours of the image cannot be converted to `space`.
  package init?(_ image: CGImage, space: CGColorSpace) {
    guard let provider = image.dataProvider else { return nil }
    self.image = image
    self.provider = provider
    self.space = space
    decode = image.decodeRange
    if image.layout.colorCount == 0 {
      transform = nil
    } else if let source = image.colorSpace {
      guard let transform = ColorTransforms.transform(from: source, to: space) else { return nil }
      self.transform = transform
    } else {
      transform = nil
    }
    if image.layout.colorCount == 1, image.layout.alphaStart == nil, image.bitsPerComponent <= 8, !image.layout.isFloat {
      let greatest = 1 << image.bitsPerComponent
      let numbers = (0..<greatest).map { SIMD4(Float($0) / Float(greatest - 1), 0, 0, 0) }
      palette = pixels(numbers, [Float](repeating: 1, count: greatest))
      paletteBytes = palette.map(\.bytes)
    }
  }

  // MARK: Bytes

  /// Reads a part of a row as red, green, blue and alpha of 8 bits, multiplied by alpha. Shades have three equal components.
  /// - Parameter bytes: at least four for each column.
  package func readBytes(row: Int, columns: Range<Int>, into bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBufferPointer { unsafe readBytes(row: row, columns: columns, into: $0) }
  }

  package func readBytes(row: Int, columns: Range<Int>, into bytes: UnsafeMutableBufferPointer<UInt8>) {
    precondition(bytes.count >= 4 * columns.count, "room for the row")
    let bytes = unsafe UnsafeMutableBufferPointer(rebasing: bytes[..<(4 * columns.count)])
    let layout = image.layout
    if let offsets = layout.byteOffsets, offsets.color.count == 3, decode.isEmpty, let transform, canConvertBytes(transform) {
      unsafe withRow(row) { source in
        unsafe Self.gather(source, offsets.color, offsets.alpha, offsets.stride, columns, bytes)
      }
      unsafe transform.convert(bytes: bytes, pixelStride: 4)
      if offsets.alpha != nil, !layout.isPremultiplied { unsafe Self.multiply(bytes) }
      return
    }
    if !paletteBytes.isEmpty {
      unsafe withRow(row) { source in
        for (place, column) in columns.enumerated() { unsafe Self.store(paletteBytes[index(source, column)], bytes, place) }
      }
      return
    }
    var pixels: [Pixel] = []
    readPixels(row: row, columns: columns, into: &pixels)
    for (place, pixel) in pixels.enumerated() { unsafe Self.store(pixel.bytes, bytes, place) }
  }

  /// Where red, green, blue and alpha lie in each pixel of bytes that need no conversion; -1 for alpha that is 255. Nil for other images.
  var placesInMemory: (step: Int, SIMD4<Int8>)? {
    guard let offsets = image.layout.byteOffsets, decode.isEmpty else { return nil }
    let alpha = Int8(truncatingIfNeeded: offsets.alpha ?? -1)
    if offsets.color.count == 3, offsets.stride == 3 || offsets.stride == 4, let transform, transform.convertsBytes,
      transform.isByteIdentity, offsets.alpha == nil || image.layout.isPremultiplied
    {
      let places = offsets.color.map { Int8(truncatingIfNeeded: $0) }
      return (offsets.stride, [places[0], places[1], places[2], alpha])
    }
    if offsets.color.count == 1, offsets.stride == 1, paletteBytes.count == 256,
      paletteBytes.indices.allSatisfy({ shade in
        let byte = UInt8(truncatingIfNeeded: shade)
        return paletteBytes[shade] == [byte, byte, byte, 255]
      })
    {
      return (1, [0, 0, 0, -1])
    }
    return nil
  }

  /// Reads a part of a row as red, green, blue and alpha of 8 bits as they are stored: without conversion, multiplied by alpha only if the
  /// image's pixels are.
  /// - Precondition: the image has red, green and blue of 8 bits.
  package func readStoredBytes(row: Int, columns: Range<Int>, into bytes: inout [UInt8]) {
    guard let offsets = image.layout.byteOffsets, offsets.color.count == 3 else { preconditionFailure("components are bytes") }
    precondition(bytes.count >= 4 * columns.count, "room for the row")
    unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      unsafe withRow(row) { source in unsafe Self.gather(source, offsets.color, offsets.alpha, offsets.stride, columns, bytes) }
    }
  }

  private func canConvertBytes(_ transform: ColorTransform) -> Bool {
    transform.convertsBytes && (transform.isByteIdentity || !image.layout.isPremultiplied)
  }

  @unsafe
  private static func gather(
    _ source: UnsafeRawBufferPointer, _ color: [Int], _ alpha: Int?, _ stride: Int, _ columns: Range<Int>,
    _ target: UnsafeMutableBufferPointer<UInt8>
  ) {
    let (red, green, blue) = (color[0], color[1], color[2])
    for place in 0..<columns.count {
      // In range: the row has the bytes of all its columns.
      let start = (columns.lowerBound + place) * stride
      unsafe target[4 * place] = unsafe source[start + red]
      unsafe target[4 * place + 1] = unsafe source[start + green]
      unsafe target[4 * place + 2] = unsafe source[start + blue]
      unsafe target[4 * place + 3] = if let alpha { unsafe source[start + alpha] } else { 255 }
    }
  }

  @unsafe
  private static func multiply(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    unsafe PixelRows.premultiply(base, alpha: .last, to: base, count: bytes.count / 4)
  }

  @unsafe
  static func store(_ color: SIMD4<UInt8>, _ bytes: UnsafeMutableBufferPointer<UInt8>, _ place: Int) {
    for channel in 0..<4 { unsafe bytes[4 * place + channel] = color[channel] }
  }

  // MARK: Numbers

  package func readPixels(row: Int, columns: Range<Int>, into pixels: inout [Pixel]) {
    if !palette.isEmpty {
      unsafe withRow(row) { source in pixels = columns.map { unsafe palette[index(source, $0)] } }
      return
    }
    var colors: [SIMD4<Float>] = []
    var alphas: [Float] = []
    colors.reserveCapacity(columns.count)
    alphas.reserveCapacity(columns.count)
    unsafe withRow(row) { source in
      unsafe image.layout.read(source, columns: columns) { _, color, alpha in
        colors.append(color)
        alphas.append(alpha)
      }
    }
    pixels = self.pixels(colors, alphas)
  }

  /// Samples of an image mask or of shades without conversion: 0…1, after the decode array.
  func readSamples(row: Int) -> [Float] {
    unsafe withRow(row) { source in
      var samples: [Float] = []
      samples.reserveCapacity(image.width)
      let (low, high) = decode.isEmpty ? (0, 1) : (Float(decode[0]), Float(decode[1]))
      unsafe image.layout.read(source, columns: 0..<image.width) { _, color, _ in samples.append(low + (high - low) * color.x) }
      return samples
    }
  }

  private func pixels(_ components: [SIMD4<Float>], _ alphas: [Float]) -> [Pixel] {
    var colors = components
    let layout = image.layout
    if let table = image.colorSpace?.colorTable {
      let greatest = Float((1 << image.bitsPerComponent) - 1)
      let (low, high) = decode.isEmpty ? (0, greatest) : (Float(decode[0]), Float(decode[1]))
      let count = image.colorSpace?.baseColorSpace?.numberOfComponents ?? 1
      let last = Float(table.count / count - 1)
      for place in colors.indices {
        let position = low + (high - low) * colors[place].x
        let index = Int(truncatingIfNeeded: Int32(position > 0 ? min(position, last) + 0.5 : 0))
        colors[place] = .zero
        for component in 0..<count { colors[place][component] = Float(table[min(index, Int(last)) * count + component]) / 255 }
      }
    } else if !decode.isEmpty {
      var (low, high) = (SIMD4<Float>.zero, SIMD4<Float>(repeating: 1))
      for index in 0..<min(layout.colorCount, 4) { (low[index], high[index]) = (Float(decode[2 * index]), Float(decode[2 * index + 1])) }
      for place in colors.indices { colors[place] = low + (high - low) * colors[place] }
    }
    let count = layout.colorCount == 0 ? 0 : transform == nil ? 1 : space.numberOfComponents
    if layout.isPremultiplied {
      for place in colors.indices { colors[place] = alphas[place] > 0 ? colors[place] / alphas[place] : .zero }
    }
    transform?.convert(&colors)
    return zip(colors, alphas).map { Pixel(components: $0, count: count, alpha: $1) }
  }

  // MARK: Rows

  @unsafe
  private func withRow<Result>(_ row: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe provider.withBytes { bytes in
      // In range: the image's initialiser has compared the size of its rows with the provider's.
      let start = row * image.bytesPerRow
      let count = image.layout.rowByteCount(width: image.width).clamped
      return unsafe body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
  }

  /// The number of an image with one component of at most 8 bits.
  @unsafe
  private func index(_ row: UnsafeRawBufferPointer, _ column: Int) -> Int {
    Int(widening: unsafe image.layout.bits(row, column * image.bitsPerPixel + image.layout.colorStart))
  }
}
