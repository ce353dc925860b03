import Foundation

/// How a path is stroked.
struct StrokeStyle: Hashable, Sendable {
  var width: CGFloat = 1
  var cap: CGLineCap = .butt
  var join: CGLineJoin = .miter
  /// A miter whose length exceeds the width by more than this factor becomes a bevel.
  var miterLimit: CGFloat = 10
  var dashPhase: CGFloat = 0
  var dashLengths: [CGFloat] = []
}

/// Outlines of strokes.
///
/// An outline is a set of closed polygons that all turn the same way. Where they overlap, the winding number stays positive, so that
/// filling by winding number paints their union.
enum Stroker {
  static func outline(_ shape: PathShape, _ style: StrokeStyle, tolerance: CGFloat) -> PathShape {
    guard style.width > 0, style.width.isFinite else { return PathShape() }
    var lines = shape.flattened(tolerance: tolerance, reach: style.width / 2)
    if !style.dashLengths.isEmpty { lines = Dasher.dashed(lines, phase: style.dashPhase, lengths: style.dashLengths) }
    var outline = Outline(style, tolerance: tolerance)
    for line in lines { outline.add(line) }
    return PathShape(outline.polygons)
  }

  private struct Outline {
    let style: StrokeStyle
    let radius: CGFloat
    /// The greatest angle between the corners of polygons that stand for circles.
    let arcStep: CGFloat
    var polygons: [Polyline] = []

    init(_ style: StrokeStyle, tolerance: CGFloat) {
      self.style = style
      radius = style.width / 2
      arcStep = max(2 * acos(max(1 - tolerance / radius, 0)), 0.01)
    }

    mutating func add(_ line: Polyline) {
      var vertices = line.vertices
      // A closed line that has returned to its start counts the point once.
      if line.isClosed, vertices.count > 1, vertices[0].point == vertices[vertices.count - 1].point { vertices.removeLast() }
      guard vertices.count > 1 else { return addDot(vertices[0].point, isClosed: line.isClosed) }
      if line.isClosed { vertices.append(vertices[0]) }
      let directions = zip(vertices.dropFirst(), vertices).map { next, vertex in
        let step = next.point.minus(vertex.point)
        return step.times(1 / step.length)
      }
      var start = 0
      while start < directions.count {
        // Lines within a curve share one polygon as long as it does not turn over.
        var end = start
        while end + 1 < directions.count, vertices[end + 1].isSmooth, isGentle(directions, vertices, end) { end += 1 }
        addStrip(vertices, directions, start...end)
        if end + 1 < directions.count {
          addJoin(vertices[end + 1].point, directions[end], directions[end + 1], isSmooth: vertices[end + 1].isSmooth)
        }
        start = end + 1
      }
      if line.isClosed {
        addJoin(vertices[0].point, directions[directions.count - 1], directions[0], isSmooth: vertices[0].isSmooth)
      } else {
        addCap(vertices[0].point, directions[0].times(-1))
        addCap(vertices[vertices.count - 1].point, directions[directions.count - 1])
      }
    }

    /// True if the lines before and after vertex `index + 1` are long enough for the parallels on the inner side of their turn.
    private func isGentle(_ directions: [CGPoint], _ vertices: [Polyline.Vertex], _ index: Int) -> Bool {
      let (first, second) = (directions[index], directions[index + 1])
      let cosine = first.x * second.x + first.y * second.y
      guard cosine > 0.9 else { return false }
      // tan(angle / 2) of the turn times the radius is what the inner parallel loses at either end.
      let loss = radius * ((1 - cosine) / (1 + cosine)).squareRoot()
      let lengths = [vertices[index + 1].point.minus(vertices[index].point), vertices[index + 2].point.minus(vertices[index + 1].point)]
      return lengths.allSatisfy { $0.length > 2.5 * loss }
    }

    private func normal(_ direction: CGPoint) -> CGPoint { CGPoint(x: -direction.y * radius, y: direction.x * radius) }

    private mutating func addStrip(_ vertices: [Polyline.Vertex], _ directions: [CGPoint], _ range: ClosedRange<Int>) {
      var offsets = [normal(directions[range.lowerBound])]
      for index in range.dropFirst() {
        // The parallels of both lines meet on the bisector.
        let sum = directions[index - 1].plus(directions[index])
        let square = sum.x * sum.x + sum.y * sum.y
        offsets.append(normal(sum.times(2 / square)))
      }
      offsets.append(normal(directions[range.upperBound]))
      let points = (range.lowerBound...range.upperBound + 1).map { vertices[$0].point }
      let left = zip(points, offsets).map { $0.minus($1) }
      let right = zip(points, offsets).map { $0.plus($1) }
      add(left + right.reversed())
    }

    /// Polygons are added with a positive area.
    private mutating func add(_ points: [CGPoint]) {
      polygons.append(Polyline(vertices: points.map { Polyline.Vertex(point: $0, isSmooth: false) }, isClosed: true))
    }

    private mutating func addJoin(_ point: CGPoint, _ before: CGPoint, _ after: CGPoint, isSmooth: Bool) {
      let cross = before.x * after.y - before.y * after.x
      let cosine = before.x * after.x + before.y * after.y
      if cross == 0, cosine > 0 { return }
      // The outer side is on the right of a turn to the left.
      let side: CGFloat = cross > 0 ? -1 : 1
      let (from, to) = (normal(before).times(side), normal(after).times(side))
      var corners: [CGPoint] = []
      if isSmooth || style.join == .round {
        let first = atan2(from.y, from.x)
        corners = arc(point, first, first - side * abs(atan2(cross, cosine)))
      } else {
        corners = [point.plus(from), point.plus(to)]
        // The length of a miter over the width is 1 / sin(angle / 2) of the angle between the lines.
        let ratio = (2 / max(1 + cosine, 1e-12)).squareRoot()
        if style.join == .miter, ratio <= style.miterLimit {
          let sum = from.plus(to)
          corners.insert(point.plus(sum.times(1 / (1 + cosine))), at: 1)
        }
      }
      add(side < 0 ? [point] + corners : [point] + corners.reversed())
    }

    /// Points of a circle around `center` from one angle to another.
    private func arc(_ center: CGPoint, _ from: CGFloat, _ to: CGFloat) -> [CGPoint] {
      let count = max((abs(to - from) / arcStep).rounded(.up), 1)
      return stride(from: 0, through: count, by: 1).map { step in
        let angle = from + (to - from) * step / count
        return CGPoint(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
      }
    }

    private mutating func addCap(_ point: CGPoint, _ direction: CGPoint) {
      let side = normal(direction)
      switch style.cap {
      case .butt: break
      case .square:
        let forward = direction.times(radius)
        add([point.minus(side), point.minus(side).plus(forward), point.plus(side).plus(forward), point.plus(side)])
      case .round:
        let angle = atan2(direction.y, direction.x)
        add(arc(point, angle - .pi / 2, angle + .pi / 2))
      }
    }

    /// A subpath of one point has no direction: round and square caps still paint it.
    private mutating func addDot(_ point: CGPoint, isClosed: Bool) {
      guard isClosed || style.cap != .butt else { return }
      addCap(point, CGPoint(x: 1, y: 0))
      addCap(point, CGPoint(x: -1, y: 0))
    }
  }
}

/// Cuts lines into dashes.
enum Dasher {
  /// No path is cut into more pieces.
  private static let pieceLimit = 1 << 16

  static func dashed(_ lines: [Polyline], phase: CGFloat, lengths: [CGFloat]) -> [Polyline] {
    let pattern = lengths.count.isMultiple(of: 2) ? lengths : lengths + lengths
    let period = pattern.reduce(0, +)
    guard period > 0, period.isFinite, phase.isFinite, lengths.allSatisfy({ $0 >= 0 }) else { return lines }
    var result: [Polyline] = []
    for line in lines {
      var vertices = line.vertices
      if line.isClosed, let first = vertices.first { vertices.append(first) }
      var rest = phase.truncatingRemainder(dividingBy: period)
      if rest < 0 { rest += period }
      var index = 0
      while rest >= pattern[index], rest > 0 {
        rest -= pattern[index]
        index = (index + 1) % pattern.count
      }
      var left = pattern[index] - rest
      var piece: [Polyline.Vertex] = index.isMultiple(of: 2) ? [vertices[0]] : []
      for (from, to) in zip(vertices, vertices.dropFirst()) {
        let length = to.point.minus(from.point).length
        var position: CGFloat = 0
        while length - position > left, result.count < pieceLimit {
          position += left
          let point = from.point.plus(to.point.minus(from.point).times(position / length))
          if index.isMultiple(of: 2) {
            result.append(Polyline(vertices: piece + [Polyline.Vertex(point: point, isSmooth: false)], isClosed: false))
            piece = []
          } else {
            piece = [Polyline.Vertex(point: point, isSmooth: false)]
          }
          index = (index + 1) % pattern.count
          left = pattern[index]
        }
        left -= length - position
        if index.isMultiple(of: 2) { piece.append(to) }
      }
      if piece.count > 1 { result.append(Polyline(vertices: piece, isClosed: false)) }
    }
    return result
  }
}
