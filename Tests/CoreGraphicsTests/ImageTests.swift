import CoreGraphics
import Testing

struct ImageTests {
  static let sRGB = CGColorSpace(name: CGColorSpace.sRGB)!

  static func image(
    _ bytes: [UInt8], width: Int, height: Int, bits: Int = 8, bitsPerPixel: Int = 32, bytesPerRow: Int? = nil,
    space: CGColorSpace = sRGB, info: CGBitmapInfo = CGBitmapInfo(alpha: .noneSkipLast), decode: [CGFloat]? = nil
  ) -> CGImage? {
    CGImage(
      width: width, height: height, bitsPerComponent: bits, bitsPerPixel: bitsPerPixel,
      bytesPerRow: bytesPerRow ?? (width * bitsPerPixel + 7) / 8, space: space, bitmapInfo: info,
      provider: CGDataProvider(data: Data(bytes) as CFData)!, decode: decode, shouldInterpolate: true, intent: .defaultIntent)
  }

  @Test func `an image has the properties that it was made with`() throws {
    let decode: [CGFloat] = [1, 0, 0, 1, 0, 1]
    let image = try #require(
      Self.image([UInt8](repeating: 7, count: 40), width: 2, height: 3, bytesPerRow: 16, decode: decode))
    #expect(image.width == 2 && image.height == 3 && image.bytesPerRow == 16)
    #expect(image.bitsPerComponent == 8 && image.bitsPerPixel == 32)
    #expect(image.alphaInfo == .noneSkipLast && image.bitmapInfo.rawValue == 5 && image.byteOrderInfo == .orderDefault)
    #expect(image.colorSpace == Self.sRGB && image.colorSpace?.name == CGColorSpace.sRGB)
    #expect(image.dataProvider?.data as Data? == Data(repeating: 7, count: 40))
    #expect(Array(UnsafeBufferPointer(start: image.decode, count: 6)) == decode)
    #expect(image.shouldInterpolate && !image.isMask && image.renderingIntent == .defaultIntent)
    #expect(image.copy()?.dataProvider === image.dataProvider && image.copy() != image)
  }

  @Test func `impossible properties give no image`() {
    let bytes = [UInt8](repeating: 0, count: 64)
    #expect(Self.image(bytes, width: 0, height: 1) == nil)
    #expect(Self.image(bytes, width: 1, height: -1) == nil)
    #expect(Self.image(bytes, width: 5, height: 4) == nil, "too few bytes")
    #expect(Self.image(bytes, width: 2, height: 2, bytesPerRow: 7) == nil, "rows overlap")
    #expect(Self.image(bytes, width: Int.max / 2, height: 2, bytesPerRow: Int.max) == nil)
    #expect(Self.image(bytes, width: 2, height: 2, bits: 7) == nil)
    #expect(Self.image(bytes, width: 2, height: 2, bitsPerPixel: 24) == nil, "no place for what is skipped")
    #expect(Self.image(bytes, width: 2, height: 2, bits: 8, info: CGBitmapInfo(alpha: .none, component: .float)) == nil)
    #expect(Self.image(bytes, width: 2, height: 2, info: CGBitmapInfo(rawValue: 8)) == nil)
    #expect(Self.image(bytes, width: 4, height: 4) != nil)
  }

  @Test func `the last row needs no padding`() {
    #expect(Self.image([UInt8](repeating: 0, count: 16 + 8), width: 2, height: 2, bytesPerRow: 16) != nil)
    #expect(Self.image([UInt8](repeating: 0, count: 16 + 7), width: 2, height: 2, bytesPerRow: 16) == nil)
  }

  @Test func `a crop shares the memory and starts at its first pixel`() throws {
    let image = try #require(Self.image((0..<64).map { UInt8($0) }, width: 4, height: 4))
    let part = try #require(image.cropping(to: CGRect(x: 1, y: 2, width: 2, height: 1)))
    #expect(part.width == 2 && part.height == 1 && part.bytesPerRow == 16)
    #expect(part.dataProvider?.data as Data? == Data(36..<44))
    let wide = try #require(image.cropping(to: CGRect(x: 2.5, y: 2.5, width: 9, height: 9)))
    #expect(wide.width == 2 && wide.height == 2)
    #expect(image.cropping(to: CGRect(x: 4, y: 0, width: 1, height: 1)) == nil)
    #expect(image.cropping(to: .null) == nil)
    #expect(image.cropping(to: .infinite)?.width == 4)
  }

  @Test func `a crop within a byte moves the bits`() throws {
    let gray = CGColorSpaceCreateDeviceGray()
    let bits = try #require(
      Self.image([0b1011_0010, 0b0100_0000, 0xFF, 0x80], width: 10, height: 2, bits: 1, bitsPerPixel: 1, space: gray, info: []))
    let part = try #require(bits.cropping(to: CGRect(x: 3, y: 0, width: 7, height: 2)))
    #expect(part.bytesPerRow == 1)
    let data = try #require(part.dataProvider?.data as Data?)
    #expect(data[0] & 0xFE == 0b1001_0010 && data[1] & 0xFE == 0b1111_1100)
  }

  @Test func `a copy with another colour space keeps the numbers`() throws {
    let image = try #require(Self.image([1, 2, 3, 4], width: 1, height: 1))
    let copy = try #require(image.copy(colorSpace: CGColorSpace(name: CGColorSpace.displayP3)!))
    #expect(copy.colorSpace?.name == CGColorSpace.displayP3 && copy.dataProvider === image.dataProvider)
    #expect(image.copy(colorSpace: CGColorSpaceCreateDeviceGray()) == nil)
  }

  @Test func `memory of the caller is used in place and released once`() throws {
    final class Count { var released = 0 }
    let count = Count()
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
    memory.initialize(repeating: 9, count: 8)
    do {
      let provider = try #require(
        CGDataProvider(dataInfo: Unmanaged.passUnretained(count).toOpaque(), data: memory, size: 8) { info, data, size in
          Unmanaged<Count>.fromOpaque(info!).takeUnretainedValue().released += size
          data.assumingMemoryBound(to: UInt8.self).deallocate()
        })
      let image = CGImage(
        width: 2, height: 1, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 8, space: Self.sRGB,
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.last.rawValue), provider: provider, decode: nil, shouldInterpolate: false,
        intent: .defaultIntent)
      let part = image?.cropping(to: CGRect(x: 1, y: 0, width: 1, height: 1))
      memory[4] = 10
      #expect(part?.dataProvider?.data as Data? == Data([10, 9, 9, 9]))
      #expect(count.released == 0)
    }
    #expect(count.released == 8)
  }

  @Test func `a file provides its bytes`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data([1, 2, 3]).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(CGDataProvider(url: url as CFURL)?.data as Data? == Data([1, 2, 3]))
    #expect(CGDataProvider(url: url.appendingPathExtension("none") as CFURL) == nil)
  }
}
