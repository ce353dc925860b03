import CoreGraphics
import Testing

/// Images of every format, as drawing them shows.
struct ImageFormatTests {
  /// The pixels of an image as red, green, blue and alpha, multiplied by alpha.
  private func shown(
    _ bytes: [UInt8], width: Int = 1, bits: Int = 8, bitsPerPixel: Int, space: CGColorSpace = deviceRGB, info: UInt32,
    decode: [CGFloat]? = nil
  ) throws -> [UInt8] {
    let image = try #require(
      CGImage(
        width: width, height: 1, bitsPerComponent: bits, bitsPerPixel: bitsPerPixel, bytesPerRow: bytes.count, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: info), provider: CGDataProvider(data: Data(bytes) as CFData)!, decode: decode,
        shouldInterpolate: true, intent: .defaultIntent))
    let context = makeContext(width, 1)
    context.draw(image, in: CGRect(x: 0, y: 0, width: width, height: 1))
    // The same through numbers.
    let numbers = CGContext(
      data: nil, width: width, height: 1, bitsPerComponent: 32, bytesPerRow: 0, space: deviceRGB, bitmapInfo: 0x2101)!
    numbers.draw(image, in: CGRect(x: 0, y: 0, width: width, height: 1))
    let rows = numbers.rows.withUnsafeBytes { $0.bindMemory(to: Float.self).map { UInt8(min(max($0, 0), 1) * 255 + 0.5) } }
    #expect(largestDifference(context.rows, rows) <= 1, "\(context.rows) \(rows)")
    return context.rows
  }

  @Test func `alpha comes first or last, multiplied or not, or is skipped`() throws {
    #expect(try shown([200, 100, 50, 128], bitsPerPixel: 32, info: 3) == [100, 50, 25, 128])
    #expect(try shown([128, 200, 100, 50], bitsPerPixel: 32, info: 4) == [100, 50, 25, 128])
    #expect(try shown([100, 50, 25, 128], bitsPerPixel: 32, info: 1) == [100, 50, 25, 128])
    #expect(try shown([128, 100, 50, 25], bitsPerPixel: 32, info: 2) == [100, 50, 25, 128])
    #expect(try shown([200, 100, 50, 7], bitsPerPixel: 32, info: 5) == [200, 100, 50, 255])
    #expect(try shown([7, 200, 100, 50], bitsPerPixel: 32, info: 6) == [200, 100, 50, 255])
    #expect(try shown([200, 100, 50], bitsPerPixel: 24, info: 0) == [200, 100, 50, 255])
    #expect(try shown([128], bitsPerPixel: 8, space: deviceGray, info: 7) == [0, 0, 0, 128])
    #expect(try shown([200, 128], bitsPerPixel: 16, space: deviceGray, info: 3) == [100, 100, 100, 128])
  }

  @Test func `bytes of a unit may come in the opposite order`() throws {
    #expect(try shown([50, 100, 200, 128], bitsPerPixel: 32, info: 0x2004) == [100, 50, 25, 128])
    #expect(try shown([25, 50, 100, 128], bitsPerPixel: 32, info: 0x2002) == [100, 50, 25, 128])
    #expect(try shown([128, 25, 50, 100], bitsPerPixel: 32, info: 0x2001) == [100, 50, 25, 128])
    #expect(try shown([200, 100, 50, 7], bitsPerPixel: 32, info: 0x4005) == [200, 100, 50, 255])
  }

  @Test func `components have 1 to 32 bits`() throws {
    #expect(
      try shown([0b1010_0000], width: 3, bits: 1, bitsPerPixel: 1, space: deviceGray, info: 0) == [
        255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255,
      ])
    #expect(
      try shown([0b0001_1011], width: 4, bits: 2, bitsPerPixel: 2, space: deviceGray, info: 0).filter { $0 != 255 } == [
        0, 0, 0, 85, 85, 85, 170, 170, 170,
      ])
    #expect(try shown([0x4A], width: 2, bits: 4, bitsPerPixel: 4, space: deviceGray, info: 0) == [68, 68, 68, 255, 170, 170, 170, 255])
    #expect(try shown([0x4A, 0xF0], bits: 4, bitsPerPixel: 16, info: 5) == [68, 170, 255, 255])
    #expect(try shown([0x48, 0x9F], bits: 5, bitsPerPixel: 16, info: 6) == [148, 33, 255, 255])
    #expect(try shown([200, 0, 100, 0, 50, 0], bits: 16, bitsPerPixel: 48, info: 0) == [199, 100, 50, 255])
    #expect(try shown([0, 200, 0, 100, 0, 50], bits: 16, bitsPerPixel: 48, info: 0x1000) == [199, 100, 50, 255])
    let numbers: [Float] = [1, 0.5, 0.25, 0.5]
    let little = numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) } }
    #expect(try shown(little, bits: 32, bitsPerPixel: 128, info: 0x2103) == [128, 64, 32, 128])
    let big = numbers.flatMap { number in (0..<4).reversed().map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) } }
    #expect(try shown(big, bits: 32, bitsPerPixel: 128, info: 0x103) == [128, 64, 32, 128])
    let halves = numbers.flatMap { number in (0..<2).map { UInt8(truncatingIfNeeded: Float16(number).bitPattern >> (8 * $0)) } }
    #expect(try shown(halves, bits: 16, bitsPerPixel: 64, info: 0x1105) == [255, 128, 64, 255])
  }

  @Test func `palettes have colours, and indices beyond them the last one`() throws {
    let space = try #require(CGColorSpace(indexedBaseSpace: deviceRGB, lastIndex: 2, colorTable: [9, 8, 7, 10, 20, 30, 255, 0, 0]))
    #expect(
      try shown([0, 1, 2, 200], width: 4, bitsPerPixel: 8, space: space, info: 0) == [
        9, 8, 7, 255, 10, 20, 30, 255, 255, 0, 0, 255, 255, 0, 0, 255,
      ])
    #expect(try shown([0b0110_0000], width: 2, bits: 2, bitsPerPixel: 2, space: space, info: 0) == [10, 20, 30, 255, 255, 0, 0, 255])
    // A decode array maps numbers to indices.
    #expect(try shown([255, 0], width: 2, bitsPerPixel: 8, space: space, info: 0, decode: [2, 0]) == [9, 8, 7, 255, 255, 0, 0, 255])
  }

  @Test func `inks and profiles become the context's colours`() throws {
    #expect(try shown([0, 128, 255, 0], bitsPerPixel: 32, space: CGColorSpaceCreateDeviceCMYK(), info: 0) == [255, 127, 0, 255])
    let p3 = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    let green = try shown([100, 200, 100], bitsPerPixel: 24, space: p3, info: 0)
    // Little CMS gives 45, 203, 86.
    #expect(largestDifference(green, [45, 203, 86, 255]) <= 1, "\(green)")
    let read = try #require(CGColorSpace(iccData: p3.copyICCData()!))
    #expect(largestDifference(try shown([100, 200, 100], bitsPerPixel: 24, space: read, info: 0), green) <= 1)
    #expect(largestDifference(try shown([100, 200, 100, 255], bitsPerPixel: 32, space: p3, info: 1), green) <= 1)
  }

  @Test func `decode arrays change the range of components`() throws {
    #expect(try shown([200, 100, 50], bitsPerPixel: 24, info: 0, decode: [1, 0, 0, 1, 0, 0.5]) == [55, 100, 25, 255])
    #expect(
      try shown([200, 55], width: 2, bitsPerPixel: 8, space: deviceGray, info: 0, decode: [1, 0]) == [55, 55, 55, 255, 200, 200, 200, 255])
    #expect(try shown([200, 100, 50, 128], bitsPerPixel: 32, info: 3, decode: [1, 0, 0, 1, 0, 1]) == [28, 50, 25, 128])
  }

  @Test func `an image mask paints the fill colour`() throws {
    let mask = try #require(
      CGImage(
        maskWidth: 3, height: 1, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 3,
        provider: CGDataProvider(data: Data([0, 127, 255]) as CFData)!, decode: nil, shouldInterpolate: false))
    #expect(mask.isMask && mask.colorSpace == nil)
    let context = makeContext(3, 1)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.draw(mask, in: CGRect(x: 0, y: 0, width: 3, height: 1))
    #expect(context.rows == [255, 0, 0, 255, 128, 0, 0, 128, 0, 0, 0, 0])
  }
}
