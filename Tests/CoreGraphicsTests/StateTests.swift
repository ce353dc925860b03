import CoreGraphics
import Testing

struct StateTests {
  @Test func `a saved state comes back whole`() {
    let context = makeContext(4, 4)
    context.translateBy(x: 1, y: 0)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.saveGState()
    context.scaleBy(x: 2, y: 2)
    context.rotate(by: 1)
    context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    context.setAlpha(0)
    context.setBlendMode(.multiply)
    context.clip(to: .zero)
    context.interpolationQuality = .none
    context.restoreGState()
    #expect(context.ctm == CGAffineTransform(translationX: 1, y: 0) && context.interpolationQuality == .default)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(context.pixel(1, 3) == [255, 0, 0, 255])
    context.restoreGState()
  }

  @Test func `points are converted between user and device space`() {
    let context = makeContext(10, 10)
    context.translateBy(x: 2, y: 3)
    context.scaleBy(x: 2, y: 4)
    #expect(context.convertToDeviceSpace(CGPoint(x: 1, y: 1)) == CGPoint(x: 4, y: 7))
    #expect(context.convertToUserSpace(CGPoint(x: 4, y: 7)) == CGPoint(x: 1, y: 1))
    #expect(context.convertToDeviceSpace(CGSize(width: 1, height: 1)) == CGSize(width: 2, height: 4))
    #expect(context.convertToUserSpace(CGSize(width: 2, height: 4)) == CGSize(width: 1, height: 1))
    #expect(context.convertToDeviceSpace(CGRect(x: 0, y: 0, width: 1, height: 1)) == CGRect(x: 2, y: 3, width: 2, height: 4))
    #expect(context.convertToUserSpace(CGRect(x: 2, y: 3, width: 2, height: 4)) == CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(context.userSpaceToDeviceSpaceTransform == context.ctm)
  }

  @Test func `colours are set in all forms`() {
    let context = makeContext(1, 1)
    let pixel = CGRect(x: 0, y: 0, width: 1, height: 1)
    func filled() -> [UInt8] {
      context.fill(pixel)
      return context.pixel(0, 0)
    }
    context.setFillColor(gray: 0.5, alpha: 1)
    #expect(filled() == [128, 128, 128, 255])
    context.setFillColor(cyan: 1, magenta: 0, yellow: 0, black: 0, alpha: 1)
    #expect(filled() == [0, 255, 255, 255])
    context.setFillColor(CGColor(srgbRed: 0, green: 0, blue: 1, alpha: 1))
    #expect(filled() == [0, 0, 255, 255])
    context.setFillColorSpace(deviceRGB)
    #expect(filled() == [0, 0, 0, 255])
    context.setFillColor([1, 0.2, 0, 1])
    #expect(filled() == [255, 51, 0, 255])
    // Stroke colours have the same forms.
    func stroked() -> [UInt8] {
      context.stroke(pixel, width: 4)
      return context.pixel(0, 0)
    }
    context.setStrokeColor(gray: 1, alpha: 1)
    #expect(stroked() == [255, 255, 255, 255])
    context.setStrokeColor(cyan: 0, magenta: 0, yellow: 1, black: 0, alpha: 1)
    #expect(stroked() == [255, 255, 0, 255])
    context.setStrokeColorSpace(deviceGray)
    context.setStrokeColor([0.2, 1])
    #expect(stroked() == [51, 51, 51, 255])
  }

  @Test func `clips leave what is inside of all of them`() {
    let context = makeContext(10, 10)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.clip(to: CGRect(x: 2, y: 2, width: 6, height: 6))
    #expect(context.boundingBoxOfClipPath == CGRect(x: 2, y: 2, width: 6, height: 6))
    context.addEllipse(in: CGRect(x: 0, y: 2, width: 6, height: 6))
    context.clip()
    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
    #expect(context.pixel(3, 5) == [255, 0, 0, 255] && context.pixel(7, 5) == [0, 0, 0, 0] && context.pixel(1, 5) == [0, 0, 0, 0])
    #expect((1...254).contains(context.pixel(5, 3)[3]), "the edge of the ellipse is antialiased")
    context.resetClip()
    context.clip(to: [CGRect(x: 0, y: 0, width: 1, height: 1), CGRect(x: 9, y: 9, width: 1, height: 1)])
    context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
    #expect(
      context.pixel(0, 9) == [0, 255, 0, 255] && context.pixel(9, 0) == [0, 255, 0, 255] && context.pixel(3, 5) == [255, 0, 0, 255])
    context.resetClip()
    context.addRect(CGRect(x: 0, y: 0, width: 10, height: 10))
    context.addRect(CGRect(x: 2, y: 2, width: 6, height: 6))
    context.clip(using: .evenOdd)
    context.clear(CGRect(x: 0, y: 0, width: 10, height: 10))
    #expect(context.pixel(0, 9) == [0, 0, 0, 0] && context.pixel(3, 5) == [255, 0, 0, 255])
    // Half of a pixel.
    let half = makeContext(1, 1)
    half.clip(to: CGRect(x: 0, y: 0, width: 0.5, height: 1))
    half.draw(makeImage([255, 0, 0, 255], 1, 1), in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(half.pixel(0, 0) == [128, 0, 0, 128])
  }

  @Test func `an image of shades or a mask clips`() throws {
    let shades = try #require(
      CGImage(
        width: 2, height: 1, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 2, space: deviceGray, bitmapInfo: [],
        provider: CGDataProvider(data: Data([255, 51]) as CFData)!, decode: nil, shouldInterpolate: false, intent: .defaultIntent))
    let context = makeContext(3, 1)
    context.clip(to: CGRect(x: 0, y: 0, width: 2, height: 1), mask: shades)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 3, height: 1))
    #expect(context.rows == [255, 0, 0, 255, 51, 0, 0, 51, 0, 0, 0, 0])
    let mask = try #require(
      CGImage(
        maskWidth: 2, height: 1, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 2,
        provider: CGDataProvider(data: Data([255, 0]) as CFData)!, decode: nil, shouldInterpolate: false))
    let other = makeContext(2, 1)
    other.clip(to: CGRect(x: 0, y: 0, width: 2, height: 1), mask: mask)
    other.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    other.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
    #expect(other.rows == [0, 0, 0, 0, 255, 0, 0, 255])
  }

  @Test func `an image is masked`() throws {
    let mask = try #require(
      CGImage(
        maskWidth: 2, height: 1, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 2,
        provider: CGDataProvider(data: Data([255, 0]) as CFData)!, decode: nil, shouldInterpolate: false))
    let image = makeImage([255, 0, 0, 255, 0, 255, 0, 255], 2, 1)
    let masked = try #require(image.masking(mask))
    let context = makeContext(2, 1)
    context.draw(masked, in: CGRect(x: 0, y: 0, width: 2, height: 1))
    #expect(context.rows == [0, 0, 0, 0, 0, 255, 0, 255])
    #expect(image.masking(image) == nil)
  }

  @Test func `clearing makes transparent or black`() {
    let context = makeContext(2, 1, info: CGBitmapInfo(alpha: .noneSkipLast))
    context.setFillColor(gray: 1, alpha: 1)
    context.fill([CGRect(x: 0, y: 0, width: 1, height: 1), CGRect(x: 1, y: 0, width: 1, height: 1)])
    #expect(context.pixel(1, 0) == [255, 255, 255, 255])
    context.clear(CGRect(x: 1, y: 0, width: 1, height: 1))
    #expect(context.pixel(0, 0) == [255, 255, 255, 255] && Array(context.pixel(1, 0)[..<3]) == [0, 0, 0])
  }

  @Test func `ellipses are filled`() {
    let context = makeContext(10, 10)
    context.setFillColor(gray: 1, alpha: 1)
    context.fillEllipse(in: CGRect(x: 0, y: 0, width: 10, height: 10))
    #expect(context.pixel(5, 5) == [255, 255, 255, 255] && context.pixel(0, 0) == [0, 0, 0, 0] && context.pixel(0, 5)[3] > 200)
  }
}
