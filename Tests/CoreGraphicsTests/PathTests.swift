import CoreGraphics
import Testing

struct PathTests {
  private static func text(_ path: CGPath) -> String {
    var parts: [String] = []
    path.applyWithBlock { element in
      let count = [1, 1, 2, 3, 0][Int(element.pointee.type.rawValue)]
      let numbers = (0..<count).map { "\(Int(element.pointee.points[$0].x.rounded())),\(Int(element.pointee.points[$0].y.rounded()))" }
      parts.append((["M", "L", "Q", "C", "Z"][Int(element.pointee.type.rawValue)] + numbers.joined(separator: " ")))
    }
    return parts.joined(separator: " ")
  }

  @Test func `elements are kept with their transforms`() {
    let path = CGMutablePath()
    #expect(path.isEmpty && path.boundingBox.isNull && path.currentPoint == .zero)
    path.move(to: CGPoint(x: 1, y: 2))
    path.addLine(to: CGPoint(x: 3, y: 4), transform: CGAffineTransform(scaleX: 10, y: 10))
    path.addQuadCurve(to: CGPoint(x: 5, y: 6), control: CGPoint(x: 7, y: 8))
    path.addCurve(to: CGPoint(x: 1, y: 1), control1: CGPoint(x: 2, y: 2), control2: CGPoint(x: 3, y: 3))
    #expect(path.currentPoint == CGPoint(x: 1, y: 1))
    path.closeSubpath()
    #expect(Self.text(path) == "M1,2 L30,40 Q7,8 5,6 C2,2 3,3 1,1 Z")
    #expect(path.currentPoint == CGPoint(x: 1, y: 2))
    path.addLine(to: CGPoint(x: 9, y: 9))
    #expect(Self.text(path).hasSuffix("Z M1,2 L9,9"))
    var move = CGAffineTransform(translationX: 1, y: 1)
    #expect(path.copy(using: &move).map(Self.text)?.hasPrefix("M2,3 L31,41") == true)
    #expect(path.copy() == path && path.mutableCopy() == path)
    let whole = CGMutablePath()
    whole.addPath(path, transform: CGAffineTransform(scaleX: 2, y: 2))
    #expect(Self.text(whole).hasPrefix("M2,4 L60,80"))
    var count = 0
    withUnsafeMutablePointer(to: &count) { path.apply(info: $0) { info, _ in info!.assumingMemoryBound(to: Int.self).pointee += 1 } }
    #expect(count == 7)
  }

  @Test func `bounds are those of all points, or of the curves`() {
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addCurve(to: CGPoint(x: 10, y: 0), control1: CGPoint(x: 0, y: 8), control2: CGPoint(x: 10, y: 8))
    #expect(path.boundingBox == CGRect(x: 0, y: 0, width: 10, height: 8))
    #expect(path.boundingBoxOfPath == CGRect(x: 0, y: 0, width: 10, height: 6))
    let circle = CGPath(ellipseIn: CGRect(x: 2, y: 3, width: 10, height: 6), transform: nil)
    #expect(abs(circle.boundingBoxOfPath.width - 10) < 1e-9 && abs(circle.boundingBox.minY - 3) < 1e-9)
  }

  @Test func `points are inside by winding number or by parity`() {
    let star = CoverageTests.star(14)
    let middle = CGPoint(x: 20, y: 16)
    #expect(star.contains(middle) && !star.contains(middle, using: .evenOdd))
    #expect(!star.contains(CGPoint(x: 1, y: 1)))
    #expect(!star.contains(middle, transform: CGAffineTransform(translationX: 100, y: 0)))
  }

  @Test func `arcs turn either way`() {
    let path = CGMutablePath()
    path.addArc(center: .zero, radius: 10, startAngle: 0, endAngle: .pi / 2, clockwise: false)
    #expect(Self.text(path) == "M10,0 C10,6 6,10 0,10")
    let other = CGMutablePath()
    other.move(to: CGPoint(x: 20, y: 0))
    other.addArc(center: .zero, radius: 10, startAngle: 0, endAngle: .pi / 2, clockwise: true)
    #expect(Self.text(other).hasPrefix("M20,0 L10,0 C10,-6 6,-10 0,-10") && other.boundingBoxOfPath.minX < -9.9)
    let relative = CGMutablePath()
    relative.addRelativeArc(center: .zero, radius: 10, startAngle: 0, delta: -.pi / 2)
    #expect(Self.text(relative) == "M10,0 C10,-6 6,-10 0,-10")
    let full = CGMutablePath()
    full.addArc(center: .zero, radius: 10, startAngle: 0, endAngle: 2 * .pi, clockwise: true)
    #expect(full.contains(CGPoint(x: -7, y: 7)) && full.contains(CGPoint(x: 7, y: -7)))
    // Rounds the corner between two lines.
    let corner = CGMutablePath()
    corner.move(to: .zero)
    corner.addArc(tangent1End: CGPoint(x: 20, y: 0), tangent2End: CGPoint(x: 20, y: 20), radius: 5)
    #expect(Self.text(corner) == "M0,0 L15,0 C18,0 20,2 20,5")
    let flat = CGMutablePath()
    flat.move(to: .zero)
    flat.addArc(tangent1End: CGPoint(x: 20, y: 0), tangent2End: CGPoint(x: 40, y: 0), radius: 5)
    #expect(Self.text(flat) == "M0,0 L20,0")
  }

  @Test func `figures are subpaths`() {
    let path = CGMutablePath()
    path.addRects([CGRect(x: 0, y: 0, width: 1, height: 2), CGRect(x: 5, y: 5, width: 1, height: 1)])
    #expect(Self.text(path) == "M0,0 L1,0 L1,2 L0,2 Z M5,5 L6,5 L6,6 L5,6 Z")
    let rounded = CGMutablePath()
    rounded.addRoundedRect(in: CGRect(x: 0, y: 0, width: 20, height: 10), cornerWidth: 4, cornerHeight: 4)
    #expect(!rounded.contains(CGPoint(x: 0.5, y: 0.5)) && rounded.contains(CGPoint(x: 2, y: 2)) && rounded.contains(CGPoint(x: 10, y: 0.1)))
  }

  @Test func `a context keeps its path in device space`() throws {
    let context = makeContext(20, 20)
    #expect(context.isPathEmpty && context.path == nil)
    context.translateBy(x: 5, y: 5)
    context.addRect(CGRect(x: 0, y: 0, width: 4, height: 4))
    #expect(context.currentPointOfPath == .zero && context.boundingBoxOfPath == CGRect(x: 0, y: 0, width: 4, height: 4))
    context.scaleBy(x: 2, y: 2)
    #expect(context.boundingBoxOfPath == CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(context.pathContains(CGPoint(x: 1, y: 1), mode: .fill) && !context.pathContains(CGPoint(x: 3, y: 1), mode: .fill))
    #expect(context.pathContains(CGPoint(x: 2.2, y: 1), mode: .stroke) && !context.pathContains(CGPoint(x: 1, y: 1), mode: .stroke))
    let path = try #require(context.path)
    context.replacePathWithStrokedPath()
    #expect(context.boundingBoxOfPath == CGRect(x: -0.5, y: -0.5, width: 3, height: 3))
    context.beginPath()
    context.addPath(path)
    context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    context.setStrokeColor(red: 0, green: 0, blue: 1, alpha: 1)
    context.drawPath(using: .fillStroke)
    #expect(context.isPathEmpty)
    #expect(
      context.pixel(7, 12) == [0, 255, 0, 255] && context.pixel(4, 12) == [0, 0, 255, 255] && context.pixel(12, 12) == [0, 0, 0, 0])
  }
}
