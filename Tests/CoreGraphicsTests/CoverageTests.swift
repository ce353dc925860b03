import CoreGraphics
import Testing

/// Filled paths, compared with points of a fine grid that are inside.
struct CoverageTests {
  /// A path of straight lines, far finer than pixels.
  private static func polygons(_ path: CGPath) -> [[CGPoint]] {
    var result: [[CGPoint]] = []
    path.applyWithBlock { element in
      let points = element.pointee.points
      let steps = 200
      switch element.pointee.type {
      case .moveToPoint: result.append([points[0]])
      case .addLineToPoint: result[result.count - 1].append(points[0])
      case .addQuadCurveToPoint:
        let from = result[result.count - 1].last!
        for step in 1...steps {
          let t = CGFloat(step) / CGFloat(steps)
          let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
          result[result.count - 1].append(
            CGPoint(x: a * from.x + b * points[0].x + c * points[1].x, y: a * from.y + b * points[0].y + c * points[1].y))
        }
      case .addCurveToPoint:
        let from = result[result.count - 1].last!
        for step in 1...steps {
          let t = CGFloat(step) / CGFloat(steps)
          let s = 1 - t
          let weights = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t]
          let all = [from, points[0], points[1], points[2]]
          result[result.count - 1].append(
            CGPoint(x: zip(weights, all).map { $0 * $1.x }.reduce(0, +), y: zip(weights, all).map { $0 * $1.y }.reduce(0, +)))
        }
      case .closeSubpath: break
      }
    }
    return result
  }

  /// Share of the grid points of each pixel that are inside, with rows from the top.
  private static func reference(_ path: CGPath, _ width: Int, _ height: Int, evenOdd: Bool, grid: Int) -> [Double] {
    let polygons = polygons(path)
    var result = [Double](repeating: 0, count: width * height)
    for line in 0..<height * grid {
      let y = CGFloat(height) - (CGFloat(line) + 0.5) / CGFloat(grid)
      var crossings: [(x: CGFloat, winding: Int)] = []
      for polygon in polygons {
        for index in polygon.indices {
          let (from, to) = (polygon[index], polygon[(index + 1) % polygon.count])
          guard (from.y <= y) != (to.y <= y) else { continue }
          crossings.append((from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x), from.y <= y ? 1 : -1))
        }
      }
      crossings.sort { $0.x < $1.x }
      var winding = 0
      for (index, crossing) in crossings.enumerated() {
        winding += crossing.winding
        guard evenOdd ? winding % 2 != 0 : winding != 0, index + 1 < crossings.count else { continue }
        let first = max(Int((crossing.x * CGFloat(grid) - 0.5).rounded(.up)), 0)
        let last = min(Int((crossings[index + 1].x * CGFloat(grid) - 0.5).rounded(.up)), width * grid)
        for sample in first..<max(first, last) { result[line / grid * width + sample / grid] += 1 }
      }
    }
    return result.map { $0 / Double(grid * grid) }
  }

  private static func coverage(_ path: CGPath, _ width: Int, _ height: Int, evenOdd: Bool) -> [Double] {
    let context = CGContext(data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width, space: nil, bitmapInfo: 7)!
    context.addPath(path)
    context.fillPath(using: evenOdd ? .evenOdd : .winding)
    return context.rows.map { Double($0) / 255 }
  }

  static func star(_ radius: CGFloat, turn: CGFloat = 0.3) -> CGPath {
    let path = CGMutablePath()
    path.addLines(
      between: (0..<5).map { index in
        let angle = CGFloat(index) * 4 * .pi / 5 + turn
        return CGPoint(x: 20 + radius * cos(angle), y: 16 + radius * sin(angle))
      })
    path.closeSubpath()
    return path
  }

  static let paths: [(name: String, path: CGPath)] = {
    let curves = CGMutablePath()
    curves.move(to: CGPoint(x: 2.3, y: 3.1))
    curves.addCurve(to: CGPoint(x: 37, y: 28), control1: CGPoint(x: 45, y: 2), control2: CGPoint(x: -5, y: 33))
    curves.addQuadCurve(to: CGPoint(x: 5, y: 30), control: CGPoint(x: 20, y: 5))
    curves.closeSubpath()
    let rings = CGMutablePath()
    rings.addEllipse(in: CGRect(x: 3.2, y: 2.7, width: 33, height: 26))
    rings.addEllipse(in: CGRect(x: 10.5, y: 8.2, width: 15.3, height: 13.9))
    rings.addArc(center: CGPoint(x: 30, y: 20), radius: 7.7, startAngle: 0.4, endAngle: 5, clockwise: true)
    let overlapping = CGMutablePath()
    overlapping.addRect(CGRect(x: 2.25, y: 3.5, width: 20.5, height: 15.25))
    overlapping.addRect(
      CGRect(x: 10.75, y: 8.125, width: 25.5, height: 20.5), transform: CGAffineTransform(a: 1, b: 0.1, c: -0.2, d: 1, tx: 0, ty: 0))
    let tiny = CGMutablePath()
    for index in 0..<300 {
      let (x, y) = (CGFloat(index % 60) * 0.63 + 1, CGFloat(index / 60) * 0.31 + 10)
      tiny.addLines(between: [CGPoint(x: x, y: y), CGPoint(x: x + 0.5, y: y + 0.1), CGPoint(x: x + 0.2, y: y + 0.4)])
      tiny.closeSubpath()
    }
    return [
      ("star", star(14)), ("small star", star(3.3)), ("curves", curves), ("rings", rings), ("overlapping", overlapping), ("tiny", tiny),
      ("rounded", CGPath(roundedRect: CGRect(x: 3.3, y: 4.4, width: 30, height: 22), cornerWidth: 8, cornerHeight: 5, transform: nil)),
      ("beyond", CGPath(ellipseIn: CGRect(x: -15, y: -9, width: 45, height: 60), transform: nil)),
    ]
  }()

  @Test(arguments: paths.indices, [false, true]) func `coverage is the share of a pixel inside of the path`(_ index: Int, evenOdd: Bool) {
    let (name, path) = Self.paths[index]
    let own = Self.coverage(path, 40, 32, evenOdd: evenOdd)
    // 64 points per side: 16 alone miss up to 8/255 of a straight edge.
    let fine = Self.reference(path, 40, 32, evenOdd: evenOdd, grid: 64)
    let largest = zip(own, fine).map { abs($0 - $1) }.max()!
    #expect(largest <= 2.5 / 255, "\(name): \(largest * 255)/255")
    let coarse = Self.reference(path, 40, 32, evenOdd: evenOdd, grid: 16)
    let squares = zip(own, coarse).map { (a, b) -> Double in (a - b) * (a - b) }
    let meanSquare = squares.reduce(0, +) / Double(own.count)
    #expect(meanSquare.squareRoot() <= 2.0 / 255, "\(name): \(meanSquare.squareRoot() * 255)/255")
  }

  @Test func `without antialiasing a pixel counts if its middle is inside`() {
    let context = CGContext(data: nil, width: 40, height: 32, bitsPerComponent: 8, bytesPerRow: 40, space: nil, bitmapInfo: 7)!
    context.setShouldAntialias(false)
    context.addPath(Self.star(14))
    context.fillPath()
    let expected = Self.reference(Self.star(14), 40, 32, evenOdd: false, grid: 1)
    #expect(context.rows.map { Double($0) / 255 } == expected)
    context.clear(CGRect(x: 0, y: 0, width: 40, height: 32))
    context.setShouldAntialias(true)
    context.setAllowsAntialiasing(false)
    context.addPath(Self.star(14))
    context.fillPath()
    #expect(context.rows.map { Double($0) / 255 } == expected)
  }

  @Test func `paths with numbers out of any range do no harm`() {
    let context = makeContext(8, 8)
    for value in [CGFloat.nan, .infinity, -.infinity, 1e300, -1e300, 1e18] {
      context.move(to: CGPoint(x: 1, y: 1))
      context.addLine(to: CGPoint(x: value, y: 5))
      context.addCurve(to: CGPoint(x: 3, y: value), control1: CGPoint(x: value, y: value), control2: .zero)
      context.drawPath(using: .fillStroke)
      context.fill(CGRect(x: value, y: 0, width: value, height: value))
      context.strokeEllipse(in: CGRect(x: 0, y: 0, width: value, height: 4))
      context.setLineDash(phase: value, lengths: [value, 1])
      context.stroke(CGRect(x: 1, y: 1, width: 5, height: 5), width: value)
      context.addArc(center: .zero, radius: value, startAngle: value, endAngle: 1, clockwise: true)
      context.strokePath()
      context.draw(makeImage([1, 2, 3, 4], 1, 1), in: CGRect(x: value, y: 0, width: value, height: 3))
    }
  }
}
