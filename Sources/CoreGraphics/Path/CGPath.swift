public import Foundation

/// The kinds of a path's elements.
public enum CGPathElementType: Int32, Sendable {
  /// Starts a subpath at a point.
  case moveToPoint
  case addLineToPoint
  /// A control point and the end.
  case addQuadCurveToPoint
  /// Two control points and the end.
  case addCurveToPoint
  case closeSubpath
}

/// An element of a path with its points: one for moves and lines, two and three for curves, none for the end of a subpath.
@safe
public struct CGPathElement {
  public var type: CGPathElementType
  public var points: UnsafeMutablePointer<CGPoint>

  public init(type: CGPathElementType, points: UnsafeMutablePointer<CGPoint>) {
    self.type = type
    unsafe self.points = unsafe points
  }
}

/// Which points are inside of a path: those with a winding number other than 0, or an odd one.
public enum CGPathFillRule: Int, Sendable {
  case winding
  case evenOdd
}

public enum CGLineCap: Int32, Sendable {
  case butt
  case round
  case square
}

public enum CGLineJoin: Int32, Sendable {
  case miter
  case round
  case bevel
}

public typealias CGPathApplierFunction = (UnsafeMutableRawPointer?, UnsafePointer<CGPathElement>) -> Void

/// Lines and curves. Paths are equal if their elements are.
public class CGPath: Hashable, @unchecked Sendable {
  var shape: PathShape

  init(_ shape: PathShape) { self.shape = shape }

  public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    var shape = PathShape()
    shape.addRect(rect, unsafe transform?.pointee ?? .identity)
    self.init(shape)
  }

  public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    var shape = PathShape()
    shape.addEllipse(rect, unsafe transform?.pointee ?? .identity)
    self.init(shape)
  }

  public convenience init(
    roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: UnsafePointer<CGAffineTransform>?
  ) {
    var shape = PathShape()
    shape.addRoundedRect(rect, cornerWidth, cornerHeight, unsafe transform?.pointee ?? .identity)
    self.init(shape)
  }

  public static func == (first: CGPath, second: CGPath) -> Bool { first === second || first.shape == second.shape }
  public func hash(into hasher: inout Hasher) { hasher.combine(shape.points.count) }

  public var isEmpty: Bool { shape.elements.isEmpty }
  /// The end of the last element; zero for an empty path.
  public var currentPoint: CGPoint { shape.currentPoint ?? .zero }
  /// The smallest rectangle that contains all points, also control points; null for an empty path.
  public var boundingBox: CGRect { CGRect(enclosing: shape.points) }
  /// The smallest rectangle that contains the path; null for an empty path.
  public var boundingBoxOfPath: CGRect { shape.tightBounds }

  /// True if the point is inside. Open subpaths count as closed.
  public func contains(_ point: CGPoint, using rule: CGPathFillRule = .winding, transform: CGAffineTransform = .identity) -> Bool {
    shape.contains(point, rule, transform)
  }

  /// Calls `block` with each element. The points are valid during the call.
  public func applyWithBlock(_ block: (UnsafePointer<CGPathElement>) -> Void) {
    shape.forEach { type, points in
      var points = points + [.zero]
      unsafe points.withUnsafeMutableBufferPointer { points in
        guard let base = points.baseAddress else { return }
        var element = unsafe CGPathElement(type: type, points: base)
        unsafe block(&element)
      }
    }
  }

  /// Calls `function` with `info` and each element.
  public func apply(info: UnsafeMutableRawPointer?, function: CGPathApplierFunction) {
    unsafe applyWithBlock { unsafe function(info, $0) }
  }

  public func copy() -> CGPath? { CGPath(shape) }
  public func mutableCopy() -> CGMutablePath? { CGMutablePath(shape) }
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    CGPath(shape.applying(unsafe transform?.pointee ?? .identity))
  }
  public func mutableCopy(using transform: UnsafePointer<CGAffineTransform>?) -> CGMutablePath? {
    CGMutablePath(shape.applying(unsafe transform?.pointee ?? .identity))
  }

  /// The outline of what stroking this path would paint, to be filled by winding number.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin, miterLimit: CGFloat,
    transform: CGAffineTransform = .identity
  ) -> CGPath {
    let style = StrokeStyle(width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit)
    return CGPath(Stroker.outline(shape.applying(transform), style, tolerance: PathShape.defaultTolerance))
  }

  /// The path cut into dashes: lengths of painted and unpainted pieces in turn, from `phase` on.
  public func copy(dashingWithPhase phase: CGFloat, lengths: [CGFloat], transform: CGAffineTransform = .identity) -> CGPath {
    let lines = shape.applying(transform).flattened(tolerance: PathShape.defaultTolerance)
    return CGPath(PathShape(Dasher.dashed(lines, phase: phase, lengths: lengths)))
  }
}

/// A path that can grow.
public final class CGMutablePath: CGPath, @unchecked Sendable {
  override init(_ shape: PathShape) { super.init(shape) }
  public init() { super.init(PathShape()) }

  public func move(to point: CGPoint, transform: CGAffineTransform = .identity) { shape.move(point.applying(transform)) }

  public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) { shape.addLine(point.applying(transform)) }

  public func addQuadCurve(to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity) {
    shape.addQuadCurve(control.applying(transform), end.applying(transform))
  }

  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint, transform: CGAffineTransform = .identity) {
    shape.addCurve(control1.applying(transform), control2.applying(transform), end.applying(transform))
  }

  public func closeSubpath() { shape.close() }

  public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) { shape.addRect(rect, transform) }

  public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) { for rect in rects { shape.addRect(rect, transform) } }

  public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) { shape.addLines(points, transform) }

  public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) { shape.addEllipse(rect, transform) }

  public func addRoundedRect(in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: CGAffineTransform = .identity) {
    shape.addRoundedRect(rect, cornerWidth, cornerHeight, transform)
  }

  /// An arc, with a line from the current point to its start. Angles are in radians from the x axis; `clockwise`, as seen with the y axis
  /// pointing up, is the way to smaller angles.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool, transform: CGAffineTransform = .identity
  ) {
    shape.addArc(center, radius, startAngle, endAngle, clockwise: clockwise, transform)
  }

  /// An arc by the angle at which it starts, and how far it turns.
  public func addRelativeArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, delta: CGFloat, transform: CGAffineTransform = .identity
  ) {
    shape.addArc(center, radius, startAngle, delta: delta, transform)
  }

  /// An arc that touches the line from the current point to `tangent1End` and the one from there to `tangent2End`.
  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat, transform: CGAffineTransform = .identity) {
    shape.addArc(tangent1End, tangent2End, radius, transform)
  }

  public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) { shape.append(path.shape.applying(transform)) }
}
