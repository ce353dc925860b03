public import Foundation
import MartletTensor

/// A picture: rows of pixels, the top one first, in memory that does not change.
@safe
public final class CGImage: Hashable, @unchecked Sendable {
  public let width: Int
  public let height: Int
  /// Distance between the first bytes of two rows.
  public let bytesPerRow: Int
  /// Nil for an image mask.
  public let colorSpace: CGColorSpace?
  public let bitmapInfo: CGBitmapInfo
  public let dataProvider: CGDataProvider?
  /// True if a picture that is drawn larger may be smoothed.
  public let shouldInterpolate: Bool
  public let renderingIntent: CGColorRenderingIntent
  package let layout: PixelLayout
  /// For each component, what its least and its greatest number mean; empty for the usual meaning.
  private let decodeArray: UnsafeMutableBufferPointer<CGFloat>

  private init(
    width: Int, height: Int, layout: PixelLayout, bytesPerRow: Int, space: CGColorSpace?, bitmapInfo: CGBitmapInfo,
    provider: CGDataProvider, decode: [CGFloat], shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    self.width = width
    self.height = height
    self.layout = layout
    self.bytesPerRow = bytesPerRow
    self.colorSpace = space
    self.bitmapInfo = bitmapInfo
    self.dataProvider = provider
    self.shouldInterpolate = shouldInterpolate
    self.renderingIntent = intent
    unsafe decodeArray = .allocate(capacity: decode.count)
    _ = unsafe decodeArray.initialize(from: decode)
  }

  deinit { unsafe decodeArray.deallocate() }

  /// Nil if the numbers do not fit together, or the provider has too few bytes.
  ///
  /// - Parameters:
  ///   - bitsPerComponent: 1, 2, 4, 8 or 16, 5 for pixels of 16 bits, and 16 or 32 for floating-point components.
  ///   - bitsPerPixel: at least the bits of all components.
  ///   - decode: two numbers for each colour component: the meaning of its least and its greatest value. Usually 0 and 1; for a palette
  ///     0 and the greatest index.
  public convenience init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace, bitmapInfo: CGBitmapInfo,
    provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    guard
      let layout = PixelLayout(
        bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, componentCount: space.numberOfComponents, bitmapInfo: bitmapInfo),
      Self.fits(width: width, height: height, bytesPerRow: bytesPerRow, layout: layout, provider: provider)
    else { return nil }
    if space.colorTable != nil {
      // Indices are whole numbers and are not multiplied by alpha.
      guard !layout.isFloat, bitsPerComponent <= 8, !layout.isPremultiplied else { return nil }
    }
    var range: [CGFloat] = []
    if let decode = unsafe decode { range = unsafe Array(UnsafeBufferPointer(start: decode, count: 2 * layout.colorCount)) }
    self.init(
      width: width, height: height, layout: layout, bytesPerRow: bytesPerRow, space: space, bitmapInfo: bitmapInfo, provider: provider,
      decode: range, shouldInterpolate: shouldInterpolate, intent: intent)
  }

  /// An image mask: where a sample is 0, drawing it paints the fill colour, where it has its greatest value, nothing. A decode array of
  /// 1 and 0 is the other way around. Nil if the numbers do not fit together.
  /// - Parameter bitsPerComponent: 1, 2, 4 or 8.
  public convenience init?(
    maskWidth width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, provider: CGDataProvider,
    decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool
  ) {
    guard [1, 2, 4, 8].contains(bitsPerComponent),
      let layout = PixelLayout(bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, componentCount: 1, bitmapInfo: []),
      Self.fits(width: width, height: height, bytesPerRow: bytesPerRow, layout: layout, provider: provider)
    else { return nil }
    var range: [CGFloat] = []
    if let decode = unsafe decode { range = unsafe [decode[0], decode[1]] }
    self.init(
      width: width, height: height, layout: layout, bytesPerRow: bytesPerRow, space: nil, bitmapInfo: [], provider: provider,
      decode: range, shouldInterpolate: shouldInterpolate, intent: .defaultIntent)
  }

  private static func fits(width: Int, height: Int, bytesPerRow: Int, layout: PixelLayout, provider: CGDataProvider) -> Bool {
    guard width > 0, height > 0, bytesPerRow >= 0, layout.rowByteCount(width: width).fits(bytesPerRow) else { return false }
    return layout.byteCount(width: width, height: height, bytesPerRow: bytesPerRow).fits(provider.size)
  }

  public static func == (first: CGImage, second: CGImage) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  public var bitsPerComponent: Int { layout.bitsPerComponent }
  public var bitsPerPixel: Int { layout.bitsPerPixel }
  public var alphaInfo: CGImageAlphaInfo { layout.alphaInfo }
  public var byteOrderInfo: CGImageByteOrderInfo { bitmapInfo.byteOrder }
  public var pixelFormatInfo: CGImagePixelFormatInfo { bitmapInfo.pixelFormat }
  public var isMask: Bool { colorSpace == nil }

  /// The decode array, valid while the image lives; nil if components have their usual meaning.
  public var decode: UnsafePointer<CGFloat>? {
    unsafe decodeArray.isEmpty ? nil : UnsafePointer(decodeArray.baseAddress)
  }

  /// The decode array; empty if components have their usual meaning.
  package var decodeRange: [CGFloat] { unsafe Array(decodeArray) }

  public func copy() -> CGImage? { copy(provider: dataProvider, width: width, height: height, bytesPerRow: bytesPerRow, space: colorSpace) }

  /// The same numbers as colours of another space; nil if it has another number of components, and for an image mask.
  public func copy(colorSpace space: CGColorSpace) -> CGImage? {
    guard let colorSpace, colorSpace.numberOfComponents == space.numberOfComponents,
      (colorSpace.colorTable == nil) == (space.colorTable == nil)
    else { return nil }
    return copy(provider: dataProvider, width: width, height: height, bytesPerRow: bytesPerRow, space: space)
  }

  /// The part in `rect`, in pixels with the origin at the top left, enlarged to whole pixels. It shares the memory of this image. Nil if
  /// the rectangle does not intersect the image.
  public func cropping(to rect: CGRect) -> CGImage? {
    let part = rect.integral.intersection(CGRect(x: 0, y: 0, width: width, height: height))
    guard !part.isNull, part.width > 0, part.height > 0, let provider = dataProvider,
      let x = Int(exactly: part.minX), let y = Int(exactly: part.minY), let columns = Int(exactly: part.width),
      let rows = Int(exactly: part.height)
    else { return nil }
    // In range: the part lies within the image, whose bytes the initialiser has compared with the provider's.
    let firstBit = x * bitsPerPixel
    let start = y * bytesPerRow + firstBit / 8
    let size = layout.byteCount(width: columns, height: rows, bytesPerRow: bytesPerRow)
    if firstBit % (8 * (layout.byteSwap + 1)) == 0, let byteCount = (Extent(start) + size).value, byteCount <= provider.size {
      let provider = provider.part(start..<byteCount)
      return copy(provider: provider, width: columns, height: rows, bytesPerRow: bytesPerRow, space: colorSpace)
    }
    let rowByteCount = layout.rowByteCount(width: columns).clamped
    let packed = PixelBits.shifted(provider, layout, bytesPerRow: bytesPerRow, x: x, y: y, rows: rows, rowByteCount: rowByteCount)
    return copy(
      provider: CGDataProvider(packed), width: columns, height: rows, bytesPerRow: rowByteCount, space: colorSpace)
  }

  private func copy(provider: CGDataProvider?, width: Int, height: Int, bytesPerRow: Int, space: CGColorSpace?) -> CGImage? {
    guard let provider else { return nil }
    return CGImage(
      width: width, height: height, layout: layout, bytesPerRow: bytesPerRow, space: space, bitmapInfo: bitmapInfo, provider: provider,
      decode: decodeRange, shouldInterpolate: shouldInterpolate, intent: renderingIntent)
  }
}
