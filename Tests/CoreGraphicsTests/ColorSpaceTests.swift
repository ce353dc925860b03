import CoreGraphics
import Testing

struct ColorSpaceTests {
  @Test func `named and device spaces have a model and a number of components`() throws {
    #expect(CGColorSpaceCreateDeviceRGB().model == .rgb && CGColorSpaceCreateDeviceRGB().numberOfComponents == 3)
    #expect(CGColorSpaceCreateDeviceGray().model == .monochrome && CGColorSpaceCreateDeviceGray().numberOfComponents == 1)
    #expect(CGColorSpaceCreateDeviceCMYK().model == .cmyk && CGColorSpaceCreateDeviceCMYK().numberOfComponents == 4)
    for name in [CGColorSpace.sRGB, CGColorSpace.linearSRGB, CGColorSpace.displayP3, CGColorSpace.extendedSRGB, CGColorSpace.itur_2020] {
      let space = try #require(CGColorSpace(name: name))
      #expect(space.model == .rgb && space.name == name && space.supportsOutput)
    }
    #expect(CGColorSpace(name: CGColorSpace.genericGrayGamma2_2)?.model == .monochrome)
    #expect(CGColorSpace(name: "kCGColorSpaceOfNobody" as CFString) == nil)
    #expect(CGColorSpaceUsesExtendedRange(CGColorSpace(name: CGColorSpace.extendedLinearSRGB)!))
    #expect(CGColorSpace(name: CGColorSpace.displayP3)!.isWideGamutRGB && !CGColorSpace(name: CGColorSpace.sRGB)!.isWideGamutRGB)
  }

  @Test func `spaces are equal if they were made from the same`() {
    #expect(CGColorSpace(name: CGColorSpace.sRGB) == CGColorSpace(name: CGColorSpace.sRGB))
    #expect(CGColorSpace(name: CGColorSpace.sRGB) != CGColorSpace(name: CGColorSpace.displayP3))
    #expect(CGColorSpaceCreateDeviceRGB() == CGColorSpaceCreateDeviceRGB())
    #expect(CGColorSpaceCreateDeviceRGB() != CGColorSpace(name: CGColorSpace.sRGB))
  }

  @Test func `a palette has a base space and a table`() throws {
    let table: [UInt8] = [255, 0, 0, 0, 255, 0]
    let space = try #require(CGColorSpace(indexedBaseSpace: CGColorSpaceCreateDeviceRGB(), lastIndex: 1, colorTable: table))
    #expect(space.model == .indexed && space.numberOfComponents == 1 && !space.supportsOutput)
    #expect(space.baseColorSpace == CGColorSpaceCreateDeviceRGB() && space.colorTable == table)
    #expect(CGColorSpace(indexedBaseSpace: space, lastIndex: 0, colorTable: [0]) == nil)
    let large = [UInt8](repeating: 0, count: 257)
    #expect(CGColorSpace(indexedBaseSpace: CGColorSpaceCreateDeviceGray(), lastIndex: 256, colorTable: large) == nil)
  }
}
