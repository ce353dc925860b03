public import Foundation
import MartletKernels
import MartletVocabulary

extension CGContext {
  /// Draws a picture so that its lower left corner lies at that of `rect`. An image mask is painted with the fill colour.
  public func draw(_ image: CGImage, in rect: CGRect) {
    guard rect.width != 0, rect.height != 0, !rect.isNull, !rect.isInfinite, let picture = Picture(image, for: self) else { return }
    detachSnapshot()
    // From pixels of the picture, whose first row is at the top, to pixels of the bitmap.
    let map = CGAffineTransform(
      a: rect.width / CGFloat(image.width), b: 0, c: 0, d: -rect.height / CGFloat(image.height), tx: rect.minX, ty: rect.maxY
    ).concatenating(state.transform).concatenating(deviceToRows)
    guard map.determinant != 0, [map.a, map.b, map.c, map.d, map.tx, map.ty].allSatisfy(\.isFinite) else { return }
    let small = 1e-9 * (abs(map.a) + abs(map.b) + abs(map.c) + abs(map.d))
    let filter = filter(image)
    if abs(map.b) <= small, abs(map.c) <= small {
      drawUpright(picture, x: (map.a, map.tx), y: (map.d, map.ty), filter)
    } else if abs(map.a) <= small, abs(map.d) <= small {
      drawUpright(picture.transposed(), x: (map.c, map.tx), y: (map.b, map.ty), filter)
    } else {
      drawInclined(picture, map, filter)
    }
  }

  private func filter(_ image: CGImage) -> ResamplingFilter {
    switch state.quality {
    case .none: .nearest
    case .default: image.shouldInterpolate ? .bilinear : .nearest
    case .low: .bilinear
    case .medium: .bicubic
    case .high: .lanczos
    }
  }

  // MARK: Rectangles

  /// A part of an axis of the bitmap that a picture covers.
  private struct Span {
    /// Pixels that are touched.
    let pixels: Range<Int>
    /// Pixels of the picture for each of the bitmap.
    let scale: Double
    /// Position in the picture, which may be turned around, of the first pixel's edge.
    let offset: Double
    let isReversed: Bool
    private let low: Double
    private let high: Double

    init(scale: CGFloat, origin: CGFloat, count: Int) {
      let ends = [Double(origin), Double(origin) + Double(scale) * Double(count)].map { end in
        let limited = min(max(end, -0x1p30), 0x1p30)
        // Edges that are whole numbers but for rounding.
        return abs(limited - limited.rounded()) < 1e-6 ? limited.rounded() : limited
      }
      (low, high) = (min(ends[0], ends[1]), max(ends[0], ends[1]))
      isReversed = scale < 0
      pixels = Int(low.rounded(.down))..<Int(high.rounded(.up))
      self.scale = Double(count) / max(high - low, 1e-6)
      offset = (low.rounded(.down) - low) * self.scale
    }

    /// True if the span is not too short for any pixel to change.
    var isVisible: Bool { high - low > 1e-6 }

    /// How much of a pixel is covered.
    func coverage(_ pixel: Int) -> Float {
      Float(min(max(min(high, Double(pixel + 1)) - max(low, Double(pixel)), 0), 1))
    }
  }

  private func drawUpright(_ picture: Picture, x: (CGFloat, CGFloat), y: (CGFloat, CGFloat), _ filter: ResamplingFilter) {
    let (horizontal, vertical) = (
      Span(scale: x.0, origin: x.1, count: picture.width), Span(scale: y.0, origin: y.1, count: picture.height)
    )
    guard horizontal.isVisible, vertical.isVisible else { return }
    let columns = horizontal.pixels.clamped(to: state.clipBounds.left..<state.clipBounds.right)
    let rows = vertical.pixels.clamped(to: state.clipBounds.top..<state.clipBounds.bottom)
    guard !columns.isEmpty, !rows.isEmpty else { return }
    let turned = picture.reversed(columns: horizontal.isReversed, rows: vertical.isReversed)
    let skipped = (columns.lowerBound - horizontal.pixels.lowerBound, rows.lowerBound - vertical.pixels.lowerBound)
    func axis(_ span: Span, _ pixels: Range<Int>, _ skipped: Int) -> Picture.Axis {
      let start = span.offset + Double(skipped) * span.scale
      let end = start + Double(pixels.count) * span.scale
      // Edges that are whole numbers but for rounding.
      return Picture.Axis(part: start..<(abs(end - end.rounded()) < 1e-9 ? end.rounded() : end), count: pixels.count)
    }
    let shares = columns.map { isAntialiased ? horizontal.coverage($0) : horizontal.coverage($0) >= 0.5 ? 1 : 0 }
    let isWhole = shares.allSatisfy { $0 == 1 }
    turned.forEachRow(columns: axis(horizontal, columns, skipped.0), rows: axis(vertical, rows, skipped.1), filter) {
      place, column, source in
      let row = rows.lowerBound + place
      let share = isAntialiased ? vertical.coverage(row) : vertical.coverage(row) >= 0.5 ? 1 : 0
      let count = source.count ?? columns.count
      let coverage = isWhole && share == 1 ? nil : shares[column..<column + count].map { $0 * share }
      composite(row: row, left: columns.lowerBound + column, count: count, coverage: coverage, source: source)
    }
  }

  // MARK: Parallelograms

  /// Draws by looking up, for each pixel, where its middle lies in the picture.
  private func drawInclined(_ picture: Picture, _ map: CGAffineTransform, _ filter: ResamplingFilter) {
    var shape = PathShape()
    shape.addRect(CGRect(x: 0, y: 0, width: picture.width, height: picture.height), map.concatenating(deviceToRows))
    // A picture that becomes smaller is first scaled along its own axes.
    let scales = (hypot(map.a, map.b), hypot(map.c, map.d))
    func extent(_ count: Int, _ scale: CGFloat) -> Int {
      scale < 1 && filter != .nearest ? max(Int((CGFloat(count) * scale).rounded(.up)), 1) : count
    }
    let raster = picture.raster(width: extent(picture.width, scales.0), height: extent(picture.height, scales.1), filter)
    let toPicture = CGAffineTransform(
      scaleX: CGFloat(picture.width) / CGFloat(raster.width), y: CGFloat(picture.height) / CGFloat(raster.height)
    ).concatenating(map)
    guard let inverse = toPicture.inverse,
      [inverse.a, inverse.b, inverse.c, inverse.d, inverse.tx, inverse.ty].allSatisfy({ abs($0) < 1e30 })
    else { return }
    forEachCoveredRow(shape, .winding) { row, left, coverage in
      let pixels = coverage.indices.map { index in
        guard coverage[index] > 0 else { return Pixel.clear }
        let point = CGPoint(x: CGFloat(left + index) + 0.5, y: CGFloat(row) + 0.5).applying(inverse)
        return raster.sample(Double(point.x), Double(point.y), filter)
      }
      composite(row: row, left: left, count: pixels.count, coverage: coverage, source: .pixels(pixels))
    }
  }

  // MARK: Masks

  /// The coverage that a mask leaves of a rectangle; nil for an image that is no mask.
  func maskCoverage(_ rect: CGRect, _ mask: CGImage) -> CoverageMask? {
    let info = CGBitmapInfo(alpha: .none, component: .float, byteOrder: .order32Host)
    guard mask.isMask || mask.colorSpace?.model == .monochrome && mask.alphaInfo == .none,
      let image = mask.isMask ? mask : mask.copy(colorSpace: .deviceGray),
      let context = unsafe CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 32, bytesPerRow: 0, space: .deviceGray, bitmapInfo: info)
    else { return nil }
    context.state.transform = state.transform
    context.state.quality = state.quality
    context.state.isAntialiased = isAntialiased
    context.setFillColor(gray: 1, alpha: 1)
    context.draw(image, in: rect)
    let bounds = PixelRect(left: 0, top: 0, right: width, bottom: height)
    var coverage: [Float] = []
    coverage.reserveCapacity(width * height)
    for row in 0..<height {
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: context.memory.bytes[(row * context.bytesPerRow)...])
      unsafe context.layout.read(bytes, columns: 0..<width) { _, color, _ in coverage.append(min(max(color.x, 0), 1)) }
    }
    return CoverageMask(bounds, coverage)
  }
}
