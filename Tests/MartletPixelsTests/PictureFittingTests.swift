import MartletPixels
import Testing

@Suite("Pictures fitted to a model")
struct PictureFittingTests {
  /// Pixels without a pattern.
  private func picture(width: Int, height: Int) throws -> Image {
    var state: UInt32 = 1
    var pixels = [UInt8](repeating: 0, count: 3 * width * height)
    var index = 0
    while index < pixels.count {
      state = state &* 1_664_525 &+ 1_013_904_223
      pixels[index] = UInt8(state >> 24)
      index += 1
    }
    return try #require(Image(width: width, height: height, format: .rgb8, pixels: pixels))
  }

  /// The fitted picture as red, green and blue.
  private func fitted(_ image: Image, _ mapping: PictureMapping) throws -> [UInt8] {
    let (width, height) = (mapping.fit.placement.targetWidth, mapping.fit.placement.targetHeight)
    var result = [UInt8](repeating: 7, count: 3 * width * height)
    try unsafe result.withUnsafeMutableBufferPointer { memory in
      let target = unsafe PixelTarget(
        width: width, height: height, format: .rgb8, base: UnsafeMutableRawPointer(memory.baseAddress!), rowByteCount: 3 * width)
      let fitting = PictureFitting(mapping, format: .rgb8)
      try image.withSource { fitting.write($0, to: try #require(target)) }
    }
    return result
  }

  @Test(arguments: ImageOrientation.allCases, PictureMapping.Action.allCases)
  func `a picture that is turned last is what turning it first gives`(orientation: ImageOrientation, action: PictureMapping.Action) throws {
    let image = try picture(width: 61, height: 37)
    for (width, height) in [(16, 11), (9, 30), (80, 61)] {
      let mapping = try #require(
        PictureMapping(
          width: 61, height: 37, orientation: orientation, region: .whole, targetWidth: width, targetHeight: height, action: action))
      let upright = image.upright(from: orientation)
      let turned = action.turns ? upright.upright(from: .left) : upright
      #expect(try fitted(image, mapping) == turned.fitted(mapping.fit).pixels, "\(width) × \(height)")
    }
  }

  @Test func `stripes and blocks of a large picture that is turned meet`() throws {
    let image = try picture(width: 4000, height: 1500)
    let mapping = try #require(
      PictureMapping(
        width: 4000, height: 1500, orientation: .right, region: .whole, targetWidth: 40, targetHeight: 50, action: .scaleFill))
    #expect(try fitted(image, mapping) == image.upright(from: .right).fitted(mapping.fit).pixels)
  }
}
