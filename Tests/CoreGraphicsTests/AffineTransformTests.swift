import CoreGraphics
import Testing

struct AffineTransformTests {
  private static func isClose(_ first: CGPoint, _ second: CGPoint) -> Bool { abs(first.x - second.x) + abs(first.y - second.y) < 1e-9 }

  @Test func `points, sizes and rectangles are mapped`() {
    let transform = CGAffineTransform(a: 2, b: 1, c: -1, d: 3, tx: 10, ty: 20)
    #expect(CGPoint(x: 1, y: 2).applying(transform) == CGPoint(x: 10, y: 27))
    #expect(CGSize(width: 1, height: 2).applying(transform) == CGSize(width: 0, height: 7))
    #expect(CGRect(x: 0, y: 0, width: 1, height: 1).applying(transform) == CGRect(x: 9, y: 20, width: 3, height: 4))
    #expect(CGRect.null.applying(transform).isNull)
    #expect(CGAffineTransform.identity.isIdentity && CGAffineTransform() != .identity)
  }

  @Test func `concatenation applies the receiver first`() {
    let first = CGAffineTransform(scaleX: 2, y: 3)
    let second = CGAffineTransform(translationX: 5, y: 7)
    let point = CGPoint(x: 1, y: 1)
    #expect(point.applying(first.concatenating(second)) == point.applying(first).applying(second))
    #expect(point.applying(first.translatedBy(x: 5, y: 7)) == CGPoint(x: 12, y: 24))
    #expect(point.applying(second.scaledBy(x: 2, y: 3)) == CGPoint(x: 7, y: 10))
    let turned = second.rotated(by: .pi / 2)
    #expect(Self.isClose(point.applying(turned), CGPoint(x: 4, y: 8)))
    #expect(Self.isClose(CGPoint(x: 1, y: 0).applying(CGAffineTransform(rotationAngle: .pi / 2)), CGPoint(x: 0, y: 1)))
  }

  @Test func `the inverse undoes, and a singular transform is its own inverse`() {
    let transform = CGAffineTransform(2, 1, -1, 3, 10, 20)
    #expect(Self.isClose(CGPoint(x: 4, y: -5).applying(transform).applying(transform.inverted()), CGPoint(x: 4, y: -5)))
    let flat = CGAffineTransform(scaleX: 0, y: 1)
    #expect(flat.inverted() == flat)
  }

  @Test func `vectors have coordinates`() {
    #expect(CGVector(dx: 1, dy: 2).dx == 1 && CGVector.zero == CGVector(dx: 0, dy: 0))
  }
}
