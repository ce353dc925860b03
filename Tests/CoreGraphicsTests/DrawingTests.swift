import CoreGraphics
import Testing

struct DrawingTests {
  struct Recording: Decodable {
    struct Case: Decodable {
      var quality: String
      var width: Int
      var height: Int
      var pixels: Data
    }
    var width: Int
    var height: Int
    var pixels: Data
    var cases: [Case]
  }

  @Test func `pictures are scaled as Pillow does`() throws {
    let url = try #require(Bundle.module.url(forResource: "scaling", withExtension: "json", subdirectory: "Fixtures"))
    let recording = try JSONDecoder().decode(Recording.self, from: Data(contentsOf: url))
    let image = makeImage([UInt8](recording.pixels), recording.width, recording.height)
    let qualities: [String: CGInterpolationQuality] = ["low": .low, "medium": .medium, "high": .high]
    #expect(recording.cases.count == 18)
    for recorded in recording.cases {
      let context = makeContext(recorded.width, recorded.height)
      context.interpolationQuality = try #require(qualities[recorded.quality])
      context.setBlendMode(.copy)
      context.draw(image, in: CGRect(x: 0, y: 0, width: recorded.width, height: recorded.height))
      #expect(context.rows == [UInt8](recorded.pixels), "\(recorded.quality) \(recorded.width) × \(recorded.height)")
      // Numbers are not rounded in between; those of the other filters are not limited to 0…1 either.
      guard recorded.quality == "low" else { continue }
      let numbers = CGContext(
        data: nil, width: recorded.width, height: recorded.height, bitsPerComponent: 16, bytesPerRow: 0, space: deviceRGB, bitmapInfo: 1)!
      numbers.interpolationQuality = .low
      numbers.draw(image, in: CGRect(x: 0, y: 0, width: recorded.width, height: recorded.height))
      let rows = numbers.rows
      let high = stride(from: 0, to: rows.count, by: 2).map { rows[$0] }
      #expect(largestDifference(high, [UInt8](recorded.pixels)) <= 1, "\(recorded.width) × \(recorded.height)")
    }
  }

  /// Two columns and three rows, each pixel of another colour.
  static let small: [UInt8] = (0..<6).flatMap { (index: Int) -> [UInt8] in
    [UInt8(40 * index), UInt8(255 - 30 * index), UInt8(7 * index), 255]
  }

  private static func pixels(_ order: [Int]) -> [UInt8] { order.flatMap { small[4 * $0..<4 * $0 + 4] } }

  @Test func `the first row is at the top`() {
    let context = makeContext(3, 4)
    context.draw(makeImage(Self.small, 2, 3), in: CGRect(x: 1, y: 0, width: 2, height: 3))
    #expect(context.pixel(1, 1) == Self.pixels([0]) && context.pixel(2, 3) == Self.pixels([5]))
    #expect(context.pixel(1, 0) == [0, 0, 0, 0] && context.pixel(0, 2) == [0, 0, 0, 0])
  }

  @Test func `quarter turns and mirrors move pixels exactly`() {
    func draw(_ width: Int, _ height: Int, _ transform: CGAffineTransform) -> [UInt8] {
      let context = makeContext(width, height)
      context.concatenate(transform)
      context.interpolationQuality = .high
      context.draw(makeImage(Self.small, 2, 3), in: CGRect(x: 0, y: 0, width: 2, height: 3))
      return context.rows
    }
    #expect(draw(2, 3, .identity) == Self.small)
    #expect(draw(2, 3, CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: 3)) == Self.pixels([4, 5, 2, 3, 0, 1]))
    #expect(draw(2, 3, CGAffineTransform(a: -1, b: 0, c: 0, d: 1, tx: 2, ty: 0)) == Self.pixels([1, 0, 3, 2, 5, 4]))
    #expect(draw(2, 3, CGAffineTransform(a: -1, b: 0, c: 0, d: -1, tx: 2, ty: 3)) == Self.pixels([5, 4, 3, 2, 1, 0]))
    // A quarter turn to the left.
    #expect(
      draw(3, 2, CGAffineTransform(rotationAngle: .pi / 2).concatenating(CGAffineTransform(translationX: 3, y: 0)))
        == Self.pixels([1, 3, 5, 0, 2, 4]))
    #expect(
      draw(3, 2, CGAffineTransform(rotationAngle: -.pi / 2).concatenating(CGAffineTransform(translationX: 0, y: 2)))
        == Self.pixels([4, 2, 0, 5, 3, 1]))
  }

  @Test func `without interpolation pixels become blocks`() {
    for (quality, interpolate) in [(CGInterpolationQuality.none, true), (.default, false)] {
      let context = makeContext(4, 6)
      context.interpolationQuality = quality
      context.draw(makeImage(Self.small, 2, 3, interpolate: interpolate), in: CGRect(x: 0, y: 0, width: 4, height: 6))
      #expect((0..<6).allSatisfy { y in (0..<4).allSatisfy { context.pixel($0, y) == Self.pixels([y / 2 * 2 + $0 / 2]) } })
    }
    #expect(makeContext(1, 1).interpolationQuality == .default)
  }

  @Test func `edges between pixels are antialiased`() {
    let context = makeContext(4, 3)
    context.draw(makeImage([200, 100, 50, 255], 1, 1), in: CGRect(x: 0.5, y: 0.75, width: 2, height: 1.25))
    #expect(context.pixel(1, 1) == [200, 100, 50, 255])
    #expect(context.pixel(0, 1) == [100, 50, 25, 128] && context.pixel(2, 1) == [100, 50, 25, 128])
    #expect(largestDifference(context.pixel(1, 2), [50, 25, 12, 64]) <= 1 && context.pixel(3, 1) == [0, 0, 0, 0])
  }

  @Test func `a turned picture has the colours of its pixels`() {
    // A smooth picture: bilinear sampling is exact for a linear ramp.
    var ramp: [UInt8] = []
    for y in 0..<32 { for x in 0..<32 { ramp += [UInt8(4 * x + 40), UInt8(3 * y + 60), 100, 255] } }
    let context = makeContext(64, 64)
    let angle = 0.4
    context.translateBy(x: 32, y: 32)
    context.rotate(by: angle)
    context.draw(makeImage(ramp, 32, 32), in: CGRect(x: -20, y: -20, width: 40, height: 40))
    var checked = 0
    for y in 0..<64 {
      for x in 0..<64 {
        let point = CGPoint(x: Double(x) + 0.5 - 32, y: 64 - Double(y) - 0.5 - 32).applying(CGAffineTransform(rotationAngle: -angle))
        guard abs(point.x) < 18, abs(point.y) < 18 else { continue }
        let column = (point.x + 20) / 40 * 32 - 0.5
        let row = (20 - point.y) / 40 * 32 - 0.5
        let pixel = context.pixel(x, y)
        #expect(abs(Double(pixel[0]) - (4 * column + 40)) <= 1 && abs(Double(pixel[1]) - (3 * row + 60)) <= 1 && pixel[3] == 255)
        checked += 1
      }
    }
    #expect(checked > 1000 && context.pixel(0, 0) == [0, 0, 0, 0])
  }

  @Test func `a picture that is turned and made smaller is averaged`() {
    // Alternate black and white columns become grey.
    let line: [UInt8] = (0..<64).flatMap { (x: Int) -> [UInt8] in x.isMultiple(of: 2) ? [255, 255, 255, 255] : [0, 0, 0, 255] }
    let stripes = [[UInt8]](repeating: line, count: 64).flatMap { $0 }
    let context = makeContext(16, 16)
    context.translateBy(x: 8, y: 8)
    context.rotate(by: 0.3)
    context.draw(makeImage(stripes, 64, 64), in: CGRect(x: -8, y: -8, width: 16, height: 16))
    for (x, y) in [(8, 8), (6, 9), (10, 7)] { #expect(abs(Int(context.pixel(x, y)[0]) - 127) < 12) }
  }

  @Test func `pictures are blended and dimmed`() {
    let context = makeContext(1, 1)
    context.setFillColor(red: 0, green: 0, blue: 1, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.setAlpha(0.5)
    context.draw(makeImage([255, 0, 0, 255], 1, 1), in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(largestDifference(context.pixel(0, 0), [128, 0, 127, 255]) <= 1)
    context.setAlpha(1)
    context.setBlendMode(.multiply)
    context.draw(makeImage([128, 128, 128, 255], 1, 1), in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(largestDifference(context.pixel(0, 0), [64, 0, 64, 255]) <= 1)
  }
}
