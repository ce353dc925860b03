import MartletPixels
import Testing

struct PictureFitTests {
  private func fit(
    _ mode: PictureFit.Mode, image: (Int, Int) = (400, 300), region: (x: Range<Int>, y: Range<Int>)? = nil, target: (Int, Int) = (200, 200)
  ) throws -> PictureFit {
    try #require(
      PictureFit(imageWidth: image.0, imageHeight: image.1, region: region, targetWidth: target.0, targetHeight: target.1, mode: mode))
  }

  @Test func `parts and places follow the mode`() throws {
    let fill = try fit(.fill)
    #expect(fill.part == PixelRectangle(x: 0, y: 0, width: 400, height: 300))
    #expect([fill.placement.width, fill.placement.height, fill.placement.x, fill.placement.y] == [200, 200, 0, 0])
    let bars = try fit(.fit)
    #expect(bars.part == PixelRectangle(x: 0, y: 0, width: 400, height: 300))
    #expect([bars.placement.width, bars.placement.height, bars.placement.x, bars.placement.y] == [200, 150, 0, 25])
    let corner = try fit(.fitTopLeft)
    #expect([corner.placement.width, corner.placement.height, corner.placement.x, corner.placement.y] == [200, 150, 0, 0])
    let crop = try fit(.centerCrop)
    #expect(crop.part == PixelRectangle(x: 50, y: 0, width: 300, height: 300))
    #expect([crop.placement.width, crop.placement.height] == [200, 200])
    let region = try fit(.centerCrop, region: (100..<300, 50..<150))
    #expect(region.part == PixelRectangle(x: 150, y: 50, width: 100, height: 100))
  }

  @Test(arguments: PictureFit.Mode.allCases)
  func `points of the target lead back to the picture`(mode: PictureFit.Mode) throws {
    for (image, target) in [((400, 300), (200, 200)), ((31, 77), (64, 48)), ((5, 5), (3, 9))] {
      let fit = try fit(mode, image: image, region: (1..<image.0, 0..<image.1 - 1), target: target)
      for (x, y) in [(0.0, 0.0), (12.5, 7.25), (Double(target.0), Double(target.1))] {
        let point = fit.imagePoint(ofTargetX: x, y: y)
        let back = fit.targetPoint(ofImageX: point.x, y: point.y)
        #expect(abs(back.x - x) < 1e-9 && abs(back.y - y) < 1e-9)
      }
      let corner = fit.targetPoint(ofImageX: fit.part.columns.lowerBound, y: fit.part.rows.lowerBound)
      #expect(corner == (Double(fit.placement.x), Double(fit.placement.y)))
      let end = fit.targetPoint(ofImageX: fit.part.columns.upperBound, y: fit.part.rows.upperBound)
      #expect(abs(end.x - Double(fit.placement.x + fit.placement.width)) < 1e-9)
      #expect(abs(end.y - Double(fit.placement.y + fit.placement.height)) < 1e-9)
    }
  }

  @Test func `there is no fit without pixels`() {
    #expect(PictureFit(imageWidth: 0, imageHeight: 1, targetWidth: 1, targetHeight: 1, mode: .fill) == nil)
    #expect(PictureFit(imageWidth: 4, imageHeight: 4, region: (2..<5, 0..<4), targetWidth: 1, targetHeight: 1, mode: .fill) == nil)
    #expect(PictureFit(imageWidth: 4, imageHeight: 4, region: (2..<2, 0..<4), targetWidth: 1, targetHeight: 1, mode: .fill) == nil)
    #expect(PictureFit(imageWidth: 4, imageHeight: 4, targetWidth: 1, targetHeight: -1, mode: .fill) == nil)
  }
}
