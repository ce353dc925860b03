import CoreGraphics
import Testing

/// Strokes, compared with the distance of points from the path.
struct StrokeTests {
  /// Coverage of 40 × 40 pixels, with rows from the bottom.
  private static func stroke(_ prepare: (CGContext) -> Void) -> [Double] {
    let context = CGContext(data: nil, width: 40, height: 40, bitsPerComponent: 8, bytesPerRow: 40, space: nil, bitmapInfo: 7)!
    prepare(context)
    context.strokePath()
    let rows = context.rows.map { Double($0) / 255 }
    return (0..<40).reversed().flatMap { rows[$0 * 40..<$0 * 40 + 40] }
  }

  /// The share of points of each pixel for which `isInside` holds.
  private static func reference(grid: Int = 16, _ isInside: (CGPoint) -> Bool) -> [Double] {
    (0..<1600).map { index in
      var count = 0
      for sample in 0..<grid * grid {
        let x = CGFloat(index % 40) + (CGFloat(sample % grid) + 0.5) / CGFloat(grid)
        let y = CGFloat(index / 40) + (CGFloat(sample / grid) + 0.5) / CGFloat(grid)
        if isInside(CGPoint(x: x, y: y)) { count += 1 }
      }
      return Double(count) / Double(grid * grid)
    }
  }

  private static func distance(_ point: CGPoint, _ a: CGPoint, _ b: CGPoint) -> CGFloat {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let t = min(max(((point.x - a.x) * dx + (point.y - a.y) * dy) / (dx * dx + dy * dy), 0), 1)
    return hypot(point.x - a.x - t * dx, point.y - a.y - t * dy)
  }

  private static func difference(_ own: [Double], _ other: [Double]) -> Double { zip(own, other).map { abs($0 - $1) }.max()! }

  static let corner = [CGPoint(x: 6, y: 8), CGPoint(x: 30, y: 12), CGPoint(x: 14, y: 33)]

  @Test func `round caps and joins paint what is near the lines`() {
    let own = Self.stroke { context in
      context.setLineWidth(7)
      context.setLineCap(.round)
      context.setLineJoin(.round)
      context.addLines(between: Self.corner)
    }
    let expected = Self.reference { point in
      min(Self.distance(point, Self.corner[0], Self.corner[1]), Self.distance(point, Self.corner[1], Self.corner[2])) <= 3.5
    }
    #expect(Self.difference(own, expected) < 0.04)
  }

  @Test func `a stroked circle is a ring`() {
    for (radius, width) in [(14.0, 5.0), (6.0, 11.5), (15.0, 0.6)] as [(CGFloat, CGFloat)] {
      let own = Self.stroke { context in
        context.setLineWidth(width)
        context.addEllipse(in: CGRect(x: 20 - radius, y: 20 - radius, width: 2 * radius, height: 2 * radius))
      }
      let expected = Self.reference { abs(hypot($0.x - 20, $0.y - 20) - radius) <= width / 2 }
      #expect(Self.difference(own, expected) < 0.04, "\(radius) \(width)")
    }
  }

  @Test func `caps end at the point, half a width behind it, or round`() {
    func line(_ cap: CGLineCap) -> [Double] {
      Self.stroke { context in
        context.setLineWidth(6)
        context.setLineCap(cap)
        context.move(to: CGPoint(x: 10, y: 20))
        context.addLine(to: CGPoint(x: 30, y: 20))
      }
    }
    #expect(Self.difference(line(.butt), Self.reference { abs($0.y - 20) <= 3 && $0.x >= 10 && $0.x <= 30 }) < 0.01)
    #expect(Self.difference(line(.square), Self.reference { abs($0.y - 20) <= 3 && $0.x >= 7 && $0.x <= 33 }) < 0.01)
    #expect(Self.difference(line(.round), Self.reference { Self.distance($0, CGPoint(x: 10, y: 20), CGPoint(x: 30, y: 20)) <= 3 }) < 0.04)
  }

  @Test func `joins are mitered, beveled, or mitered up to a limit`() {
    func angle(_ join: CGLineJoin, limit: CGFloat = 10) -> [Double] {
      Self.stroke { context in
        context.setLineWidth(8)
        context.setLineJoin(join)
        context.setMiterLimit(limit)
        context.addLines(between: [CGPoint(x: 10, y: 5), CGPoint(x: 10, y: 30), CGPoint(x: 35, y: 30)])
      }
    }
    let arms: (CGPoint) -> Bool = { point in
      abs(point.x - 10) <= 4 && point.y >= 5 && point.y <= 30 || abs(point.y - 30) <= 4 && point.x >= 10 && point.x <= 35
    }
    let square: (CGPoint) -> Bool = { $0.x >= 6 && $0.x <= 10 && $0.y >= 30 && $0.y <= 34 }
    let mitered = Self.reference { arms($0) || square($0) }
    let beveled = Self.reference { arms($0) || square($0) && $0.y - $0.x <= 24 }
    #expect(Self.difference(angle(.miter), mitered) < 0.01)
    #expect(Self.difference(angle(.bevel), beveled) < 0.04)
    // The miter of a right angle is 1.414 widths long.
    #expect(Self.difference(angle(.miter, limit: 1.42), mitered) < 0.01)
    #expect(Self.difference(angle(.miter, limit: 1.41), beveled) < 0.04)
  }

  @Test func `dashes begin at the phase`() {
    let own = Self.stroke { context in
      context.setLineWidth(4)
      context.setLineDash(phase: 3, lengths: [6, 4])
      context.move(to: CGPoint(x: 5, y: 20))
      context.addLine(to: CGPoint(x: 35, y: 20))
    }
    let expected = Self.reference { point in
      abs(point.y - 20) <= 2 && point.x >= 5 && point.x <= 35 && (point.x - 5 + 3).truncatingRemainder(dividingBy: 10) <= 6
    }
    #expect(Self.difference(own, expected) < 0.01)
  }

  @Test func `the width follows the transform, also where it is not uniform`() {
    let own = Self.stroke { context in
      context.translateBy(x: 20, y: 20)
      context.scaleBy(x: 2, y: 1)
      context.setLineWidth(4)
      context.addEllipse(in: CGRect(x: -7, y: -14, width: 14, height: 28))
    }
    // Offsets of an ellipse are no ellipses: along the axes they are.
    #expect(own[20 * 40 + 2] > 0.9 && own[20 * 40 + 10] < 0.05 && own[20 * 40 + 8] > 0.9)
    #expect(own[5 * 40 + 20] > 0.9 && own[9 * 40 + 20] < 0.05 && own[4 * 40 + 20] > 0.9 && own[3 * 40 + 20] < 0.05)
  }

  @Test func `a stroked path can be had as a path`() throws {
    let path = CGPath(rect: CGRect(x: 10, y: 10, width: 20, height: 10), transform: nil)
    let outline = path.copy(strokingWithWidth: 4, lineCap: .butt, lineJoin: .miter, miterLimit: 10)
    #expect(outline.boundingBox == CGRect(x: 8, y: 8, width: 24, height: 14))
    #expect(outline.contains(CGPoint(x: 9, y: 9)) && !outline.contains(CGPoint(x: 20, y: 15)) && !path.isEmpty)
    let dashes = CGPath(rect: CGRect(x: 0, y: 0, width: 10, height: 10), transform: nil).copy(dashingWithPhase: 0, lengths: [5, 5])
    var starts: [CGPoint] = []
    dashes.applyWithBlock { if $0.pointee.type == .moveToPoint { starts.append($0.pointee.points[0]) } }
    #expect(starts == [CGPoint(x: 0, y: 0), CGPoint(x: 10, y: 0), CGPoint(x: 10, y: 10), CGPoint(x: 0, y: 10)])
  }

  @Test func `rectangles, ellipses and segments are stroked directly`() {
    let context = makeContext(10, 10)
    context.setStrokeColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.stroke(CGRect(x: 1, y: 1, width: 8, height: 8), width: 2)
    #expect(context.pixel(0, 0) == [255, 0, 0, 255] && context.pixel(1, 5) == [255, 0, 0, 255] && context.pixel(5, 5) == [0, 0, 0, 0])
    context.clear(CGRect(x: 0, y: 0, width: 10, height: 10))
    context.setLineWidth(2)
    context.strokeLineSegments(between: [CGPoint(x: 0, y: 1), CGPoint(x: 10, y: 1), CGPoint(x: 0, y: 9), CGPoint(x: 10, y: 9)])
    #expect(context.pixel(5, 0) == [255, 0, 0, 255] && context.pixel(5, 9) == [255, 0, 0, 255] && context.pixel(5, 5) == [0, 0, 0, 0])
    context.clear(CGRect(x: 0, y: 0, width: 10, height: 10))
    context.strokeEllipse(in: CGRect(x: 1, y: 1, width: 8, height: 8))
    #expect(context.pixel(5, 0)[3] > 200 && context.pixel(5, 5) == [0, 0, 0, 0] && context.pixel(0, 0) == [0, 0, 0, 0])
  }
}
