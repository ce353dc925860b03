import CoreImage
import Testing

struct ContextTests {
  private let context = CIContext()

  @Test func `images have the format that is asked for`() throws {
    let image = CIImage(cgImage: Pictures.image(3, 2))
    let deep = try #require(context.createCGImage(image, from: image.extent, format: .RGBA16, colorSpace: Pictures.sRGB))
    #expect(deep.bitsPerComponent == 16 && deep.bitsPerPixel == 64)
    let float = try #require(context.createCGImage(image, from: image.extent, format: .RGBAf, colorSpace: nil))
    #expect(float.bitmapInfo.contains(.floatComponents))
    let shades = try #require(context.createCGImage(image, from: image.extent, format: .L8, colorSpace: CGColorSpaceCreateDeviceGray()))
    #expect(shades.bitsPerPixel == 8 && shades.colorSpace?.model == .monochrome)
    #expect(context.createCGImage(image, from: image.extent, format: .L8, colorSpace: Pictures.sRGB) == nil)
    #expect(context.createCGImage(image, from: image.extent, format: .RGBA8, colorSpace: CGColorSpaceCreateDeviceGray()) == nil)
    #expect(context.createCGImage(image, from: image.extent, format: CIFormat(rawValue: 1), colorSpace: Pictures.sRGB) == nil)
    let late = try #require(
      context.createCGImage(image, from: image.extent, format: .RGBA8, colorSpace: Pictures.sRGB, deferred: true))
    #expect(Pictures.bytes(of: late) == Pictures.bytes(3, 2))
  }

  @Test func `files hold the pixels`() throws {
    let image = CIImage(cgImage: Pictures.image(16, 8))
    let png = try #require(context.pngRepresentation(of: image, format: .RGBA8, colorSpace: Pictures.sRGB))
    let read = try #require(CIImage(data: png))
    #expect(read.extent == image.extent)
    #expect(read.properties[kCGImagePropertyPixelWidth as String] as? Int == 16)
    #expect(Pictures.bytes(of: context.createCGImage(read, from: read.extent)!) == Pictures.bytes(16, 8))
    let smooth = CIImage(color: CIColor(red: 0.2, green: 0.6, blue: 0.4)).cropped(to: CGRect(x: 0, y: 0, width: 24, height: 16))
    let quality = CIImageRepresentationOption(rawValue: kCGImageDestinationLossyCompressionQuality as String)
    let jpeg = try #require(context.jpegRepresentation(of: smooth, colorSpace: Pictures.sRGB, options: [quality: 0.9]))
    #expect(jpeg.starts(with: [0xFF, 0xD8]))
    let decoded = Pictures.bytes(of: context.createCGImage(CIImage(data: jpeg)!, from: smooth.extent)!)
    for (channel, expected) in [51, 153, 102].enumerated() { #expect(abs(Int(decoded[channel]) - expected) <= 3) }
    #expect(context.heifRepresentation(of: image, format: .RGBA8, colorSpace: Pictures.sRGB) == nil)
    #expect(context.tiffRepresentation(of: image, format: .RGBA8, colorSpace: Pictures.sRGB) == nil)
    #expect(context.pngRepresentation(of: CIImage(color: .red), format: .RGBA8, colorSpace: Pictures.sRGB) == nil)
  }

  @Test func `files are written to URLs`() throws {
    let image = CIImage(cgImage: Pictures.image(4, 4))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (png, jpeg) = (folder.appendingPathComponent("a.png"), folder.appendingPathComponent("a.jpg"))
    try context.writePNGRepresentation(of: image, to: png, format: .RGBA8, colorSpace: Pictures.sRGB)
    try context.writeJPEGRepresentation(of: image, to: jpeg, colorSpace: Pictures.sRGB)
    let read = try #require(CIImage(contentsOf: png))
    #expect(read.url == png && read.extent == image.extent)
    #expect(CIImage(contentsOf: jpeg)?.extent == image.extent)
    #expect(CIImage(contentsOf: folder.appendingPathComponent("none.png")) == nil)
    #expect(throws: CocoaError.self) {
      try context.writeHEIFRepresentation(of: image, to: png, format: .RGBA8, colorSpace: Pictures.sRGB)
    }
    #expect(throws: CocoaError.self) {
      try context.writePNGRepresentation(of: .empty(), to: png, format: .RGBA8, colorSpace: Pictures.sRGB)
    }
    #expect(CIImage(data: Data([1, 2, 3])) == nil)
  }

  @Test func `the orientation of a file turns the image only on request`() throws {
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, "public.png" as CFString, 1, nil))
    CGImageDestinationAddImage(destination, Pictures.image(6, 4), [kCGImagePropertyOrientation: 6] as CFDictionary)
    #expect(CGImageDestinationFinalize(destination))
    let stored = try #require(CIImage(data: data as Data))
    #expect(stored.extent == CGRect(x: 0, y: 0, width: 6, height: 4))
    let upright = try #require(CIImage(data: data as Data, options: [.applyOrientationProperty: true]))
    #expect(upright.extent == CGRect(x: 0, y: 0, width: 4, height: 6))
    let turned = stored.oriented(.right)
    #expect(
      Pictures.bytes(of: context.createCGImage(upright, from: upright.extent)!)
        == Pictures.bytes(of: context.createCGImage(turned, from: turned.extent)!))
    let given = CIImage(
      cgImage: Pictures.image(6, 4), options: [.applyOrientationProperty: true, .properties: [kCGImagePropertyOrientation as String: 8]])
    #expect(given.extent.width == 4 && given.properties.count == 1)
    #expect(stored.settingProperties(["a": 1]).properties["a"] as? Int == 1)
  }

  @Test func `a bitmap is an image`() {
    let bytes = Pictures.bytes(5, 4)
    let image = CIImage(
      bitmapData: Data(bytes), bytesPerRow: 20, size: CGSize(width: 5, height: 4), format: .RGBA8, colorSpace: Pictures.sRGB)
    #expect(Pictures.bytes(of: context.createCGImage(image, from: image.extent)!) == bytes)
    let short = CIImage(
      bitmapData: Data(bytes), bytesPerRow: 20, size: CGSize(width: 5, height: 400), format: .RGBA8, colorSpace: Pictures.sRGB)
    #expect(short.extent.isEmpty)
  }

  @Test func `an image is drawn into a bitmap context`() throws {
    let bitmap = try #require(
      CGContext(
        data: nil, width: 4, height: 3, bitsPerComponent: 8, bytesPerRow: 16, space: Pictures.sRGB,
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    let rect = CGRect(x: 0, y: 0, width: 4, height: 3)
    CIContext(cgContext: bitmap, options: nil).draw(CIImage(cgImage: Pictures.image(4, 3)), in: rect, from: rect)
    #expect(Pictures.bytes(of: bitmap.makeImage()!) == Pictures.bytes(4, 3))
  }

  @Test func `threads share images and contexts`() async {
    let image = CIImage(cgImage: Pictures.image(300, 200)).transformed(by: CGAffineTransform(scaleX: 0.37, y: 0.61)).oriented(.left)
    let expected = Pictures.bytes(of: context.createCGImage(image, from: image.extent)!)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { [context] in Pictures.bytes(of: context.createCGImage(image, from: image.extent)!) == expected }
      }
      for await isSame in group { #expect(isSame) }
    }
  }

  @Test func `tiles leave no seams`() {
    // Larger than a tile, by the blur's own formula on a ramp, which a blur leaves as it is.
    let width = 700
    var bytes: [UInt8] = []
    for _ in 0..<3 { for column in 0..<width { bytes += [UInt8(column * 255 / width), 0, 0, 255] } }
    let plain = CIContext(options: [.workingColorSpace: NSNull()])
    let image = CIImage(cgImage: Pictures.image(bytes, width, 3)).clampedToExtent().applyingGaussianBlur(sigma: 4)
    let numbers = Pictures.floats(image, CGRect(x: 0, y: 0, width: width, height: 1), plain)
    for column in 20..<width - 20 { #expect(abs(Double(numbers[4 * column]) - Double(column) / Double(width)) < 2.5 / 255) }
    // Parts give the numbers of the whole.
    let part = Pictures.floats(image, CGRect(x: 250, y: 0, width: 17, height: 1), plain)
    #expect(part == Array(numbers[4 * 250..<4 * 267]))
  }
}
