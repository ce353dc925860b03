import CoreGraphics
import Testing

/// Which bitmaps can be drawn to, and what their bytes mean.
struct ContextFormatTests {
  struct Format: Sendable, CustomTestStringConvertible {
    var space: String
    var bits: Int
    var info: UInt32
    /// The bytes of opaque orange: red 1, green 0.5, blue 0; or of its shade 0.5.
    var bytes: [UInt8]
    var testDescription: String { "\(space), \(bits) bits, \(String(info, radix: 16))" }

    var colorSpace: CGColorSpace? {
      switch space {
      case "gray": deviceGray
      case "cmyk": CGColorSpaceCreateDeviceCMYK()
      case "none": nil
      default: deviceRGB
      }
    }
  }

  static let half: [UInt8] = [0x38, 0x00]
  static let formats = [
    Format(space: "rgb", bits: 8, info: 1, bytes: [255, 128, 0, 255]), Format(space: "rgb", bits: 8, info: 2, bytes: [255, 255, 128, 0]),
    Format(space: "rgb", bits: 8, info: 5, bytes: [255, 128, 0, 255]), Format(space: "rgb", bits: 8, info: 6, bytes: [255, 255, 128, 0]),
    Format(space: "rgb", bits: 8, info: 0x2002, bytes: [0, 128, 255, 255]),
    Format(space: "rgb", bits: 8, info: 0x2006, bytes: [0, 128, 255, 255]),
    Format(space: "rgb", bits: 8, info: 0x2001, bytes: [255, 0, 128, 255]),
    Format(space: "rgb", bits: 8, info: 0x4001, bytes: [255, 128, 0, 255]),
    Format(space: "rgb", bits: 5, info: 6, bytes: [0x7E, 0x00]), Format(space: "rgb", bits: 5, info: 0x1006, bytes: [0x00, 0x7E]),
    Format(space: "rgb", bits: 16, info: 1, bytes: [255, 255, 128, 0, 0, 0, 255, 255]),
    Format(space: "rgb", bits: 16, info: 0x1005, bytes: [255, 255, 0, 128, 0, 0, 255, 255]),
    Format(space: "rgb", bits: 16, info: 0x1101, bytes: [0, 0x3C, 0, 0x38, 0, 0, 0, 0x3C]),
    Format(space: "rgb", bits: 32, info: 0x2101, bytes: [0, 0, 0x80, 0x3F, 0, 0, 0, 0x3F, 0, 0, 0, 0, 0, 0, 0x80, 0x3F]),
    Format(space: "rgb", bits: 32, info: 0x105, bytes: [0x3F, 0x80, 0, 0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0x3F, 0x80, 0, 0]),
    Format(space: "gray", bits: 8, info: 0, bytes: [128]), Format(space: "gray", bits: 16, info: 0x1000, bytes: [0, 128]),
    Format(space: "gray", bits: 32, info: 0x2100, bytes: [0, 0, 0, 0x3F]),
    Format(space: "gray", bits: 8, info: 7, bytes: [255]), Format(space: "none", bits: 8, info: 7, bytes: [255]),
    Format(space: "cmyk", bits: 8, info: 0, bytes: [0, 128, 255, 0]),
    Format(space: "cmyk", bits: 16, info: 0, bytes: [0, 0, 128, 0, 255, 255, 0, 0]),
    Format(space: "cmyk", bits: 32, info: 0x2100, bytes: [0, 0, 0, 0, 0, 0, 0, 0x3F, 0, 0, 0x80, 0x3F, 0, 0, 0, 0]),
  ]

  private static func color(_ format: Format) -> CGColor {
    format.space == "gray" ? CGColor(gray: 0.5, alpha: 1) : CGColor(red: 1, green: 0.5, blue: 0, alpha: 1)
  }

  /// Components agree up to rounding: the last bits of numbers may differ.
  private static func agree(_ bytes: [UInt8], _ format: Format) -> Bool {
    if bytes.count != format.bytes.count { return false }
    if format.bits == 8 || format.bits == 5 { return largestDifference(bytes, format.bytes) <= 1 }
    let size = format.bits / 8
    let isLittle = [0x1000, 0x2000].contains(format.info & 0x7000)
    func number(_ bytes: ArraySlice<UInt8>) -> Double {
      let bits = (isLittle ? Array(bytes.reversed()) : Array(bytes)).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if format.info & 0x100 == 0 { return Double(bits) / 65535 }
      return size == 4 ? Double(Float(bitPattern: bits)) : Double(Float16(bitPattern: UInt16(bits)))
    }
    return stride(from: 0, to: bytes.count, by: size).allSatisfy {
      abs(number(bytes[$0..<$0 + size]) - number(format.bytes[$0..<$0 + size])) < 1e-3
    }
  }

  @Test(arguments: formats) func `filled pixels have the format's bytes, and the image shows them`(_ format: Format) throws {
    let context = try #require(
      CGContext(
        data: nil, width: 3, height: 2, bitsPerComponent: format.bits, bytesPerRow: 0, space: format.colorSpace, bitmapInfo: format.info))
    context.setFillColor(Self.color(format))
    context.fill(CGRect(x: 1, y: 0, width: 1, height: 1))
    #expect(Self.agree(context.pixel(1, 1), format), "\(context.pixel(1, 1))")
    #expect(context.pixel(1, 0).allSatisfy { $0 == 0 } && context.pixel(0, 1).allSatisfy { $0 == 0 })
    #expect(context.bitsPerComponent == format.bits && context.bitmapInfo.rawValue == format.info)
    // The image, drawn to bytes.
    let image = try #require(context.makeImage())
    #expect(image.bitsPerPixel == format.bytes.count * 8 && image.bitmapInfo.rawValue == format.info)
    let shown = makeContext(3, 2)
    shown.draw(image, in: CGRect(x: 0, y: 0, width: 3, height: 2))
    let expected: [UInt8] =
      format.info & 7 == 7 ? [0, 0, 0, 255] : format.space == "gray" ? [128, 128, 128, 255] : [255, format.bits == 5 ? 132 : 128, 0, 255]
    #expect(largestDifference(shown.pixel(1, 1), expected) <= 1, "\(shown.pixel(1, 1))")
  }

  @Test(arguments: formats) func `translucent colours mix in every format`(_ format: Format) throws {
    let context = try #require(
      CGContext(
        data: nil, width: 1, height: 1, bitsPerComponent: format.bits, bytesPerRow: 0, space: format.colorSpace, bitmapInfo: format.info))
    context.setFillColor(Self.color(format))
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.setFillColor(CGColor(gray: 0, alpha: 0.5))
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    let shown = makeContext(1, 1)
    shown.draw(try #require(context.makeImage()), in: CGRect(x: 0, y: 0, width: 1, height: 1))
    let expected: [UInt8] =
      switch format.space {
      case "gray" where format.info & 7 == 7: [0, 0, 0, 255]
      case "none": [0, 0, 0, 255]
      case "gray": [64, 64, 64, 255]
      // Inks mix, not what they leave.
      case "cmyk": [128, 96, 64, 255]
      default: [128, 64, 0, 255]
      }
    #expect(largestDifference(shown.pixel(0, 0), expected) <= (format.bits == 5 ? 5 : 2), "\(shown.pixel(0, 0))")
  }

  @Test(
    arguments: [
      (8, 3), (8, 4), (8, 0), (8, 0x1001), (8, 0x101), (16, 2), (16, 6), (16, 3), (32, 1), (32, 0x102), (5, 5), (4, 1), (7, 1), (10, 1),
    ] as [(Int, UInt32)])
  func `other formats have no context`(_ bits: Int, _ info: UInt32) {
    #expect(CGContext(data: nil, width: 2, height: 2, bitsPerComponent: bits, bytesPerRow: 0, space: deviceRGB, bitmapInfo: info) == nil)
  }

  @Test func `impossible sizes and spaces have no context`() {
    func context(_ width: Int, _ height: Int, _ bytesPerRow: Int, _ space: CGColorSpace?) -> CGContext? {
      CGContext(data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: bytesPerRow, space: space, bitmapInfo: 1)
    }
    #expect(context(0, 1, 0, deviceRGB) == nil && context(1, -1, 0, deviceRGB) == nil)
    #expect(context(4, 1, 15, deviceRGB) == nil && context(.max, .max, 0, deviceRGB) == nil)
    #expect(context(1, 1, 0, nil) == nil)
    #expect(context(1, 1, 0, CGColorSpace(indexedBaseSpace: deviceRGB, lastIndex: 0, colorTable: [1, 2, 3])) == nil)
    let other = CGContext(
      data: nil, width: 2, height: 2, bitsPerComponent: 8, bytesPerRow: 0, space: deviceRGB, bitmapInfo: CGBitmapInfo(alpha: .noneSkipLast))
    #expect(other?.alphaInfo == .noneSkipLast)
  }

  @Test func `memory of the caller is drawn to and released`() {
    final class Flag { var isReleased = false }
    let flag = Flag()
    var memory = [UInt8](repeating: 1, count: 2 * 12)
    memory.withUnsafeMutableBytes { bytes in
      let context = CGContext(
        data: bytes.baseAddress, width: 2, height: 2, bitsPerComponent: 8, bytesPerRow: 12, space: deviceRGB, bitmapInfo: 1,
        releaseCallback: { info, _ in Unmanaged<Flag>.fromOpaque(info!).takeUnretainedValue().isReleased = true },
        releaseInfo: Unmanaged.passUnretained(flag).toOpaque())
      context?.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
      context?.fill(CGRect(x: 0, y: 1, width: 1, height: 1))
      #expect(context?.data == bytes.baseAddress && !flag.isReleased)
      #expect(context?.makeImage()?.dataProvider?.data?.length == 24)
    }
    #expect(flag.isReleased)
    #expect(Array(memory[..<12]) == [255, 0, 0, 255, 1, 1, 1, 1, 1, 1, 1, 1])
    #expect(memory[12...].allSatisfy { $0 == 1 })
  }

  @Test func `an image keeps what it shows when drawing goes on`() throws {
    let context = makeContext(2, 1)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
    let before = try #require(context.makeImage())
    let part = try #require(before.cropping(to: CGRect(x: 1, y: 0, width: 1, height: 1)))
    context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
    let after = try #require(context.makeImage())
    #expect(before.dataProvider?.data as Data? == Data([255, 0, 0, 255, 255, 0, 0, 255]))
    #expect((part.dataProvider?.data as Data?)?.prefix(4) == Data([255, 0, 0, 255]))
    #expect((after.dataProvider?.data as Data?)?.prefix(4) == Data([0, 255, 0, 255]))
    // Drawing a context's own image into it reads what was there before.
    context.draw(before, in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(context.rows == [255, 0, 0, 255, 0, 255, 0, 255])
    // Writes through the pointer do not reach images either.
    let last = try #require(context.makeImage())
    context.data?.storeBytes(of: 9, as: UInt8.self)
    #expect((last.dataProvider?.data as Data?)?.first == 255)
  }
}
