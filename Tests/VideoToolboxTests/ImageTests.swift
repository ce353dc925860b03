import Testing
import VideoToolbox

struct ImageTests {
  private func buffer(_ width: Int, _ height: Int, _ format: OSType, _ planes: [[UInt8]]) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    #expect(CVPixelBufferCreate(nil, width, height, format, nil, &made) == kCVReturnSuccess)
    let buffer = try #require(made)
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    for (plane, bytes) in planes.enumerated() {
      let rows = CVPixelBufferGetHeightOfPlane(buffer, plane)
      let count = bytes.count / rows
      let base = CVPixelBufferGetBaseAddressOfPlane(buffer, plane)!.assumingMemoryBound(to: UInt8.self)
      let rowBytes = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
      for row in 0..<rows { for byte in 0..<count { base[row * rowBytes + byte] = bytes[row * count + byte] } }
    }
    return buffer
  }

  private func image(_ buffer: CVPixelBuffer) throws -> CGImage {
    var image: CGImage?
    #expect(VTCreateCGImageFromCVPixelBuffer(buffer, options: nil, imageOut: &image) == noErr)
    return try #require(image)
  }

  /// Red, green and blue of the pixels, 0…1, in the image's own space.
  private func colors(_ image: CGImage) throws -> [[Double]] {
    let context = try #require(
      CGContext(
        data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 0,
        space: image.colorSpace?.model == .rgb ? image.colorSpace! : CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
    let bytes = context.data!.assumingMemoryBound(to: UInt8.self)
    return (0..<image.width * image.height).map { index in
      let place = index / image.width * context.bytesPerRow + index % image.width * 4
      return (0..<3).map { Double(bytes[place + $0]) / 255 }
    }
  }

  @Test func `interleaved formats give the same colours`() throws {
    // The same two pixels, red-ish and blue-ish, in every order.
    let formats: [(OSType, [UInt8])] = [
      (kCVPixelFormatType_32BGRA, [30, 20, 200, 255, 240, 7, 9, 255]), (kCVPixelFormatType_32RGBA, [200, 20, 30, 255, 9, 7, 240, 255]),
      (kCVPixelFormatType_32ARGB, [255, 200, 20, 30, 255, 9, 7, 240]), (kCVPixelFormatType_32ABGR, [255, 30, 20, 200, 255, 240, 7, 9]),
      (kCVPixelFormatType_24RGB, [200, 20, 30, 9, 7, 240]), (kCVPixelFormatType_24BGR, [30, 20, 200, 240, 7, 9]),
    ]
    for (format, bytes) in formats {
      let colors = try colors(image(buffer(2, 1, format, [bytes])))
      #expect(colors.map { $0.map { ($0 * 255).rounded() } } == [[200, 20, 30], [9, 7, 240]])
    }
  }

  @Test func `one component is a shade`() throws {
    let made = try image(buffer(2, 1, kCVPixelFormatType_OneComponent8, [[0, 100]]))
    #expect(made.colorSpace?.model == .monochrome)
    #expect(try colors(made)[1].allSatisfy { abs($0 * 255 - 100) < 0.5 })
  }

  @Test func `the attachment of a matrix decides what luma and chroma are`() throws {
    let matrices: [(CFString?, Double, Double)] = [
      (nil, 0.299, 0.114), (kCVImageBufferYCbCrMatrix_ITU_R_601_4, 0.299, 0.114), (kCVImageBufferYCbCrMatrix_ITU_R_709_2, 0.2126, 0.0722),
      (kCVImageBufferYCbCrMatrix_ITU_R_2020, 0.2627, 0.0593),
    ]
    for (matrix, red, blue) in matrices {
      // 100, 90 and 160 in every format, of full and of video range.
      let cases: [(OSType, [[UInt8]], Bool)] = [
        (kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, [[100, 100, 100, 100], [90, 160]], true),
        (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [[100, 100, 100, 100], [90, 160]], false),
        (kCVPixelFormatType_420YpCbCr8PlanarFullRange, [[100, 100, 100, 100], [90], [160]], true),
        (kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange, [[100, 100, 100, 100], [90, 160, 90, 160]], false),
        (kCVPixelFormatType_444YpCbCr8BiPlanarFullRange, [[100, 100, 100, 100], [90, 160, 90, 160, 90, 160, 90, 160]], true),
        (kCVPixelFormatType_422YpCbCr8, [[90, 100, 160, 100, 90, 100, 160, 100]], false),
        (kCVPixelFormatType_422YpCbCr8FullRange, [[100, 90, 100, 160, 100, 90, 100, 160]], true),
        (kCVPixelFormatType_444YpCbCr8, [[160, 100, 90, 160, 100, 90, 160, 100, 90, 160, 100, 90]], false),
        (
          kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, [[0, 100, 0, 100, 0, 100, 0, 100], [0, 90, 0, 160]], false
        ),
      ]
      for (format, planes, isFull) in cases {
        let buffer = try buffer(2, 2, format, planes)
        if let matrix { CVBufferSetAttachment(buffer, kCVImageBufferYCbCrMatrixKey, matrix, .shouldPropagate) }
        // ITU-R BT.601 to 2020: luma and colour differences from offsets and spans.
        let luma = isFull ? 100.0 / 255 : (100.0 - 16) / 219
        let (cb, cr) = ((90.0 - 128) / (isFull ? 255 : 224), (160.0 - 128) / (isFull ? 255 : 224))
        let (r, b) = (luma + 2 * (1 - red) * cr, luma + 2 * (1 - blue) * cb)
        let expected = [r, (luma - red * r - blue * b) / (1 - red - blue), b]
        for pixel in try colors(image(buffer)) {
          for channel in 0..<3 { #expect(abs(pixel[channel] - expected[channel]) < 1.01 / 255) }
        }
      }
    }
  }

  @Test func `attachments of colour give the image its space`() throws {
    let buffer = try buffer(1, 1, kCVPixelFormatType_32BGRA, [[1, 2, 3, 255]])
    #expect(try image(buffer).colorSpace?.name == CGColorSpace.sRGB)
    CVBufferSetAttachment(buffer, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_P3_D65, .shouldPropagate)
    CVBufferSetAttachment(buffer, kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_sRGB, .shouldPropagate)
    #expect(try image(buffer).colorSpace?.name == CGColorSpace.displayP3)
    let profile = CGColorSpace(name: CGColorSpace.adobeRGB1998)!.copyICCData()!
    CVBufferSetAttachment(buffer, kCVImageBufferICCProfileKey, profile, .shouldPropagate)
    #expect(try image(buffer).colorSpace?.copyICCData() as Data? == profile as Data)
    CVBufferSetAttachment(buffer, kCVImageBufferCGColorSpaceKey, CGColorSpace(name: CGColorSpace.itur_709)!, .shouldPropagate)
    #expect(try image(buffer).colorSpace?.name == CGColorSpace.itur_709)
  }

  @Test func `formats without colours give a code`() throws {
    let buffer = try buffer(2, 2, kCVPixelFormatType_TwoComponent8, [[1, 2, 3, 4, 5, 6, 7, 8]])
    var image: CGImage?
    #expect(VTCreateCGImageFromCVPixelBuffer(buffer, options: nil, imageOut: &image) == kVTPixelTransferNotSupportedErr)
    #expect(image == nil)
  }
}
