package import CoreGraphics
package import CoreVideo
import MartletColor
import MartletKernels
import MartletPixels

/// The pixels of a buffer as colours: read in place, row by row, whenever they are asked for.
package struct BufferPicture: @unchecked Sendable {
  private enum Content {
    /// An image that uses the buffer's memory.
    case image(CGImage)
    /// 4:2:0 in two planes, and pixels of three bytes whose order images do not have.
    case source(PixelFormat)
    case chroma(ChromaLayout)
  }

  private let buffer: CVPixelBuffer
  private let content: Content
  private let standard: ChromaMatrix.Standard
  package let width: Int
  package let height: Int
  /// The colour space of what is read: that of the attachments, sRGB or the shades of the device without.
  package private(set) var space: CGColorSpace

  /// Nil for a format that has no colours or is not supported.
  package init?(_ buffer: CVPixelBuffer) {
    let format = CVPixelBufferGetPixelFormatType(buffer)
    let attached = BufferColors.attachedSpace(of: buffer)
    self.buffer = buffer
    standard = BufferColors.chromaStandard(of: buffer)
    width = CVPixelBufferGetWidth(buffer)
    height = CVPixelBufferGetHeight(buffer)
    let sRGB = CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB()
    if let layout = BufferLayout(format) {
      let count = layout.isGray ? 1 : 3
      let space = attached.flatMap { $0.numberOfComponents == count ? $0 : nil } ?? (layout.isGray ? CGColorSpaceCreateDeviceGray() : sRGB)
      guard let image = Self.image(buffer, layout, space) else { return nil }
      self.space = space
      content = .image(image)
    } else {
      space = attached.flatMap { $0.numberOfComponents == 3 ? $0 : nil } ?? sRGB
      if let source = Self.sourceFormat(format) {
        content = .source(source)
      } else if let layout = ChromaLayout(format) {
        content = .chroma(layout)
      } else {
        return nil
      }
    }
  }

  /// The same pixels, whose numbers are taken for colours of another space of red, green and blue. For buffers without `viewedImage`.
  package func with(space: CGColorSpace) -> BufferPicture {
    var result = self
    result.space = space
    return result
  }

  private static func sourceFormat(_ format: OSType) -> PixelFormat? {
    switch format {
    case kCVPixelFormatType_24BGR: .bgr8
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: .yCbCr420VideoRange8
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: .yCbCr420FullRange8
    case kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: .yCbCr420VideoRange10
    case kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: .yCbCr420FullRange10
    default: nil
    }
  }

  private static func image(_ buffer: CVPixelBuffer, _ layout: BufferLayout, _ space: CGColorSpace) -> CGImage? {
    guard let base = unsafe CVPixelBufferGetBaseAddress(buffer) else { return nil }
    let owner = unsafe Unmanaged.passRetained(buffer)
    guard
      let provider = unsafe CGDataProvider(
        dataInfo: owner.toOpaque(), data: base, size: CVPixelBufferGetDataSize(buffer),
        releaseData: { info, _, _ in
          if let info = unsafe info { unsafe Unmanaged<CVPixelBuffer>.fromOpaque(info).release() }
        })
    else { return nil }
    return unsafe CGImage(
      width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer), bitsPerComponent: layout.bitsPerComponent,
      bitsPerPixel: layout.bitsPerPixel, bytesPerRow: CVPixelBufferGetBytesPerRow(buffer), space: space, bitmapInfo: layout.info,
      provider: provider, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
  }

  /// An image that uses the buffer's memory in place; nil for formats that images do not have.
  package var viewedImage: CGImage? {
    if case .image(let image) = content { image } else { nil }
  }

  /// True if the format has no alpha.
  package var isOpaque: Bool {
    switch content {
    case .image(let image): [.none, .noneSkipFirst, .noneSkipLast].contains(image.alphaInfo)
    case .source: true
    case .chroma(let layout): layout.alpha == nil
    }
  }

  /// Reads a part of the rows of a buffer that has no `viewedImage` as red, green, blue and straight alpha of 8 bits.
  /// - Parameter body: called for each row, in order, with the row and its pixels.
  package func readBytes(rows: Range<Int>, columns: Range<Int>, _ body: (_ row: Int, _ pixels: UnsafePointer<UInt8>) -> Void) {
    guard CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess else { return }
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    unsafe ScratchMemory.with(UInt8.self, capacity: 4 * columns.count) { pixels in
      switch content {
      case .image: return
      case .source(let format):
        func plane(_ index: Int) -> PixelSource.Plane {
          unsafe PixelSource.Plane(
            base: CVPixelBufferGetBaseAddressOfPlane(buffer, index), rowByteCount: CVPixelBufferGetBytesPerRowOfPlane(buffer, index))
        }
        let source = PixelSource(
          width: width, height: height, format: format, chromaStandard: standard, plane: plane(0), chroma: format.isYCbCr ? plane(1) : nil)
        guard let source else { return }
        source.readColors(rows: rows, columns: columns) { row, colors in
          unsafe PixelRows.reorder(colors.base, colors.channels, to: pixels, step: 4, count: columns.count)
          unsafe body(row, pixels)
        }
      case .chroma(let layout):
        let planes = (0..<max(CVPixelBufferGetPlaneCount(buffer), 1)).map { index in
          unsafe ChromaRows.Plane(
            base: CVPixelBufferGetBaseAddressOfPlane(buffer, index), rowByteCount: CVPixelBufferGetBytesPerRowOfPlane(buffer, index))
        }
        let reader = ChromaRows(layout, planes, standard)
        for row in rows {
          unsafe reader.read(row: row, columns: columns, to: pixels)
          unsafe body(row, pixels)
        }
      }
    }
  }

  /// The picture as an image: over the buffer's memory where images have the format, else converted to 8 bits.
  package var image: CGImage? {
    if let viewedImage { return viewedImage }
    var bytes = Data(count: 4 * width * height)
    unsafe bytes.withUnsafeMutableBytes { target in
      let target = target.baseAddress!
      PixelStripes.run(rowCount: height, pixelsPerRow: width) { rows in
        unsafe readBytes(rows: rows, columns: 0..<width) { row, pixels in
          unsafe (target + 4 * row * width).copyMemory(from: pixels, byteCount: 4 * width)
        }
      }
    }
    return unsafe CGImage(
      width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 4 * width, space: space,
      bitmapInfo: CGBitmapInfo(alpha: isOpaque ? .noneSkipLast : .last), provider: CGDataProvider(bytes), decode: nil,
      shouldInterpolate: true, intent: .defaultIntent)
  }
}
