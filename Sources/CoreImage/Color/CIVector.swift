public import CoreGraphics
public import Foundation

/// A list of numbers for filters.
open class CIVector: NSObject, NSCopying, @unchecked Sendable {
  private let numbers: [CGFloat]

  private init(_ numbers: [CGFloat]) { self.numbers = numbers }

  public convenience init(values: UnsafePointer<CGFloat>, count: Int) {
    unsafe self.init(Array(UnsafeBufferPointer(start: values, count: max(count, 0))))
  }
  public convenience init(x: CGFloat) { self.init([x]) }
  public convenience init(x: CGFloat, y: CGFloat) { self.init([x, y]) }
  public convenience init(x: CGFloat, y: CGFloat, z: CGFloat) { self.init([x, y, z]) }
  public convenience init(x: CGFloat, y: CGFloat, z: CGFloat, w: CGFloat) { self.init([x, y, z, w]) }
  public convenience init(cgPoint point: CGPoint) { self.init([point.x, point.y]) }
  /// Origin, then size.
  public convenience init(cgRect rect: CGRect) { self.init([rect.origin.x, rect.origin.y, rect.size.width, rect.size.height]) }
  public convenience init(cgAffineTransform map: CGAffineTransform) { self.init([map.a, map.b, map.c, map.d, map.tx, map.ty]) }

  /// The numbers of a text such as "[1 2 3]".
  public convenience init(string representation: String) {
    let text = representation.trimmingCharacters(in: CharacterSet(charactersIn: "[] "))
    self.init(text.split(separator: " ").map { CGFloat(Double($0) ?? 0) })
  }

  public var count: Int { numbers.count }

  /// 0 beyond the end.
  public func value(at index: Int) -> CGFloat { numbers.indices.contains(index) ? numbers[index] : 0 }

  public var x: CGFloat { value(at: 0) }
  public var y: CGFloat { value(at: 1) }
  public var z: CGFloat { value(at: 2) }
  public var w: CGFloat { value(at: 3) }
  public var cgPointValue: CGPoint { CGPoint(x: x, y: y) }
  public var cgRectValue: CGRect { CGRect(x: x, y: y, width: z, height: w) }
  public var cgAffineTransformValue: CGAffineTransform {
    CGAffineTransform(a: x, b: y, c: z, d: w, tx: value(at: 4), ty: value(at: 5))
  }
  public var stringRepresentation: String { "[" + numbers.map { "\($0)" }.joined(separator: " ") + "]" }

  open func copy(with zone: NSZone? = nil) -> Any { self }
  open override func isEqual(_ object: Any?) -> Bool { (object as? CIVector)?.numbers == numbers }
  open override var hash: Int { numbers.hashValue }
  open override var description: String { stringRepresentation }

  /// The first four numbers.
  var simd: SIMD4<Float> { SIMD4(Float(x), Float(y), Float(z), Float(w)) }
}
