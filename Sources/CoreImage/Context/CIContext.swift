public import CoreGraphics
public import CoreVideo
public import Foundation

/// Options of a context.
public struct CIContextOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A `CGColorSpace` of red, green and blue in which colours are mixed: linear sRGB of extended range unless given; `NSNull()` for numbers
  /// that are not converted.
  public static let workingColorSpace = CIContextOption(rawValue: "working_color_space")
  /// The `CGColorSpace` of results that no other is asked for: sRGB unless given.
  public static let outputColorSpace = CIContextOption(rawValue: "output_color_space")
  /// A Boolean: images that are scaled down are antialiased. True if absent.
  public static let highQualityDownsample = CIContextOption(rawValue: "high_quality_downsample")
  // Without effect: numbers between filters are in single precision, nothing is cached, and there is one renderer.
  public static let workingFormat = CIContextOption(rawValue: "working_format")
  public static let outputPremultiplied = CIContextOption(rawValue: "output_premultiplied")
  public static let cacheIntermediates = CIContextOption(rawValue: "cache_intermediates")
  public static let useSoftwareRenderer = CIContextOption(rawValue: "software_renderer")
  public static let priorityRequestLow = CIContextOption(rawValue: "low_priority")
  public static let allowLowPower = CIContextOption(rawValue: "low_power")
  public static let memoryTarget = CIContextOption(rawValue: "memory_limit")
  public static let name = CIContextOption(rawValue: "name")
}

/// Renders images. Threads may share a context.
///
/// Filters and interpolation compute in single precision with colours of the working space multiplied by alpha. An image whose pixels are only
/// cut off, moved by whole pixels or turned by quarters keeps the bytes it has, unless another colour space is asked for. An image of more
/// than 2^27 pixels at once is not rendered.
open class CIContext: NSObject, @unchecked Sendable {
  let renderer: Renderer
  let outputColorSpace: CGColorSpace
  private let cgContext: CGContext?

  private init(_ options: [CIContextOption: Any]?, cgContext: CGContext?) {
    let linear = CGColorSpace(name: CGColorSpace.extendedLinearSRGB)
    let wanted = options?[.workingColorSpace]
    let working = (wanted as? CGColorSpace).flatMap { $0.model == .rgb ? $0 : nil } ?? linear
    let isAntialiased = (options?[.highQualityDownsample] as? NSNumber)?.boolValue ?? options?[.highQualityDownsample] as? Bool ?? true
    renderer = Renderer(
      space: wanted is NSNull ? nil : working.flatMap { CGColorSpaceCreateExtended($0) ?? $0 }, isAntialiased: isAntialiased)
    outputColorSpace =
      (options?[.outputColorSpace] as? CGColorSpace).flatMap { $0.model == .rgb ? $0 : nil } ?? CGColorSpace(name: CGColorSpace.sRGB)
      ?? CGColorSpaceCreateDeviceRGB()
    self.cgContext = cgContext
  }

  public override convenience init() { self.init(nil, cgContext: nil) }

  public convenience init(options: [CIContextOption: Any]?) { self.init(options, cgContext: nil) }

  /// A context whose `draw(_:in:from:)` draws into a bitmap context.
  public convenience init(cgContext: CGContext, options: [CIContextOption: Any]? = nil) { self.init(options, cgContext: cgContext) }

  /// Nil for a context without colour conversion.
  open var workingColorSpace: CGColorSpace? { renderer.space }
  open var workingFormat: CIFormat { .RGBAf }

  /// Nothing is cached.
  open func clearCaches() {}
  /// Limit of a side of an image.
  open func inputImageMaximumSize() -> CGSize { CGSize(width: PixelRegion.limit, height: PixelRegion.limit) }
  open func outputImageMaximumSize() -> CGSize { CGSize(width: PixelRegion.limit, height: PixelRegion.limit) }

  /// Draws a part of an image into the bitmap context that this one was made with; nothing without one.
  open func draw(_ image: CIImage, in inRect: CGRect, from fromRect: CGRect) {
    guard let cgContext, let drawn = createCGImage(image, from: fromRect) else { return }
    cgContext.draw(drawn, in: inRect)
  }

  // MARK: Images

  /// A part of an image in 8 bits, in the output colour space, transparent where the image has no pixels. Edges of the rectangle are moved
  /// outwards to whole pixels. Nil for a rectangle that is empty or infinite, and for one that is too large.
  open func createCGImage(_ image: CIImage, from fromRect: CGRect) -> CGImage? {
    createCGImage(image, from: fromRect, format: .RGBA8, colorSpace: outputColorSpace)
  }

  /// - Parameter colorSpace: a space that has the format's components; nil leaves the numbers of the working space.
  /// - Returns: nil also for a format that images do not have, and one that does not fit the colour space.
  open func createCGImage(_ image: CIImage, from fromRect: CGRect, format: CIFormat, colorSpace: CGColorSpace?) -> CGImage? {
    createCGImage(image, from: fromRect, format: format, colorSpace: colorSpace, deferred: false)
  }

  /// - Parameter deferred: ignored, the image is rendered at once.
  open func createCGImage(
    _ image: CIImage, from fromRect: CGRect, format: CIFormat, colorSpace: CGColorSpace?, deferred: Bool
  ) -> CGImage? {
    let region = PixelRegion(fromRect)
    guard !region.isEmpty, !region.isUnbounded, let layout = FormatLayout(format), layout.bitmapInfo != nil,
      let area = region.area(byteCount: layout.pixelByteCount)
    else { return nil }
    let isSingle = layout.components.count <= 2
    if let colorSpace { guard colorSpace.model == (isSingle ? .monochrome : .rgb) else { return nil } }
    let rowByteCount = region.width * layout.pixelByteCount
    var data = Data(count: area)
    let isRendered = unsafe data.withUnsafeMutableBytes { bytes in
      let output = unsafe Output(base: bytes.baseAddress!, rowByteCount: rowByteCount, layout: layout, space: colorSpace)
      return renderer.render(image.recipe, region, to: output)
    }
    guard isRendered else { return nil }
    let space = colorSpace ?? (isSingle ? CGColorSpaceCreateDeviceGray() : renderer.space ?? CGColorSpaceCreateDeviceRGB())
    return format.image(data, bytesPerRow: rowByteCount, size: CGSize(width: region.width, height: region.height), space: space)
  }

  // MARK: Memory

  /// Renders a part of an image into memory, rows from the top down. Nothing is written for a format that does not fit the colour space, or
  /// an empty or infinite rectangle.
  /// - Parameter colorSpace: nil leaves the numbers of the working space.
  open func render(
    _ image: CIImage, toBitmap data: UnsafeMutableRawPointer, rowBytes: Int, bounds: CGRect, format: CIFormat, colorSpace: CGColorSpace?
  ) {
    let region = PixelRegion(bounds)
    guard !region.isEmpty, !region.isUnbounded, let layout = FormatLayout(format), region.width * layout.pixelByteCount <= rowBytes,
      region.area(byteCount: layout.pixelByteCount) != nil
    else { return }
    _ = renderer.render(
      image.recipe, region, to: unsafe Output(base: data, rowByteCount: rowBytes, layout: layout, space: colorSpace))
  }

  /// Renders an image into a buffer, whose lower left corner is the origin, in the colour space that its attachments name or else the output
  /// colour space. Pixels without image become transparent. Buffers of formats that cannot be written stay as they are.
  open func render(_ image: CIImage, to buffer: CVPixelBuffer) {
    let target = BufferTarget(buffer, matching: outputColorSpace)
    target?.render(image.recipe, target?.region ?? .empty, renderer)
  }

  /// Renders an image into a buffer, whose lower left corner is the origin, where `bounds` lies.
  /// - Parameter colorSpace: nil leaves the numbers of the working space.
  open func render(_ image: CIImage, to buffer: CVPixelBuffer, bounds: CGRect, colorSpace: CGColorSpace?) {
    BufferTarget(buffer, space: colorSpace)?.render(image.recipe, PixelRegion(bounds), renderer)
  }
}
