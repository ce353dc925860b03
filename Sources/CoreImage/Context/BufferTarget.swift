import CoreGraphics
import CoreVideo
import MartletBufferImages
import MartletKernels

/// A pixel buffer that an image is rendered into.
struct BufferTarget {
  private let buffer: CVPixelBuffer
  private let layout: FormatLayout
  private let space: CGColorSpace?
  /// Bits of the samples of a buffer with luma and chroma; nil for others.
  private let chroma: (bits: Int, isFullRange: Bool)?
  let region: PixelRegion

  /// A target in the colour space of the buffer's attachments, or else in `output`. Nil for formats that cannot be written.
  init?(_ buffer: CVPixelBuffer, matching output: CGColorSpace) {
    guard let layout = Self.layout(CVPixelBufferGetPixelFormatType(buffer)) else { return nil }
    let model: CGColorSpaceModel = layout.0.isGray ? .monochrome : .rgb
    let attached = BufferColors.attachedSpace(of: buffer).flatMap { $0.model == model ? $0 : nil }
    self.init(buffer, space: attached ?? (layout.0.isGray ? CGColorSpaceCreateDeviceGray() : output))
  }

  /// - Parameter space: nil for the numbers of the working space.
  init?(_ buffer: CVPixelBuffer, space: CGColorSpace?) {
    guard let (layout, chroma) = Self.layout(CVPixelBufferGetPixelFormatType(buffer)) else { return nil }
    self.buffer = buffer
    self.layout = layout
    self.chroma = chroma
    self.space = space
    region = PixelRegion(x: 0..<CVPixelBufferGetWidth(buffer), y: 0..<CVPixelBufferGetHeight(buffer))
  }

  private static func layout(_ format: OSType) -> (FormatLayout, (bits: Int, isFullRange: Bool)?)? {
    switch format {
    case kCVPixelFormatType_32BGRA: (FormatLayout("BGRA", .byte), nil)
    case kCVPixelFormatType_32RGBA: (FormatLayout("RGBA", .byte), nil)
    case kCVPixelFormatType_32ARGB: (FormatLayout("ARGB", .byte), nil)
    case kCVPixelFormatType_32ABGR: (FormatLayout("ABGR", .byte), nil)
    case kCVPixelFormatType_24RGB: (FormatLayout("RGB", .byte), nil)
    case kCVPixelFormatType_24BGR: (FormatLayout("BGR", .byte), nil)
    case kCVPixelFormatType_64RGBALE: (FormatLayout("RGBA", .word), nil)
    case kCVPixelFormatType_64RGBAHalf: (FormatLayout("RGBA", .half), nil)
    case kCVPixelFormatType_128RGBAFloat: (FormatLayout("RGBA", .float), nil)
    case kCVPixelFormatType_OneComponent8: (FormatLayout("L", .byte), nil)
    case kCVPixelFormatType_OneComponent16: (FormatLayout("L", .word), nil)
    case kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_DepthFloat16, kCVPixelFormatType_DisparityFloat16:
      (FormatLayout("L", .half), nil)
    case kCVPixelFormatType_OneComponent32Float, kCVPixelFormatType_DepthFloat32, kCVPixelFormatType_DisparityFloat32:
      (FormatLayout("L", .float), nil)
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: (FormatLayout("RGBX", .byte), (8, false))
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: (FormatLayout("RGBX", .byte), (8, true))
    case kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: (FormatLayout("RGBX", .byte), (10, false))
    case kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: (FormatLayout("RGBX", .byte), (10, true))
    default: nil
    }
  }

  /// Renders the pixels of `bounds` that the buffer has.
  func render(_ recipe: any Recipe, _ bounds: PixelRegion, _ renderer: Renderer) {
    var part = region.intersection(bounds)
    guard !part.isEmpty, CVPixelBufferLockBaseAddress(buffer, []) == kCVReturnSuccess else { return }
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    if chroma != nil {
      part = part.aligned(within: region)
      return renderChroma(recipe, part, renderer)
    }
    guard let base = unsafe CVPixelBufferGetBaseAddress(buffer) else { return }
    let rowByteCount = CVPixelBufferGetBytesPerRow(buffer)
    let offset = (region.height - part.y.upperBound) * rowByteCount + part.x.lowerBound * layout.pixelByteCount
    _ = unsafe renderer.render(
      recipe, part, to: Output(base: base + offset, rowByteCount: rowByteCount, layout: layout, space: space))
  }

  /// Renders colours, of which luma and chroma are then made. The part begins at a square of chroma.
  private func renderChroma(_ recipe: any Recipe, _ part: PixelRegion, _ renderer: Renderer) {
    guard let chroma, let luma = unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, 0),
      let pairs = unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, 1), let byteCount = part.area(byteCount: 4)
    else { return }
    let matrix = ChromaMatrix(BufferColors.chromaStandard(of: buffer), isFullRange: chroma.isFullRange)
    let (lumaRow, chromaRow) = (CVPixelBufferGetBytesPerRowOfPlane(buffer, 0), CVPixelBufferGetBytesPerRowOfPlane(buffer, 1))
    let first = region.height - part.y.upperBound
    let left = part.x.lowerBound * (chroma.bits > 8 ? 2 : 1)
    let colors = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
    defer { unsafe colors.deallocate() }
    let output = unsafe Output(base: colors, rowByteCount: 4 * part.width, layout: layout, space: space)
    guard renderer.render(recipe, part, to: output) else { return }
    let channels = PixelChannels(step: 4, places: [0, 1, 2, -1])
    for row in stride(from: 0, to: part.height, by: 2) {
      let hasSecond = row + 1 < part.height
      let pixels = unsafe colors + 4 * row * part.width
      let place = unsafe luma + ((first + row) * lumaRow + left)
      unsafe PixelRows.chroma(
        of: pixels, hasSecond ? pixels + 4 * part.width : nil, channels, bits: chroma.bits, matrix: matrix, luma: place,
        secondLuma: hasSecond ? place + lumaRow : nil, chroma: pairs + ((first + row) / 2 * chromaRow + left), count: part.width)
    }
  }
}

extension PixelRegion {
  /// The region with edges moved outwards to squares of 2 by 2 pixels, counted from the upper left corner of `whole`.
  fileprivate func aligned(within whole: PixelRegion) -> PixelRegion {
    let top = whole.y.upperBound
    let upper = top - (top - y.upperBound) / 2 * 2
    let lower = max(top - ((top - y.lowerBound) + 1) / 2 * 2, whole.y.lowerBound)
    return PixelRegion(x: x.lowerBound / 2 * 2..<min((x.upperBound + 1) / 2 * 2, whole.x.upperBound), y: lower..<upper)
  }
}
