import Foundation

/// A subpath of straight lines.
struct Polyline: Hashable, Sendable {
  struct Vertex: Hashable, Sendable {
    var point: CGPoint
    /// True if the vertex lies within a curve, where a stroke has no join.
    var isSmooth: Bool
  }

  var vertices: [Vertex]
  var isClosed: Bool
}

extension PathShape {
  /// No curve is divided into more lines.
  private static let segmentLimit = 4096

  /// Replaces curves by lines.
  ///
  /// - Parameters:
  ///   - tolerance: the greatest distance between a curve and its lines.
  ///   - reach: distance from the path up to which parallel curves are to be as exact, for strokes.
  func flattened(tolerance: CGFloat, reach: CGFloat = 0) -> [Polyline] {
    var result: [Polyline] = []
    var current = Polyline(vertices: [], isClosed: false)
    func finish() {
      if !current.vertices.isEmpty { result.append(current) }
      current = Polyline(vertices: [], isClosed: false)
    }
    func add(_ point: CGPoint, smooth: Bool = false) {
      if let last = current.vertices.last?.point, last == point {
        if !smooth { current.vertices[current.vertices.count - 1].isSmooth = false }
        return
      }
      current.vertices.append(Polyline.Vertex(point: point, isSmooth: smooth))
    }
    guard points.allSatisfy(\.isFinite) else { return [] }
    forEach { type, points in
      let from = current.vertices.last?.point ?? .zero
      switch type {
      case .moveToPoint:
        finish()
        add(points[0])
      case .addLineToPoint: add(points[0])
      case .addQuadCurveToPoint:
        Self.divide(Self.cubic(from, points), tolerance, reach) { add($0, smooth: $1) }
      case .addCurveToPoint: Self.divide([from] + points, tolerance, reach) { add($0, smooth: $1) }
      case .closeSubpath:
        current.isClosed = true
        if current.vertices.count > 1, current.vertices.last?.point == current.vertices[0].point { current.vertices.removeLast() }
        finish()
      }
    }
    finish()
    return result
  }

  /// Points of a cubic curve at equal steps of its parameter, without the first one.
  private static func divide(_ c: [CGPoint], _ tolerance: CGFloat, _ reach: CGFloat, _ body: (CGPoint, _ isSmooth: Bool) -> Void) {
    // The second derivative bounds the distance between the curve and a chord: it is at most |f''| h² / 8.
    let bend1 = c[0].minus(c[1].times(2)).plus(c[2]).times(6).length
    let bend2 = c[1].minus(c[2].times(2)).plus(c[3]).times(6).length
    var count = (max(bend1, bend2) / (8 * tolerance)).squareRoot()
    if reach > 0 {
      // A chord of a circle of the radius r over the angle t is r t² / 8 away from it.
      let sides = [c[1].minus(c[0]), c[2].minus(c[1]), c[3].minus(c[2])]
      let turn = angle(sides[0], sides[1]) + angle(sides[1], sides[2])
      count = max(count, turn * 1.5 / (8 * tolerance / reach).squareRoot())
    }
    let steps = count < CGFloat(segmentLimit) ? max(Int(count.rounded(.up)), 1) : segmentLimit
    for step in 1...steps {
      if step == steps { return body(c[3], false) }
      body(point(c, CGFloat(step) / CGFloat(steps)), true)
    }
  }

  private static func angle(_ a: CGPoint, _ b: CGPoint) -> CGFloat { abs(atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y)) }

  /// The cubic curve that equals a quadratic one with a control point and an end.
  private static func cubic(_ from: CGPoint, _ points: [CGPoint]) -> [CGPoint] {
    let (control, end) = (points[0], points[1])
    let share: CGFloat = 2 / 3
    return [from, from.plus(control.minus(from).times(share)), end.plus(control.minus(end).times(share)), end]
  }

  private static func point(_ c: [CGPoint], _ t: CGFloat) -> CGPoint {
    let s = 1 - t
    let ends = c[0].times(s * s * s).plus(c[3].times(t * t * t))
    return ends.plus(c[1].times(3 * s * s * t)).plus(c[2].times(3 * s * t * t))
  }

  /// The smallest rectangle that contains lines and curves.
  var tightBounds: CGRect {
    var extremes: [CGPoint] = []
    var from = CGPoint.zero
    forEach { type, points in
      if let end = points.last { extremes.append(end) }
      if points.count > 1 {
        let controls = points.count == 3 ? [from] + points : Self.cubic(from, points)
        let roots = Self.turningPoints(controls.map(\.x)) + Self.turningPoints(controls.map(\.y))
        for root in roots { extremes.append(Self.point(controls, root)) }
      }
      from = points.last ?? from
    }
    return CGRect(enclosing: extremes)
  }

  /// Parameters within a cubic curve at which a coordinate has its least or greatest value.
  private static func turningPoints(_ c: [CGFloat]) -> [CGFloat] {
    // The derivative's coefficients, divided by 3.
    let (a, b, constant) = (c[3] - 3 * c[2] + 3 * c[1] - c[0], 2 * (c[2] - 2 * c[1] + c[0]), c[1] - c[0])
    let roots: [CGFloat]
    if abs(a) < 1e-12 * (abs(b) + abs(constant)) {
      roots = [-constant / b]
    } else {
      let discriminant = b * b - 4 * a * constant
      if discriminant < 0 { return [] }
      roots = [(-b + discriminant.squareRoot()) / (2 * a), (-b - discriminant.squareRoot()) / (2 * a)]
    }
    return roots.filter { $0 > 0 && $0 < 1 }
  }

  func contains(_ point: CGPoint, _ rule: CGPathFillRule, _ transform: CGAffineTransform) -> Bool {
    var winding = 0
    for line in applying(transform).flattened(tolerance: Self.defaultTolerance) {
      for index in line.vertices.indices {
        let from = line.vertices[index].point
        let to = line.vertices[index + 1 == line.vertices.count ? 0 : index + 1].point
        guard (from.y <= point.y) != (to.y <= point.y) else { continue }
        let x = from.x + (point.y - from.y) / (to.y - from.y) * (to.x - from.x)
        if x > point.x { winding += from.y <= point.y ? 1 : -1 }
      }
    }
    return rule == .winding ? winding != 0 : !winding.isMultiple(of: 2)
  }
}
