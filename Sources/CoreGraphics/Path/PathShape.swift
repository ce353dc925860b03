import Foundation

/// The elements of a path and their points.
struct PathShape: Hashable, Sendable {
  private(set) var elements: [CGPathElementType] = []
  private(set) var points: [CGPoint] = []
  private(set) var currentPoint: CGPoint?
  private var start: CGPoint?

  /// How far straight lines may be from a curve, in units of the path, where no transform is known.
  static let defaultTolerance: CGFloat = 1.0 / 256

  init() {}

  /// Subpaths of straight lines.
  init(_ lines: [Polyline]) {
    for line in lines {
      for (index, vertex) in line.vertices.enumerated() {
        if index == 0 { move(vertex.point) } else { addLine(vertex.point) }
      }
      if line.isClosed { close() }
    }
  }

  // MARK: Elements

  mutating func move(_ point: CGPoint) {
    elements.append(.moveToPoint)
    points.append(point)
    currentPoint = point
    start = point
  }

  /// Begins a subpath at `point` if there is none; after the end of one, begins the next where that one began.
  private mutating func begin(_ point: CGPoint) {
    if let currentPoint {
      if elements.last == .closeSubpath { move(currentPoint) }
    } else {
      move(point)
    }
  }

  mutating func addLine(_ point: CGPoint) {
    begin(point)
    elements.append(.addLineToPoint)
    points.append(point)
    currentPoint = point
  }

  mutating func addQuadCurve(_ control: CGPoint, _ end: CGPoint) {
    begin(control)
    elements.append(.addQuadCurveToPoint)
    points += [control, end]
    currentPoint = end
  }

  mutating func addCurve(_ control1: CGPoint, _ control2: CGPoint, _ end: CGPoint) {
    begin(control1)
    elements.append(.addCurveToPoint)
    points += [control1, control2, end]
    currentPoint = end
  }

  mutating func close() {
    guard currentPoint != nil, elements.last != .closeSubpath else { return }
    elements.append(.closeSubpath)
    currentPoint = start
  }

  mutating func append(_ other: PathShape) {
    elements += other.elements
    points += other.points
    if other.currentPoint != nil {
      currentPoint = other.currentPoint
      start = other.start
    }
  }

  // MARK: Figures

  mutating func addRect(_ rect: CGRect, _ transform: CGAffineTransform) {
    if rect.isNull { return }
    let corners = [
      CGPoint(x: rect.minX, y: rect.minY), CGPoint(x: rect.maxX, y: rect.minY), CGPoint(x: rect.maxX, y: rect.maxY),
      CGPoint(x: rect.minX, y: rect.maxY),
    ]
    addLines(corners, transform)
    close()
  }

  mutating func addLines(_ list: [CGPoint], _ transform: CGAffineTransform) {
    for (index, point) in list.enumerated() {
      if index == 0 { move(point.applying(transform)) } else { addLine(point.applying(transform)) }
    }
  }

  mutating func addEllipse(_ rect: CGRect, _ transform: CGAffineTransform) {
    if rect.isNull { return }
    let map = CGAffineTransform(a: rect.width / 2, b: 0, c: 0, d: rect.height / 2, tx: rect.midX, ty: rect.midY)
      .concatenating(transform)
    move(CGPoint(x: 1, y: 0).applying(map))
    addArc(.zero, 1, 0, delta: 2 * .pi, map)
    close()
  }

  /// Corners are limited to half of the sides.
  mutating func addRoundedRect(_ rect: CGRect, _ cornerWidth: CGFloat, _ cornerHeight: CGFloat, _ transform: CGAffineTransform) {
    if rect.isNull { return }
    let (rx, ry) = (min(max(cornerWidth, 0), rect.width / 2), min(max(cornerHeight, 0), rect.height / 2))
    if rx == 0 || ry == 0 { return addRect(rect, transform) }
    move(CGPoint(x: rect.maxX, y: rect.midY).applying(transform))
    let centers = [
      CGPoint(x: rect.maxX - rx, y: rect.maxY - ry), CGPoint(x: rect.minX + rx, y: rect.maxY - ry),
      CGPoint(x: rect.minX + rx, y: rect.minY + ry), CGPoint(x: rect.maxX - rx, y: rect.minY + ry),
    ]
    for (quarter, center) in centers.enumerated() {
      let map = CGAffineTransform(a: rx, b: 0, c: 0, d: ry, tx: center.x, ty: center.y).concatenating(transform)
      addArc(.zero, 1, CGFloat(quarter) * .pi / 2, delta: .pi / 2, map)
    }
    close()
  }

  mutating func addArc(
    _ center: CGPoint, _ radius: CGFloat, _ startAngle: CGFloat, _ endAngle: CGFloat, clockwise: Bool, _ transform: CGAffineTransform
  ) {
    guard startAngle.isFinite, endAngle.isFinite else { return }
    let turn = 2 * CGFloat.pi
    var delta = endAngle - startAngle
    if clockwise {
      if delta <= -turn { delta = -turn } else if delta > 0 { delta = delta.truncatingRemainder(dividingBy: turn) - turn }
    } else {
      if delta >= turn { delta = turn } else if delta < 0 { delta = delta.truncatingRemainder(dividingBy: turn) + turn }
    }
    addArc(center, radius, startAngle, delta: delta, transform)
  }

  /// A line to the start of an arc, or a move to it, and cubic curves for at most a quarter each.
  mutating func addArc(_ center: CGPoint, _ radius: CGFloat, _ startAngle: CGFloat, delta: CGFloat, _ transform: CGAffineTransform) {
    guard startAngle.isFinite, delta.isFinite else { return }
    func point(_ angle: CGFloat, _ tangent: CGFloat) -> CGPoint {
      CGPoint(
        x: center.x + radius * (cos(angle) - tangent * sin(angle)), y: center.y + radius * (sin(angle) + tangent * cos(angle))
      ).applying(transform)
    }
    let first = point(startAngle, 0)
    if currentPoint == nil { move(first) } else if currentPoint != first { addLine(first) }
    let limited = min(max(delta, -1e3), 1e3)
    let count = max((abs(limited) / (.pi / 2) - 1e-9).rounded(.up), 0)
    let step = count > 0 ? limited / count : 0
    let tangent = tan(step / 4) * 4 / 3
    for index in stride(from: CGFloat(0), to: count, by: 1) {
      let (from, to) = (startAngle + step * index, startAngle + step * (index + 1))
      addCurve(point(from, tangent), point(to, -tangent), point(to, 0))
    }
  }

  mutating func addArc(_ tangent1End: CGPoint, _ tangent2End: CGPoint, _ radius: CGFloat, _ transform: CGAffineTransform) {
    guard let current = currentPoint, let inverse = transform.inverse else { return }
    let origin = current.applying(inverse)
    let (first, second) = (origin.minus(tangent1End), tangent2End.minus(tangent1End))
    let (length1, length2) = (first.length, second.length)
    let cross = first.x * second.y - first.y * second.x
    guard radius > 0, length1 > 0, length2 > 0, abs(cross) > 1e-12 * length1 * length2 else {
      return addLine(tangent1End.applying(transform))
    }
    let cosine = (first.x * second.x + first.y * second.y) / (length1 * length2)
    // From the corner to the points where the circle touches: radius / tan(angle / 2).
    let distance = radius * ((1 + cosine) / max(1 - cosine, 1e-300)).squareRoot()
    let (unit1, unit2) = (first.times(1 / length1), second.times(1 / length2))
    let touch1 = tangent1End.plus(unit1.times(distance))
    let touch2 = tangent1End.plus(unit2.times(distance))
    let side: CGFloat = cross > 0 ? 1 : -1
    let center = touch1.plus(CGPoint(x: -unit1.y, y: unit1.x).times(side * radius))
    let (from, to) = (touch1.minus(center), touch2.minus(center))
    addLine(touch1.applying(transform))
    addArc(center, radius, atan2(from.y, from.x), atan2(to.y, to.x), clockwise: side > 0, transform)
  }

  // MARK: Reading

  func forEach(_ body: (CGPathElementType, [CGPoint]) -> Void) {
    var position = 0
    for element in elements {
      let count = element.pointCount
      body(element, Array(points[position..<position + count]))
      position += count
    }
  }

  func applying(_ transform: CGAffineTransform) -> PathShape {
    if transform.isIdentity { return self }
    var result = self
    result.points = points.map { $0.applying(transform) }
    result.currentPoint = currentPoint?.applying(transform)
    result.start = start?.applying(transform)
    return result
  }
}

extension CGPathElementType {
  var pointCount: Int {
    switch self {
    case .moveToPoint, .addLineToPoint: 1
    case .addQuadCurveToPoint: 2
    case .addCurveToPoint: 3
    case .closeSubpath: 0
    }
  }
}

extension CGPoint {
  func plus(_ other: CGPoint) -> CGPoint { CGPoint(x: x + other.x, y: y + other.y) }
  func minus(_ other: CGPoint) -> CGPoint { CGPoint(x: x - other.x, y: y - other.y) }
  func times(_ factor: CGFloat) -> CGPoint { CGPoint(x: x * factor, y: y * factor) }
  var length: CGFloat { (x * x + y * y).squareRoot() }
  var isFinite: Bool { x.isFinite && y.isFinite }
}
