import MartletPixels
import Testing

struct ImagePlacementTests {
  @Test func `a stretched picture fills the target`() throws {
    let placement = try #require(ImagePlacement.stretched(targetWidth: 5, targetHeight: 3))
    #expect([placement.width, placement.height, placement.x, placement.y] == [5, 3, 0, 0])
  }

  @Test(arguments: [
    // Image, target; picture in the target; margin of the centred one.
    ([8, 4], [8, 8], [8, 4], [0, 2]),
    ([4, 8], [8, 8], [4, 8], [2, 0]),
    ([1920, 1080], [640, 640], [640, 360], [0, 140]),
    ([3, 2], [8, 8], [8, 5], [0, 1]),
    ([2, 3], [5, 5], [3, 5], [1, 0]),
    ([1000, 1], [10, 10], [10, 1], [0, 4]),
    ([1, 1000], [10, 10], [1, 10], [4, 0]),
    ([1, 1], [7, 3], [3, 3], [2, 0]),
  ])
  func `a letterboxed picture keeps its aspect`(image: [Int], target: [Int], size: [Int], margin: [Int]) throws {
    for (anchor, expected) in [(ImagePlacement.Anchor.center, margin), (.topLeft, [0, 0])] {
      let placement = try #require(
        ImagePlacement.letterboxed(
          imageWidth: image[0], imageHeight: image[1], targetWidth: target[0], targetHeight: target[1], anchor: anchor))
      #expect([placement.width, placement.height] == size)
      #expect([placement.x, placement.y] == expected)
    }
  }

  @Test(arguments: [1, 2, 3, 640, 65537, 16_777_217, Int.max])
  func `the picture is never empty or larger than the target`(extent: Int) throws {
    for other in [1, 7, 1023, Int.max] {
      for target in [1, 13, 16_777_219, Int.max] {
        let placement = try #require(
          ImagePlacement.letterboxed(imageWidth: extent, imageHeight: other, targetWidth: target, targetHeight: 31, anchor: .center))
        #expect((1...target).contains(placement.width))
        #expect((1...31).contains(placement.height))
      }
    }
  }

  @Test func `there is no placement without pixels`() {
    #expect(ImagePlacement.stretched(targetWidth: 0, targetHeight: 3) == nil)
    #expect(ImagePlacement.letterboxed(imageWidth: 0, imageHeight: 1, targetWidth: 3, targetHeight: 3, anchor: .center) == nil)
    #expect(ImagePlacement.letterboxed(imageWidth: 1, imageHeight: 1, targetWidth: 3, targetHeight: -3, anchor: .center) == nil)
  }
}
