import ImageIO
import Testing

struct ThumbnailTests {
  private func thumbnail(_ name: String, _ options: [CFString: Any]) throws -> CGImage? {
    CGImageSourceCreateThumbnailAtIndex(try PictureFile.source(name), 0, options as CFDictionary)
  }

  @Test func `a thumbnail has at most the size asked for, and the picture's shape`() throws {
    for (name, limit, width, height) in [
      ("reduced.jpg", 50, 50, 38), ("reduced.jpg", 33, 33, 25), ("reduced.jpg", 199, 199, 149), ("reduced.jpg", 500, 200, 150),
      ("rgb8.png", 10, 10, 6), ("rgb8.png", 1, 1, 1), ("rgba16.png", 7, 7, 4), ("gray1.png", 5, 5, 3), ("palette8.png", 12, 12, 7),
      ("cmyk_adobe.jpg", 30, 30, 21),
    ] {
      let image = try #require(
        try thumbnail(name, [kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: limit]), "\(name)")
      #expect((image.width, image.height) == (width, height), "\(name) \(limit)")
      #expect(image.bitsPerComponent == 8)
    }
    let whole = try #require(try thumbnail("rgb8.png", [kCGImageSourceCreateThumbnailFromImageAlways: true]))
    #expect(whole.width == 21)
    #expect(try whole.color(5, 5) == PictureFile.image("rgb8.png").color(5, 5))
  }

  @Test func `a thumbnail shows what the picture does`() throws {
    let picture = try PictureFile.image("reduced.jpg")
    let small = try #require(
      try thumbnail("reduced.jpg", [kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: 40]))
    for (x, y) in [(10, 8), (20, 15), (35, 25), (5, 20)] {
      // In the middle of what a pixel covers.
      let expected = picture.color(5 * x + 2, 5 * y + 2)
      #expect(zip(small.color(x, y), expected).allSatisfy { abs($0 - $1) < 40 }, "\(x), \(y)")
    }
  }

  @Test func `the small picture in a file is used unless the options say otherwise`() throws {
    #expect(try thumbnail("described.jpg", [:])?.width == 16)
    #expect(try thumbnail("described.jpg", [kCGImageSourceCreateThumbnailFromImageIfAbsent: true])?.width == 16)
    #expect(try thumbnail("described.jpg", [kCGImageSourceCreateThumbnailFromImageAlways: true])?.width == 60)
    #expect(try thumbnail("reduced.jpg", [:]) == nil)
    #expect(try thumbnail("reduced.jpg", [kCGImageSourceCreateThumbnailFromImageIfAbsent: true])?.width == 200)
    #expect(try thumbnail("plain.gif", [kCGImageSourceCreateThumbnailFromImageAlways: true]) == nil)
  }

  @Test(arguments: 1...8)
  func `a thumbnail is turned upright if the options say so`(number: Int) throws {
    func thumbnail(_ number: Int, _ turns: Bool) throws -> CGImage {
      let file = PictureFile.folder.appendingPathComponent("orientation_\(number).png")
      let source = try #require(CGImageSourceCreateWithURL(file as CFURL, nil))
      let options =
        [kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: turns] as [CFString: Any]
      return try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary))
    }
    let stored = try thumbnail(number, false)
    let upright = try thumbnail(number, true)
    #expect(stored.width == 24 && upright.width == (number < 5 ? 24 : 16))
    // Where the first stored pixel is in the upright picture.
    let corners = [
      1: (0, 0), 2: (23, 0), 3: (23, 15), 4: (0, 15), 5: (0, 0), 6: (15, 0), 7: (15, 23), 8: (0, 23),
    ]
    let (x, y) = try #require(corners[number])
    #expect(upright.color(x, y) == stored.color(0, 0))
    // And the one to its right.
    let next = [1: (1, 0), 2: (22, 0), 3: (22, 15), 4: (1, 15), 5: (0, 1), 6: (15, 1), 7: (15, 22), 8: (0, 22)]
    let (nextX, nextY) = try #require(next[number])
    #expect(upright.color(nextX, nextY) == stored.color(1, 0))
  }

  @Test func `a part of the pixels is enough for a smaller image`() throws {
    let source = try PictureFile.source("reduced.jpg")
    for (factor, width) in [(1, 200), (2, 100), (4, 50), (8, 25), (3, 200)] {
      let image = CGImageSourceCreateImageAtIndex(source, 0, [kCGImageSourceSubsampleFactor: factor] as [CFString: Any] as CFDictionary)
      #expect(image?.width == width)
    }
  }
}
