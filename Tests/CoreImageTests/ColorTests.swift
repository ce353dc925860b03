import CoreImage
import Testing

struct ColorTests {
  private let context = CIContext()
  private let pixel = CGRect(x: 0, y: 0, width: 1, height: 1)

  @Test func `colours are mixed as amounts of light`() throws {
    let image = CIImage(cgImage: Pictures.image([200, 100, 50, 255], 1, 1))
    let numbers = Pictures.floats(image, pixel)
    for (channel, byte) in [UInt8(200), 100, 50].enumerated() { #expect(abs(Double(numbers[channel]) - Pictures.linear(byte)) < 1e-4) }
    // Half white over black: half the light.
    let half = CIImage(color: CIColor(red: 1, green: 1, blue: 1, alpha: 0.5)).composited(over: CIImage(color: .black)).cropped(to: pixel)
    #expect(half.extent == pixel)
    let made = Pictures.bytes(of: try #require(context.createCGImage(half, from: pixel)))
    #expect(abs(Double(made[0]) - 255 * Pictures.encoded(0.5)) <= 1)
    #expect(context.workingColorSpace?.name == CGColorSpace.extendedLinearSRGB)
    #expect(context.workingFormat == .RGBAf)
  }

  @Test func `without a working space numbers are mixed`() throws {
    let plain = CIContext(options: [.workingColorSpace: NSNull(), .useSoftwareRenderer: true])
    #expect(plain.workingColorSpace == nil)
    let half = CIImage(color: CIColor(red: 1, green: 1, blue: 1, alpha: 0.5)).composited(over: CIImage(color: .black))
    let made = Pictures.bytes(of: try #require(plain.createCGImage(half, from: pixel)))
    #expect(abs(Int(made[0]) - 128) <= 1)
    let image = CIImage(cgImage: Pictures.image([200, 100, 50, 255], 1, 1))
    #expect(abs(Pictures.floats(image, pixel, plain)[0] - 200 / 255) < 1e-5)
  }

  @Test func `an image of another space is converted`() throws {
    let p3 = CGColorSpace(name: CGColorSpace.displayP3)!
    let image = CIImage(cgImage: Pictures.image([255, 0, 0, 255], 1, 1, space: p3))
    #expect(image.colorSpace == p3)
    // Pure red of Display P3 in linear sRGB, from the chromaticities of both (CSS Color 4, sample code for matrices).
    let numbers = Pictures.floats(image, pixel)
    for (channel, expected) in [1.2249401762805598, -0.042056954709688163, -0.019637554590334432].enumerated() {
      #expect(abs(Double(numbers[channel]) - expected) < 2e-3)
    }
    let same = try #require(context.createCGImage(image, from: pixel, format: .RGBA8, colorSpace: p3))
    #expect(same.colorSpace == p3)
    #expect(Pictures.bytes(of: same) == [255, 0, 0, 255])
    let taken = CIImage(cgImage: Pictures.image([255, 0, 0, 255], 1, 1), options: [.colorSpace: p3])
    #expect(Pictures.floats(taken, pixel) == numbers)
    let raw = CIImage(cgImage: Pictures.image([128, 0, 0, 255], 1, 1), options: [.colorSpace: NSNull()])
    #expect(raw.colorSpace == nil)
    #expect(abs(Pictures.floats(raw, pixel)[0] - 128 / 255) < 1e-5)
  }

  @Test func `an output space of the context is that of its images`() throws {
    let p3 = CGColorSpace(name: CGColorSpace.displayP3)!
    let wide = CIContext(options: [.outputColorSpace: p3])
    let made = try #require(wide.createCGImage(CIImage(color: .red), from: pixel))
    #expect(made.colorSpace == p3)
    // sRGB's red in Display P3, encoded.
    #expect(Pictures.bytes(of: made).prefix(3).map(Int.init).elementsEqual([234, 51, 35]) { abs($0 - $1) <= 1 })
  }

  @Test func `numbers are converted to and from the working space`() throws {
    let sRGB = Pictures.sRGB
    let image = CIImage(cgImage: Pictures.image([200, 100, 50, 255], 1, 1))
    let encoded = try #require(image.matchedFromWorkingSpace(to: sRGB))
    #expect(abs(Pictures.floats(encoded, pixel)[0] - 200 / 255) < 1e-3)
    let back = try #require(encoded.matchedToWorkingSpace(from: sRGB))
    #expect(abs(Double(Pictures.floats(back, pixel)[0]) - Pictures.linear(200)) < 1e-3)
    #expect(image.matchedToWorkingSpace(from: CGColorSpaceCreateDeviceCMYK()) == nil)
    #expect(image.matchedFromWorkingSpace(to: CGColorSpaceCreateDeviceGray()) == nil)
  }

  @Test func `alpha is multiplied, divided and set`() {
    let image = CIImage(color: CIColor(red: 1, green: 0, blue: 0, alpha: 0.5)).cropped(to: pixel)
    #expect(Pictures.floats(image, pixel)[0] == 0.5)
    // Results are divided by alpha when they are premultiplied in the output.
    let more = Pictures.floats(image.premultiplyingAlpha(), pixel)
    #expect(abs(more[0] - 0.25) < 1e-6 && more[3] == 0.5)
    let less = Pictures.floats(image.premultiplyingAlpha().unpremultiplyingAlpha(), pixel)
    #expect(abs(less[0] - 0.5) < 1e-6)
    let opaque = Pictures.floats(
      image.settingAlphaOne(in: CGRect(x: 0, y: 0, width: 2, height: 1)), CGRect(x: 0, y: 0, width: 3, height: 1))
    #expect(Pictures.areNear(opaque, [0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]))
  }

  @Test func `colours have components`() throws {
    let color = CIColor(red: 0.25, green: 0.5, blue: 0.75)
    #expect((color.red, color.green, color.blue, color.alpha) == (0.25, 0.5, 0.75, 1))
    #expect(color.numberOfComponents == 4 && color.components[2] == 0.75)
    #expect(CIColor(string: color.stringRepresentation) == color)
    #expect(CIColor(string: "1 0.5").alpha == 1)
    #expect(CIColor(cgColor: CGColor(gray: 1, alpha: 0.5)).red == 1)
    #expect(CIColor(cgColor: CGColor(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4)).blue == 0.3)
    #expect(CIColor(red: 1, green: 0, blue: 0, colorSpace: CGColorSpace(name: CGColorSpace.displayP3)!)?.alpha == 1)
    #expect(CIColor(red: 1, green: 0, blue: 0, alpha: 1, colorSpace: CGColorSpaceCreateDeviceGray()) == nil)
    #expect(CIColor.clear.alpha == 0 && CIColor.white.green == 1)
    #expect(Pictures.areNear(Pictures.floats(.green.cropped(to: pixel), pixel), [0, 1, 0, 1]))
  }

  @Test func `vectors are lists of numbers`() {
    #expect(CIVector(x: 1, y: 2, z: 3, w: 4).stringRepresentation == "[1.0 2.0 3.0 4.0]")
    #expect(CIVector(string: "[1 2 3]") == CIVector(x: 1, y: 2, z: 3))
    #expect(CIVector(cgPoint: CGPoint(x: 3, y: 4)).cgPointValue == CGPoint(x: 3, y: 4))
    #expect(CIVector(cgRect: CGRect(x: 1, y: 2, width: 3, height: 4)).cgRectValue == CGRect(x: 1, y: 2, width: 3, height: 4))
    #expect(CIVector(x: 5).count == 1 && CIVector(x: 5).y == 0 && CIVector(x: 5).value(at: 9) == 0)
    let map = CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
    #expect(CIVector(cgAffineTransform: map).cgAffineTransformValue == map)
    #expect(CIVector(values: [7, 8], count: 2).y == 8)
  }
}
