public import Foundation

extension CGContext {
  // MARK: The current path

  public func beginPath() { shape = PathShape() }
  public func move(to point: CGPoint) { shape.move(point.applying(state.transform)) }
  public func addLine(to point: CGPoint) { shape.addLine(point.applying(state.transform)) }
  public func addQuadCurve(to end: CGPoint, control: CGPoint) {
    shape.addQuadCurve(control.applying(state.transform), end.applying(state.transform))
  }
  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
    shape.addCurve(control1.applying(state.transform), control2.applying(state.transform), end.applying(state.transform))
  }
  public func closePath() { shape.close() }
  public func addRect(_ rect: CGRect) { shape.addRect(rect, state.transform) }
  public func addRects(_ rects: [CGRect]) { for rect in rects { addRect(rect) } }
  public func addLines(between points: [CGPoint]) { shape.addLines(points, state.transform) }
  public func addEllipse(in rect: CGRect) { shape.addEllipse(rect, state.transform) }
  public func addPath(_ path: CGPath) { shape.append(path.shape.applying(state.transform)) }

  /// An arc, with a line from the current point to its start. Angles are in radians from the x axis; `clockwise`, as seen with the y axis
  /// pointing up, is the way to smaller angles.
  public func addArc(center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    shape.addArc(center, radius, startAngle, endAngle, clockwise: clockwise, state.transform)
  }

  /// An arc that touches the line from the current point to `tangent1End` and the one from there to `tangent2End`.
  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat) {
    shape.addArc(tangent1End, tangent2End, radius, state.transform)
  }

  public var isPathEmpty: Bool { shape.elements.isEmpty }
  /// In user space; zero for an empty path.
  public var currentPointOfPath: CGPoint { shape.currentPoint?.applying(state.transform.inverted()) ?? .zero }
  /// In user space; null for an empty path.
  public var boundingBoxOfPath: CGRect { userShape.map { CGRect(enclosing: $0.points) } ?? .null }
  /// The current path in user space; nil if it is empty.
  public var path: CGPath? { shape.elements.isEmpty ? nil : userShape.map { CGPath($0) } }

  /// True if drawing the current path would paint a point of user space.
  public func pathContains(_ point: CGPoint, mode: CGPathDrawingMode) -> Bool {
    let place = point.applying(state.transform)
    func isFilled(_ rule: CGPathFillRule) -> Bool { shape.contains(place, rule, .identity) }
    func isStroked() -> Bool { strokeOutline(shape)?.contains(place, .winding, .identity) ?? false }
    switch mode {
    case .fill: return isFilled(.winding)
    case .eoFill: return isFilled(.evenOdd)
    case .stroke: return isStroked()
    case .fillStroke: return isFilled(.winding) || isStroked()
    case .eoFillStroke: return isFilled(.evenOdd) || isStroked()
    }
  }

  public func replacePathWithStrokedPath() {
    shape = strokeOutline(shape) ?? PathShape()
  }

  /// The current path before the current transform; nil if that cannot be undone.
  private var userShape: PathShape? { state.transform.inverse.map { shape.applying($0) } }

  // MARK: Painting

  /// Paints the current path and begins a new one.
  public func drawPath(using mode: CGPathDrawingMode) {
    let shape = takePath()
    switch mode {
    case .fill, .fillStroke: paint(shape, .winding, state.fill)
    case .eoFill, .eoFillStroke: paint(shape, .evenOdd, state.fill)
    case .stroke: break
    }
    switch mode {
    case .fill, .eoFill: break
    case .stroke, .fillStroke, .eoFillStroke: stroke(shape)
    }
  }

  public func fillPath(using rule: CGPathFillRule = .winding) { paint(takePath(), rule, state.fill) }
  public func strokePath() { stroke(takePath()) }

  private func takePath() -> PathShape {
    defer { shape = PathShape() }
    return shape
  }

  /// The outline of a stroke, in device space; nil if the transform cannot be undone.
  private func strokeOutline(_ shape: PathShape) -> PathShape? {
    guard let inverse = state.transform.inverse else { return nil }
    let scale = abs(state.transform.determinant).squareRoot()
    let outline = Stroker.outline(shape.applying(inverse), state.style, tolerance: PathShape.defaultTolerance / scale)
    return outline.applying(state.transform)
  }

  private func stroke(_ shape: PathShape) {
    if let outline = strokeOutline(shape) { paint(outline, .winding, state.stroke) }
  }

  /// Paints rectangles with the fill colour.
  public func fill(_ rects: [CGRect]) {
    var shape = PathShape()
    for rect in rects { shape.addRect(rect, state.transform) }
    paint(shape, .winding, state.fill)
  }

  public func fill(_ rect: CGRect) { paint(rect, state.fill) }

  public func stroke(_ rect: CGRect) {
    var shape = PathShape()
    shape.addRect(rect, state.transform)
    stroke(shape)
  }

  /// Strokes a rectangle with lines of another width than the current one.
  public func stroke(_ rect: CGRect, width: CGFloat) {
    let previous = state.style.width
    state.style.width = width
    stroke(rect)
    state.style.width = previous
  }

  public func fillEllipse(in rect: CGRect) {
    var shape = PathShape()
    shape.addEllipse(rect, state.transform)
    paint(shape, .winding, state.fill)
  }

  public func strokeEllipse(in rect: CGRect) {
    var shape = PathShape()
    shape.addEllipse(rect, state.transform)
    stroke(shape)
  }

  /// Strokes lines between pairs of points.
  public func strokeLineSegments(between points: [CGPoint]) {
    var shape = PathShape()
    for index in stride(from: 0, to: points.count - 1, by: 2) { shape.addLines([points[index], points[index + 1]], state.transform) }
    stroke(shape)
  }

  /// Makes a rectangle transparent, or black where there is no alpha.
  public func clear(_ rect: CGRect) {
    let (mode, alpha) = (state.blendMode, state.alpha)
    (state.blendMode, state.alpha) = (.clear, 1)
    paint(rect, .clear)
    (state.blendMode, state.alpha) = (mode, alpha)
  }

  private func paint(_ rect: CGRect, _ color: Pixel) {
    if let pixels = wholePixels(rect) {
      detachSnapshot()
      let part = pixels.intersection(state.clipBounds)
      for row in part.top..<part.bottom {
        composite(row: row, left: part.left, count: part.width, coverage: nil, source: .color(color))
      }
      return
    }
    var shape = PathShape()
    shape.addRect(rect, state.transform)
    paint(shape, .winding, color)
  }

  /// The pixels that a rectangle of user space covers, if it covers none in part.
  private func wholePixels(_ rect: CGRect) -> PixelRect? {
    let transform = state.transform
    guard transform.b == 0 && transform.c == 0 || transform.a == 0 && transform.d == 0, !rect.isNull, !rect.isInfinite else { return nil }
    let area = rect.applying(transform).applying(deviceToRows)
    let edges = [area.minX, area.minY, area.maxX, area.maxY]
    guard edges.allSatisfy({ $0 == $0.rounded() && abs($0) < 0x1p30 }) else { return nil }
    return PixelRect(left: Double(edges[0]), top: Double(edges[1]), right: Double(edges[2]), bottom: Double(edges[3]))
  }

  /// - Parameter shape: in device space.
  private func paint(_ shape: PathShape, _ rule: CGPathFillRule, _ color: Pixel) {
    detachSnapshot()
    forEachCoveredRow(shape, rule) { row, left, coverage in
      composite(row: row, left: left, count: coverage.count, coverage: coverage, source: .color(color))
    }
  }

  // MARK: Rasterising

  var isAntialiased: Bool { state.isAntialiased && isAntialiasingAllowed }

  /// From device space, whose y axis points up, to rows of the bitmap, the first of which is at the top.
  var deviceToRows: CGAffineTransform { CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: CGFloat(height)) }

  /// Calls `body` with the coverage of pixels within the clip's bounds.
  /// - Parameter shape: in device space.
  func forEachCoveredRow(_ shape: PathShape, _ rule: CGPathFillRule, _ body: (_ row: Int, _ left: Int, _ coverage: [Float]) -> Void) {
    let lines = shape.applying(deviceToRows).flattened(tolerance: PathShape.defaultTolerance)
    var rasterizer = Rasterizer(lines, rule: rule, isAntialiased: isAntialiased, limits: state.clipBounds)
    let left = rasterizer.bounds.left
    rasterizer.forEachRow { row, coverage in body(row, left, coverage) }
  }

  // MARK: Clipping

  /// Leaves what is inside of the current path, and begins a new one.
  public func clip(using rule: CGPathFillRule = .winding) { clip(takePath(), rule) }

  public func clip(to rect: CGRect) { clip(to: [rect]) }

  /// Leaves what is inside of one of the rectangles.
  public func clip(to rects: [CGRect]) {
    var shape = PathShape()
    for rect in rects { shape.addRect(rect, state.transform) }
    clip(shape, .winding)
  }

  /// Leaves of what is inside of a rectangle as much as the samples of an image say: of an image mask, where they are 0; of an image with
  /// shades only, where they are 1. Other images have no effect.
  public func clip(to rect: CGRect, mask: CGImage) {
    guard let coverage = maskCoverage(rect, mask) else { return }
    multiplyClip(by: coverage)
  }

  /// Everything can be drawn to again. The state that was saved before keeps its clip.
  public func resetClip() {
    state.clipBounds = PixelRect(left: 0, top: 0, right: width, bottom: height)
    state.clipMask = nil
  }

  /// The smallest rectangle of user space that contains what the clip leaves.
  public var boundingBoxOfClipPath: CGRect {
    let bounds = state.clipBounds
    if bounds.isEmpty { return .null }
    return CGRect(x: bounds.left, y: height - bounds.bottom, width: bounds.width, height: bounds.height)
      .applying(state.transform.inverted())
  }

  private func clip(_ shape: PathShape, _ rule: CGPathFillRule) {
    var rows: [(row: Int, left: Int, coverage: [Float])] = []
    forEachCoveredRow(shape, rule) { row, left, coverage in rows.append((row, left, coverage)) }
    guard let first = rows.first, let last = rows.last else { return state.clipBounds = .empty }
    let bounds = PixelRect(left: first.left, top: first.row, right: first.left + first.coverage.count, bottom: last.row + 1)
    var coverage = [Float](repeating: 0, count: bounds.width * bounds.height)
    for row in rows {
      let start = (row.row - bounds.top) * bounds.width
      coverage.replaceSubrange(start..<start + bounds.width, with: row.coverage)
    }
    multiplyClip(by: CoverageMask(bounds, coverage))
  }

  private func multiplyClip(by mask: CoverageMask) {
    let bounds = state.clipBounds.intersection(mask.bounds)
    state.clipBounds = bounds
    guard !bounds.isEmpty else { return state.clipMask = nil }
    var coverage: [Float] = []
    coverage.reserveCapacity(bounds.width * bounds.height)
    var isWhole = true
    for row in bounds.top..<bounds.bottom {
      let own = mask.row(row, from: bounds.left).prefix(bounds.width)
      if let previous = state.clipMask?.row(row, from: bounds.left) {
        coverage += zip(own, previous).map { $0 * $1 }
      } else {
        coverage += own
      }
      if isWhole { isWhole = coverage.suffix(bounds.width).allSatisfy { $0 > 0.9999 } }
    }
    state.clipMask = isWhole ? nil : CoverageMask(bounds, coverage)
  }
}
