import Testing
import Vision

struct CoordinateTests {
  private let region = CGRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)

  @Test func `normalised points and rectangles become those of a picture and back`() {
    #expect(VNImagePointForNormalizedPoint(CGPoint(x: 0.25, y: 0.5), 400, 200) == CGPoint(x: 100, y: 100))
    #expect(VNNormalizedPointForImagePoint(CGPoint(x: 100, y: 100), 400, 200) == CGPoint(x: 0.25, y: 0.5))
    #expect(
      VNImageRectForNormalizedRect(CGRect(x: 0.25, y: 0.5, width: 0.5, height: 0.125), 400, 200)
        == CGRect(x: 100, y: 100, width: 200, height: 25))
    #expect(
      VNNormalizedRectForImageRect(CGRect(x: 100, y: 100, width: 200, height: 25), 400, 200)
        == CGRect(x: 0.25, y: 0.5, width: 0.5, height: 0.125))
  }

  @Test func `normalised points and rectangles of a region become those of a picture and back`() {
    #expect(VNImagePointForNormalizedPointUsingRegionOfInterest(CGPoint(x: 0.5, y: 0.5), 400, 200, region) == CGPoint(x: 200, y: 125))
    #expect(VNNormalizedPointForImagePointUsingRegionOfInterest(CGPoint(x: 200, y: 125), 400, 200, region) == CGPoint(x: 0.5, y: 0.5))
    #expect(
      VNImageRectForNormalizedRectUsingRegionOfInterest(CGRect(x: 0, y: 0.5, width: 1, height: 0.5), 400, 200, region)
        == CGRect(x: 100, y: 125, width: 200, height: 25))
    #expect(
      VNNormalizedRectForImageRectUsingRegionOfInterest(CGRect(x: 100, y: 125, width: 200, height: 25), 400, 200, region)
        == CGRect(x: 0, y: 0.5, width: 1, height: 0.5))
  }

  @Test func `the identity is the whole picture`() {
    #expect(VNNormalizedIdentityRect == CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(VNNormalizedRectIsIdentityRect(VNNormalizedIdentityRect) && !VNNormalizedRectIsIdentityRect(region))
    #expect(VNImageBasedRequest().regionOfInterest == VNNormalizedIdentityRect)
  }

  @Test func `a normalised rectangle is one of a picture with either origin`() {
    let rect = NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
    let size = CGSize(width: 400, height: 200)
    #expect(rect.toImageCoordinates(size) == CGRect(x: 100, y: 100, width: 200, height: 50))
    #expect(rect.toImageCoordinates(size, origin: .upperLeft) == CGRect(x: 100, y: 50, width: 200, height: 50))
    #expect(NormalizedRect(imageRect: CGRect(x: 100, y: 100, width: 200, height: 50), in: size) == rect)
    #expect(rect.verticallyFlipped() == NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.25))
    #expect(NormalizedRect(normalizedRect: rect.cgRect) == rect && rect.origin == CGPoint(x: 0.25, y: 0.5))
    #expect((rect.width, rect.height) == (0.5, 0.25))
    #expect(NormalizedRect.fullImage.cgRect == VNNormalizedIdentityRect)
    let inner = NormalizedRect(x: 0.5, y: 0, width: 0.5, height: 1)
    #expect(inner.toImageCoordinates(from: rect, imageSize: size) == CGRect(x: 200, y: 100, width: 100, height: 50))
    #expect(inner.toImageCoordinates(from: rect, imageSize: size, origin: .upperLeft) == CGRect(x: 200, y: 50, width: 100, height: 50))
    #expect(NormalizedRect(imageRect: CGRect(x: 200, y: 100, width: 100, height: 50), in: size, normalizedTo: rect) == inner)
    #expect(rect.description == "NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)")
  }

  @Test func `a normalised point is one of a picture with either origin`() throws {
    let point = NormalizedPoint(x: 0.25, y: 0.75)
    let size = CGSize(width: 400, height: 200)
    #expect(point.toImageCoordinates(size) == CGPoint(x: 100, y: 150))
    #expect(point.toImageCoordinates(size, origin: .upperLeft) == CGPoint(x: 100, y: 50))
    #expect(NormalizedPoint(imagePoint: CGPoint(x: 100, y: 150), in: size) == point)
    #expect(point.verticallyFlipped() == NormalizedPoint(normalizedPoint: CGPoint(x: 0.25, y: 0.25)))
    #expect(point.cgPoint == CGPoint(x: point.x, y: point.y) && NormalizedPoint.zero.cgPoint == .zero)
    let region = NormalizedRect(x: 0.5, y: 0.5, width: 0.5, height: 0.25)
    #expect(point.toImageCoordinates(from: region, imageSize: size) == CGPoint(x: 250, y: 137.5))
    #expect(point.toImageCoordinates(from: region, imageSize: size, origin: .upperLeft) == CGPoint(x: 250, y: 62.5))
    #expect(NormalizedPoint(imagePoint: CGPoint(x: 250, y: 137.5), in: size, normalizedTo: region) == point)
    #expect(try JSONDecoder().decode(NormalizedPoint.self, from: JSONEncoder().encode(point)) == point)
    #expect(try JSONDecoder().decode(NormalizedRect.self, from: JSONEncoder().encode(region)) == region)
    #expect(Set([point, NormalizedPoint(x: 0.25, y: 0.75)]).count == 1 && Set([region, .fullImage]).count == 2)
    #expect(point.description == "NormalizedPoint(x: 0.25, y: 0.75)")
  }
}
