import Foundation

/// How much of each pixel a path covers.
///
/// A row of pixels is cut at the ends of edges and where edges cross. Within such a slab, edges are in a fixed order, and the parts between
/// two of them that are inside of the path are trapezoids, whose areas in each pixel are added exactly.
struct Rasterizer {
  /// An edge from `top` downwards, in coordinates of pixels with the first row at the top.
  private struct Edge {
    let top: Double
    let bottom: Double
    let xTop: Double
    /// Change of x from one row to the next.
    let slope: Double
    let winding: Int

    func x(at y: Double) -> Double { xTop + (y - top) * slope }
  }

  /// A row with more cuts is sampled at equal distances instead.
  private static let cutLimit = 64

  private let edges: [Edge]
  private let rule: CGPathFillRule
  private let isAntialiased: Bool
  /// The pixels that the path may touch, within the limits that were given.
  let bounds: PixelRect

  private var next = 0
  private var active: [Edge] = []
  /// For each pixel the change of the covered area from the pixel before it.
  private var changes: [Float]

  /// - Parameters:
  ///   - lines: subpaths, each closed by a line to its start.
  ///   - limits: the pixels of interest.
  init(_ lines: [Polyline], rule: CGPathFillRule, isAntialiased: Bool, limits: PixelRect) {
    var edges: [Edge] = []
    var (left, right, top, bottom) = (Double.infinity, -Double.infinity, Double.infinity, -Double.infinity)
    for line in lines {
      for index in line.vertices.indices {
        let from = Self.limited(line.vertices[index].point)
        let to = Self.limited(line.vertices[index + 1 == line.vertices.count ? 0 : index + 1].point)
        let (first, second) = from.y < to.y ? (from, to) : (to, from)
        guard from.y != to.y, second.y > CGFloat(limits.top), first.y < CGFloat(limits.bottom) else { continue }
        let slope = Double((second.x - first.x) / (second.y - first.y))
        edges.append(
          Edge(top: Double(first.y), bottom: Double(second.y), xTop: Double(first.x), slope: slope, winding: from.y < to.y ? 1 : -1))
        left = min(left, Double(min(first.x, second.x)))
        right = max(right, Double(max(first.x, second.x)))
        top = min(top, Double(first.y))
        bottom = max(bottom, Double(second.y))
      }
    }
    self.edges = edges.sorted { $0.top < $1.top }
    self.rule = rule
    self.isAntialiased = isAntialiased
    bounds = PixelRect(left: left, top: top, right: right, bottom: bottom).intersection(limits)
    changes = [Float](repeating: 0, count: max(bounds.width, 0) + 2)
  }

  /// The point, or one near the limit of what pixels can be far away.
  private static func limited(_ point: CGPoint) -> CGPoint {
    CGPoint(x: min(max(point.x, -0x1p30), 0x1p30), y: min(max(point.y, -0x1p30), 0x1p30))
  }

  /// Calls `body` with each row that is touched, from the top, and the coverage (0…1) of the pixels of `bounds`.
  mutating func forEachRow(_ body: (_ row: Int, _ coverage: [Float]) -> Void) {
    guard !bounds.isEmpty else { return }
    var coverage = [Float](repeating: 0, count: bounds.width)
    for row in bounds.top..<bounds.bottom {
      while next < edges.count, edges[next].top < Double(row + 1) {
        active.append(edges[next])
        next += 1
      }
      active.removeAll { $0.bottom <= Double(row) }
      if active.isEmpty { continue }
      for index in changes.indices { changes[index] = 0 }
      addRow(row)
      var sum: Float = 0
      for index in coverage.indices {
        sum += changes[index]
        coverage[index] = min(max(sum, 0), 1)
      }
      body(row, coverage)
    }
  }

  private mutating func addRow(_ row: Int) {
    let (top, bottom) = (Double(row), Double(row + 1))
    if !isAntialiased { return addSample(at: top + 0.5, height: 1, isRounding: true) }
    var cuts = [top, bottom]
    for edge in active {
      if edge.top > top, edge.top < bottom { cuts.append(edge.top) }
      if edge.bottom > top, edge.bottom < bottom { cuts.append(edge.bottom) }
    }
    if cuts.count > Self.cutLimit || active.count > Self.cutLimit { return addSamples(row) }
    cuts.sort()
    for (first, second) in zip(cuts, cuts.dropFirst()) where second > first { addSlab(first, second) }
  }

  private mutating func addSamples(_ row: Int) {
    let count = 4 * Self.cutLimit
    for index in 0..<count {
      addSample(at: Double(row) + (Double(index) + 0.5) / Double(count), height: 1 / Double(count), isRounding: false)
    }
  }

  /// Adds a slab in which no edge begins or ends.
  private mutating func addSlab(_ top: Double, _ bottom: Double) {
    let middle = (top + bottom) / 2
    let crossing = active.filter { $0.top <= middle && $0.bottom >= middle }
    let ends = crossing.map { (top: $0.x(at: top), bottom: $0.x(at: bottom), winding: $0.winding) }
    let order = ends.indices.sorted { ends[$0].top + ends[$0].bottom < ends[$1].top + ends[$1].bottom }
    var cuts: [Double] = []
    for (place, first) in order.enumerated() {
      for second in order[(place + 1)...] {
        let (above, below) = (ends[first].top - ends[second].top, ends[first].bottom - ends[second].bottom)
        // Edges that cross by less than a thousandth of a pixel do not matter.
        if above * below < 0, min(abs(above), abs(below)) > 1e-3 { cuts.append(top + (bottom - top) * above / (above - below)) }
      }
    }
    if cuts.isEmpty { return addTrapezoids(order.map { ends[$0] }, height: bottom - top) }
    if cuts.count > Self.cutLimit {
      let count = Self.cutLimit
      for index in 0..<count {
        addSample(
          at: top + (bottom - top) * (Double(index) + 0.5) / Double(count), height: (bottom - top) / Double(count), isRounding: false)
      }
      return
    }
    cuts = ([top, bottom] + cuts).sorted()
    for (first, second) in zip(cuts, cuts.dropFirst()) where second > first {
      let parts = crossing.map { (top: $0.x(at: first), bottom: $0.x(at: second), winding: $0.winding) }
      addTrapezoids(parts.sorted { $0.top + $0.bottom < $1.top + $1.bottom }, height: second - first)
    }
  }

  /// Adds rectangles as wide as the path at `y`.
  private mutating func addSample(at y: Double, height: Double, isRounding: Bool) {
    var places = active.filter { $0.top <= y && $0.bottom > y }.map { (top: $0.x(at: y), bottom: 0.0, winding: $0.winding) }
    places.sort { $0.top < $1.top }
    for index in places.indices {
      // Without antialiasing, a pixel counts if its middle is inside.
      if isRounding { places[index].top = (places[index].top - 0.5).rounded(.up) }
      places[index].bottom = places[index].top
    }
    addTrapezoids(places, height: height)
  }

  /// - Parameter sides: x at the top and at the bottom of edges, from left to right.
  private mutating func addTrapezoids(_ sides: [(top: Double, bottom: Double, winding: Int)], height: Double) {
    var winding = 0
    for side in sides {
      let wasInside = isInside(winding)
      winding += side.winding
      let isInside = isInside(winding)
      if wasInside != isInside { addEdge(side.top, side.bottom, Float(isInside ? height : -height)) }
    }
  }

  private func isInside(_ winding: Int) -> Bool { rule == .winding ? winding != 0 : !winding.isMultiple(of: 2) }

  /// Adds the area on the right of a line through a slab of the given height.
  private mutating func addEdge(_ first: Double, _ second: Double, _ height: Float) {
    let width = Double(bounds.width)
    let origin = Double(bounds.left)
    var (low, high) = (min(first, second) - origin, max(first, second) - origin)
    if high <= 0 {
      changes[0] += height
      return
    }
    if low >= width { return }
    // Parts of the line outside of the bounds are vertical lines at the bounds.
    let perPixel = Double(height) / (high - low)
    var height = height
    if low < 0 {
      changes[0] += Float(-low * perPixel)
      height -= Float(-low * perPixel)
      low = 0
    }
    if high > width {
      height -= Float((high - width) * perPixel)
      high = width
    }
    let (start, end) = (Int(low), Int(high.rounded(.up)))
    if end - start <= 1 {
      // Within one pixel, the line covers half of what is between its ends, and all on their right.
      let middle = Float((low + high) / 2 - Double(start))
      changes[start] += height * (1 - middle)
      changes[start + 1] += height * middle
      return
    }
    // Height of the line per pixel of width.
    let step = height / Float(high - low)
    let firstPart = Float(Double(start + 1) - low)
    let lastPart = Float(high - Double(end - 1))
    var previous: Float = 0
    for index in start..<end {
      // The covered area of pixel `index`.
      let area: Float
      if index == start {
        area = step * firstPart * firstPart / 2
      } else if index == end - 1 {
        area = height - step * lastPart * lastPart / 2
      } else {
        area = step * (firstPart + Float(index - start) - 0.5)
      }
      changes[index] += area - previous
      previous = area
    }
    changes[end] += height - previous
  }
}
