public import Foundation
import MartletTensor

/// How pictures are scaled.
public enum CGInterpolationQuality: Int32, Sendable {
  /// Bilinear, antialiased; the nearest pixel for a picture that is not to be interpolated.
  case `default` = 0
  /// The nearest pixel.
  case none = 1
  /// Bilinear, antialiased.
  case low = 2
  /// Bicubic, antialiased.
  case medium = 4
  /// Lanczos, antialiased.
  case high = 3
}

/// How a path is painted.
public enum CGPathDrawingMode: Int32, Sendable {
  case fill
  case eoFill
  case stroke
  case fillStroke
  case eoFillStroke
}

/// Called with the release info and the memory when a context no longer uses the caller's memory.
public typealias CGBitmapContextReleaseDataCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

/// Draws into a bitmap. The origin is at the lower left, and the first row in memory is the top one.
///
/// A context must not be used by several threads at once.
@safe
public final class CGContext: Hashable {
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  /// Nil for a context with alpha only and no space.
  public let colorSpace: CGColorSpace?
  public let bitmapInfo: CGBitmapInfo
  let layout: PixelLayout
  let memory: BitmapMemory
  var state: GraphicsState
  private var savedStates: [GraphicsState] = []
  /// The current path, after the transform that was in force when its parts were added.
  var shape = PathShape()
  /// An image that still shares the memory.
  private weak var snapshot: BitmapSnapshot?
  /// True if somebody else can change the memory.
  private var isExposed: Bool
  var isAntialiasingAllowed = true

  /// Nil unless Apple documents a bitmap context with these properties, and if there is not enough memory.
  ///
  /// - Parameters:
  ///   - data: memory for all rows; nil for memory of the context's own, with zeros.
  ///   - bytesPerRow: 0 for as many as needed.
  public convenience init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace?,
    bitmapInfo: UInt32
  ) {
    unsafe self.init(
      data: data, width: width, height: height, bitsPerComponent: bitsPerComponent, bytesPerRow: bytesPerRow, space: space,
      bitmapInfo: CGBitmapInfo(rawValue: bitmapInfo))
  }

  /// Nil unless Apple documents a bitmap context with these properties, and if there is not enough memory.
  ///
  /// - Parameters:
  ///   - data: memory for all rows; nil for memory of the context's own, with zeros.
  ///   - bytesPerRow: 0 for as many as needed.
  public convenience init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace?,
    bitmapInfo: CGBitmapInfo
  ) {
    unsafe self.init(data, width, height, bitsPerComponent, bytesPerRow, space, bitmapInfo, release: {})
  }

  /// - Parameter releaseCallback: called when the context and its images no longer use `data`.
  public convenience init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace?,
    bitmapInfo: UInt32, releaseCallback: CGBitmapContextReleaseDataCallback?, releaseInfo: UnsafeMutableRawPointer?
  ) {
    unsafe self.init(
      data, width, height, bitsPerComponent, bytesPerRow, space, CGBitmapInfo(rawValue: bitmapInfo),
      release: { unsafe releaseCallback?(releaseInfo, data) })
  }

  private init?(
    _ data: UnsafeMutableRawPointer?, _ width: Int, _ height: Int, _ bitsPerComponent: Int, _ bytesPerRow: Int, _ space: CGColorSpace?,
    _ bitmapInfo: CGBitmapInfo, release: @escaping () -> Void
  ) {
    guard width > 0, height > 0, width <= 1 << 30, height <= 1 << 30,
      let layout = BitmapFormat.layout(bitsPerComponent: bitsPerComponent, space: space, bitmapInfo: bitmapInfo),
      let rowByteCount = layout.rowByteCount(width: width).value
    else { return nil }
    // Rows of the context's own memory begin at multiples of 16 bytes.
    let fitting = unsafe data == nil ? (rowByteCount + 15) / 16 * 16 : rowByteCount
    let bytesPerRow = bytesPerRow == 0 ? fitting : bytesPerRow
    guard bytesPerRow >= rowByteCount, bytesPerRow % (layout.byteSwap + 1) == 0,
      let byteCount = layout.byteCount(width: width, height: height, bytesPerRow: bytesPerRow).value,
      let wholeByteCount = (Extent(height) * bytesPerRow).value
    else { return nil }
    if let data = unsafe data {
      unsafe memory = BitmapMemory(borrowing: data, byteCount: byteCount, release: release)
    } else {
      guard let own = BitmapMemory(byteCount: wholeByteCount) else { return nil }
      memory = own
    }
    isExposed = !memory.isOwn
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.layout = layout
    self.bitmapInfo = bitmapInfo
    colorSpace = space
    let black = Pixel(components: SIMD4(0, 0, 0, 1), count: layout.colorCount, alpha: 1)
    state = GraphicsState(
      fill: black, stroke: black, fillSpace: .deviceGray, strokeSpace: .deviceGray,
      clipBounds: PixelRect(left: 0, top: 0, right: width, bottom: height))
  }

  public static func == (first: CGContext, second: CGContext) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  public var bitsPerComponent: Int { layout.bitsPerComponent }
  public var bitsPerPixel: Int { layout.bitsPerPixel }
  public var alphaInfo: CGImageAlphaInfo { layout.alphaInfo }

  /// The first byte of the top row.
  public var data: UnsafeMutableRawPointer? {
    detachSnapshot()
    isExposed = true
    return unsafe memory.base
  }

  /// A picture of what has been drawn. Memory is copied only when it changes afterwards, or others can change it.
  public func makeImage() -> CGImage? {
    let provider: CGDataProvider
    if isExposed {
      // The caller's memory may end with the last pixel; clients of images rely on whole rows.
      var bytes = unsafe Data(memory.bytes)
      bytes.count = height * bytesPerRow
      provider = CGDataProvider(bytes)
    } else {
      let current = snapshot ?? BitmapSnapshot(memory)
      snapshot = current
      provider = CGDataProvider(current)
    }
    return unsafe CGImage(
      width: width, height: height, bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, bytesPerRow: bytesPerRow,
      space: colorSpace ?? .deviceGray, bitmapInfo: bitmapInfo, provider: provider, decode: nil, shouldInterpolate: true,
      intent: .defaultIntent)
  }

  /// Gives images that share the memory copies of their own; to be called before each change.
  func detachSnapshot() {
    snapshot?.detach()
    snapshot = nil
  }

  /// All drawing is done at once.
  public func flush() {}
  public func synchronize() {}

  // MARK: State

  public func saveGState() { savedStates.append(state) }

  /// Nothing happens without a saved state.
  public func restoreGState() {
    if let saved = savedStates.popLast() { state = saved }
  }

  /// From user space to the bitmap's, whose origin is at the lower left.
  public var ctm: CGAffineTransform { state.transform }
  public var userSpaceToDeviceSpaceTransform: CGAffineTransform { state.transform }

  public func concatenate(_ transform: CGAffineTransform) { state.transform = transform.concatenating(state.transform) }
  public func translateBy(x tx: CGFloat, y ty: CGFloat) { concatenate(CGAffineTransform(translationX: tx, y: ty)) }
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) { concatenate(CGAffineTransform(scaleX: sx, y: sy)) }
  public func rotate(by angle: CGFloat) { concatenate(CGAffineTransform(rotationAngle: angle)) }

  public func convertToDeviceSpace(_ point: CGPoint) -> CGPoint { point.applying(state.transform) }
  public func convertToUserSpace(_ point: CGPoint) -> CGPoint { point.applying(state.transform.inverted()) }
  public func convertToDeviceSpace(_ size: CGSize) -> CGSize { size.applying(state.transform) }
  public func convertToUserSpace(_ size: CGSize) -> CGSize { size.applying(state.transform.inverted()) }
  public func convertToDeviceSpace(_ rect: CGRect) -> CGRect { rect.applying(state.transform) }
  public func convertToUserSpace(_ rect: CGRect) -> CGRect { rect.applying(state.transform.inverted()) }

  /// Opacity of all drawing, 0…1.
  public func setAlpha(_ alpha: CGFloat) { state.alpha = Float(min(max(alpha, 0), 1)) }
  public func setBlendMode(_ mode: CGBlendMode) { state.blendMode = mode }
  public func setLineWidth(_ width: CGFloat) { state.style.width = width }
  public func setLineCap(_ cap: CGLineCap) { state.style.cap = cap }
  public func setLineJoin(_ join: CGLineJoin) { state.style.join = join }
  public func setMiterLimit(_ limit: CGFloat) { state.style.miterLimit = limit }
  /// Lengths of painted and unpainted pieces in turn; none for unbroken lines.
  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    state.style.dashPhase = phase
    state.style.dashLengths = lengths
  }
  public func setShouldAntialias(_ shouldAntialias: Bool) { state.isAntialiased = shouldAntialias }
  public func setAllowsAntialiasing(_ allowsAntialiasing: Bool) { isAntialiasingAllowed = allowsAntialiasing }

  public var interpolationQuality: CGInterpolationQuality {
    get { state.quality }
    set { state.quality = newValue }
  }
}
