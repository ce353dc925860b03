import CoreGraphics
import Testing

struct ColorTests {
  private static func differ(_ color: CGColor?, _ expected: [CGFloat]) -> CGFloat {
    guard let components = color?.components, components.count == expected.count else { return .infinity }
    return zip(components, expected).map { abs($0 - $1) }.max() ?? 0
  }

  @Test func `a colour has the components that it was made of`() {
    let color = CGColor(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4)
    #expect(color.components == [0.1, 0.2, 0.3, 0.4] && color.alpha == 0.4 && color.numberOfComponents == 4)
    #expect(color.colorSpace == deviceRGB)
    #expect(CGColor(gray: 0.5, alpha: 1).colorSpace == deviceGray)
    #expect(CGColor(srgbRed: 1, green: 0, blue: 0, alpha: 1).colorSpace?.name == CGColorSpace.sRGB)
    #expect(CGColor(genericCMYKCyan: 1, magenta: 0, yellow: 0, black: 0, alpha: 1).colorSpace?.model == .cmyk)
    #expect(CGColor(colorSpace: deviceRGB, components: [0.1, 0.2, 0.3, 0.4]) == color)
    #expect(color.copy(alpha: 1)?.components == [0.1, 0.2, 0.3, 1] && color.copy() == color)
    #expect(CGColor.black.components == [0, 1] && CGColor.white.components == [1, 1] && CGColor.clear.alpha == 0)
    let palette = CGColorSpace(indexedBaseSpace: deviceRGB, lastIndex: 0, colorTable: [1, 2, 3])!
    #expect(CGColor(colorSpace: palette, components: [0, 1]) == nil)
  }

  @Test func `colours are converted between spaces`() throws {
    let p3 = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    // What Little CMS gives for the profiles of both spaces.
    let red = CGColor(srgbRed: 1, green: 0, blue: 0, alpha: 0.5).converted(to: p3, intent: .defaultIntent, options: nil)
    #expect(Self.differ(red, [0.9175, 0.2003, 0.1386, 0.5]) < 2e-3)
    #expect(red?.colorSpace == p3)
    let gray = CGColor(red: 0.25, green: 0.25, blue: 0.25, alpha: 1).converted(to: deviceGray, intent: .defaultIntent, options: nil)
    #expect(Self.differ(gray, [0.25, 1]) < 1e-3)
    let linear = CGColor(gray: 0.5, alpha: 1).converted(
      to: CGColorSpace(name: CGColorSpace.linearSRGB)!, intent: .relativeColorimetric, options: nil)
    #expect(Self.differ(linear, [0.21404, 0.21404, 0.21404, 1]) < 1e-3)
    let inks = CGColor(red: 1, green: 0.5, blue: 0, alpha: 1).converted(
      to: CGColorSpaceCreateDeviceCMYK(), intent: .defaultIntent, options: nil)
    #expect(Self.differ(inks, [0, 0.5, 1, 0, 1]) < 1e-3)
  }

  @Test func `a space is made from the profile of another one`() throws {
    for name in [CGColorSpace.sRGB, CGColorSpace.displayP3, CGColorSpace.adobeRGB1998, CGColorSpace.genericGrayGamma2_2] {
      let space = try #require(CGColorSpace(name: name))
      let profile = try #require(space.copyICCData())
      let read = try #require(CGColorSpace(iccData: profile))
      #expect(read.numberOfComponents == space.numberOfComponents && read.name == nil)
      #expect(read.copyICCData() == profile && read == CGColorSpace(iccData: profile))
      let components = [CGFloat](repeating: 0.3, count: space.numberOfComponents) + [1]
      let color = CGColor(colorSpace: read, components: components)?.converted(to: space, intent: .defaultIntent, options: nil)
      #expect(Self.differ(color, components) < 1e-3)
    }
    #expect(CGColorSpace(iccData: Data([1, 2, 3]) as CFData) == nil)
    #expect(CGColorSpaceCreateDeviceCMYK().copyICCData() == nil)
  }

  @Test func `spaces have linear and extended variants`() throws {
    let p3 = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    #expect(CGColorSpaceCreateLinearized(p3)?.name == CGColorSpace.linearDisplayP3)
    #expect(CGColorSpaceCreateExtended(p3)?.name == CGColorSpace.extendedDisplayP3)
    #expect(CGColorSpaceCreateExtendedLinearized(p3).map(CGColorSpaceUsesExtendedRange) == true)
    #expect(CGColorSpaceCreateExtended(CGColorSpaceCreateDeviceCMYK()) == nil)
  }
}
