import CoreVideo
import MartletKernels

/// Where the samples of a pixel lie in formats of luma and chroma, and what they mean.
struct ChromaLayout {
  /// One kind of samples: a plane, the place in it, and the distance to the next one in bytes.
  struct Samples {
    let plane: Int
    let offset: Int
    let step: Int
    /// Pixels for each sample.
    var columns = 1
    var rows = 1
  }

  let luma: Samples
  let cb: Samples
  let cr: Samples
  /// Opacity, not multiplied into the others.
  var alpha: Samples?
  /// Samples of 8 bits, of 10 in the high bits of words, or of 16.
  let bits: Int
  let isFullRange: Bool

  private init(_ luma: Samples, _ cb: Samples, _ cr: Samples, alpha: Samples? = nil, bits: Int = 8, isFullRange: Bool = false) {
    self.luma = luma
    self.cb = cb
    self.cr = cr
    self.alpha = alpha
    self.bits = bits
    self.isFullRange = isFullRange
  }

  private init(biPlanar bits: Int, columns: Int, rows: Int = 1, isFullRange: Bool) {
    let size = bits > 8 ? 2 : 1
    self.init(
      Samples(plane: 0, offset: 0, step: size), Samples(plane: 1, offset: 0, step: 2 * size, columns: columns, rows: rows),
      Samples(plane: 1, offset: size, step: 2 * size, columns: columns, rows: rows), bits: bits, isFullRange: isFullRange)
  }

  private init(packed luma: Int, _ cb: Int, _ cr: Int, alpha: Int? = nil, step: Int, bits: Int = 8) {
    self.init(
      Samples(plane: 0, offset: luma, step: step), Samples(plane: 0, offset: cb, step: step), Samples(plane: 0, offset: cr, step: step),
      alpha: alpha.map { Samples(plane: 0, offset: $0, step: step) }, bits: bits)
  }

  /// Two pixels in four bytes.
  private init(pairs luma: Int, _ cb: Int, _ cr: Int, isFullRange: Bool = false) {
    self.init(
      Samples(plane: 0, offset: luma, step: 2), Samples(plane: 0, offset: cb, step: 4, columns: 2),
      Samples(plane: 0, offset: cr, step: 4, columns: 2), isFullRange: isFullRange)
  }

  /// Nil for other formats, and for 4:2:0 in two planes, which has kernels of its own.
  init?(_ format: OSType) {
    switch format {
    case kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange:
      self.init(
        Samples(plane: 0, offset: 0, step: 1), Samples(plane: 1, offset: 0, step: 1, columns: 2, rows: 2),
        Samples(plane: 2, offset: 0, step: 1, columns: 2, rows: 2), isFullRange: format == kCVPixelFormatType_420YpCbCr8PlanarFullRange)
    case kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange: self.init(biPlanar: 8, columns: 2, isFullRange: false)
    case kCVPixelFormatType_422YpCbCr8BiPlanarFullRange: self.init(biPlanar: 8, columns: 2, isFullRange: true)
    case kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange: self.init(biPlanar: 8, columns: 1, isFullRange: false)
    case kCVPixelFormatType_444YpCbCr8BiPlanarFullRange: self.init(biPlanar: 8, columns: 1, isFullRange: true)
    case kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange: self.init(biPlanar: 10, columns: 2, isFullRange: false)
    case kCVPixelFormatType_422YpCbCr10BiPlanarFullRange: self.init(biPlanar: 10, columns: 2, isFullRange: true)
    case kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange: self.init(biPlanar: 10, columns: 1, isFullRange: false)
    case kCVPixelFormatType_444YpCbCr10BiPlanarFullRange: self.init(biPlanar: 10, columns: 1, isFullRange: true)
    case kCVPixelFormatType_422YpCbCr8: self.init(pairs: 1, 0, 2)
    case kCVPixelFormatType_422YpCbCr8_yuvs: self.init(pairs: 0, 1, 3)
    case kCVPixelFormatType_422YpCbCr8FullRange: self.init(pairs: 0, 1, 3, isFullRange: true)
    case kCVPixelFormatType_444YpCbCr8: self.init(packed: 1, 2, 0, step: 3)
    case kCVPixelFormatType_4444YpCbCrA8: self.init(packed: 1, 0, 2, alpha: 3, step: 4)
    case kCVPixelFormatType_4444AYpCbCr8: self.init(packed: 1, 2, 3, alpha: 0, step: 4)
    case kCVPixelFormatType_4444AYpCbCr16: self.init(packed: 2, 4, 6, alpha: 0, step: 8, bits: 16)
    default: return nil
    }
  }
}

/// Rows of a buffer with luma and chroma as red, green, blue and alpha of 8 bits.
@safe
struct ChromaRows {
  @safe
  struct Plane {
    let base: UnsafeRawPointer
    let rowByteCount: Int
  }

  private let layout: ChromaLayout
  private let planes: [Plane]
  private let lumaScale: Float
  private let lumaOffset: Float
  private let redFactor: Float
  private let blueFactor: Float
  private let greenFactors: (cb: Float, cr: Float)

  /// - Parameter planes: those of the buffer, in memory that outlives the value.
  init(_ layout: ChromaLayout, _ planes: [Plane], _ standard: ChromaMatrix.Standard) {
    self.layout = layout
    self.planes = planes
    let (red, blue) = standard.lumaWeights
    let (lumaSpan, chromaSpan) = layout.isFullRange ? (255.0, 255.0) : (219.0, 224.0)
    lumaScale = Float(255 / lumaSpan)
    lumaOffset = layout.isFullRange ? 0 : 16
    let (redScale, blueScale) = (2 * (1 - red) * 255 / chromaSpan, 2 * (1 - blue) * 255 / chromaSpan)
    redFactor = Float(redScale)
    blueFactor = Float(blueScale)
    greenFactors = (Float(-blue / (1 - red - blue) * blueScale), Float(-red / (1 - red - blue) * redScale))
  }

  /// A sample in steps of 8 bits, from which `center` (in steps of 8 bits, too) is subtracted.
  private func sample(_ samples: ChromaLayout.Samples, _ column: Int, _ row: Int, center: Float) -> Float {
    let plane = planes[samples.plane]
    // In range: the plane has samples for every pixel of the buffer.
    let place = unsafe plane.base + (row / samples.rows * plane.rowByteCount + column / samples.columns * samples.step + samples.offset)
    if layout.bits == 8 { return Float(unsafe place.load(as: UInt8.self)) - center }
    let word = unsafe UInt16(littleEndian: place.loadUnaligned(as: UInt16.self))
    if layout.isFullRange { return (Float(word >> 6) - 4 * center) * (255 / 1023) }
    return Float(word) / 256 - center
  }

  /// Writes the pixels of a part of a row; colours are not multiplied by alpha.
  func read(row: Int, columns: Range<Int>, to target: UnsafeMutablePointer<UInt8>) {
    func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
    for (index, column) in columns.enumerated() {
      let luma = sample(layout.luma, column, row, center: lumaOffset) * lumaScale
      let cb = sample(layout.cb, column, row, center: 128)
      let cr = sample(layout.cr, column, row, center: 128)
      unsafe target[4 * index] = byte(luma + redFactor * cr)
      unsafe target[4 * index + 1] = byte(luma + greenFactors.cb * cb + greenFactors.cr * cr)
      unsafe target[4 * index + 2] = byte(luma + blueFactor * cb)
      unsafe target[4 * index + 3] = layout.alpha.map { byte(sample($0, column, row, center: 0)) } ?? 255
    }
  }
}
