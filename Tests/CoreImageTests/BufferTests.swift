import CoreImage
import Testing

struct BufferTests {
  private let context = CIContext()

  @Test func `a buffer is read in place and written back byte for byte`() {
    let source = Pictures.buffer(13, 7, kCVPixelFormatType_32BGRA)
    Pictures.fill(source) { row, byte in byte % 4 == 3 ? 255 : UInt8((row * 41 + byte * 7) % 256) }
    let image = CIImage(cvPixelBuffer: source)
    #expect(image.pixelBuffer === source && image.extent == CGRect(x: 0, y: 0, width: 13, height: 7))
    #expect(CIImage(cvImageBuffer: source).extent == image.extent)
    let target = Pictures.buffer(13, 7, kCVPixelFormatType_32BGRA)
    context.render(image, to: target)
    #expect(Pictures.rows(source, bytesPerPixel: 4) == Pictures.rows(target, bytesPerPixel: 4))
    // What is in the buffer when the image is rendered counts.
    Pictures.fill(source) { _, byte in byte % 4 == 3 ? 255 : 9 }
    context.render(image, to: target)
    #expect(Pictures.rows(target, bytesPerPixel: 4)[3][4] == 9)
    #expect(image.transformed(by: CGAffineTransform(scaleX: 2, y: 2)).pixelBuffer == nil)
  }

  @Test func `every interleaved format takes the colours`() {
    let image = CIImage(cgImage: Pictures.image([200, 20, 30, 255], 1, 1))
    let formats: [(OSType, [UInt8])] = [
      (kCVPixelFormatType_32BGRA, [30, 20, 200, 255]), (kCVPixelFormatType_32RGBA, [200, 20, 30, 255]),
      (kCVPixelFormatType_32ARGB, [255, 200, 20, 30]), (kCVPixelFormatType_32ABGR, [255, 30, 20, 200]),
      (kCVPixelFormatType_24RGB, [200, 20, 30]), (kCVPixelFormatType_24BGR, [30, 20, 200]),
    ]
    for (format, bytes) in formats {
      let buffer = Pictures.buffer(1, 1, format)
      context.render(image, to: buffer)
      #expect(Pictures.rows(buffer, bytesPerPixel: bytes.count) == [bytes])
      let read = CIImage(cvPixelBuffer: buffer)
      #expect(Pictures.floats(read, read.extent) == Pictures.floats(image, image.extent))
    }
  }

  @Test func `bounds limit what is written, and the origin is the lower left corner`() {
    let buffer = Pictures.buffer(4, 3, kCVPixelFormatType_32BGRA)
    Pictures.fill(buffer) { _, _ in 77 }
    context.render(CIImage(color: .white), to: buffer, bounds: CGRect(x: 1, y: 0, width: 2, height: 1), colorSpace: Pictures.sRGB)
    let rows = Pictures.rows(buffer, bytesPerPixel: 4)
    for row in 0..<3 {
      for column in 0..<4 { #expect(rows[row][4 * column] == (row == 2 && (1...2).contains(column) ? 255 : 77)) }
    }
    // The image's own origin is the buffer's, whatever the bounds are.
    let image = CIImage(cgImage: Pictures.image(4, 3))
    context.render(image, to: buffer, bounds: CGRect(x: 1, y: 1, width: 9, height: 9), colorSpace: Pictures.sRGB)
    let source = Pictures.bytes(4, 3)
    #expect(Pictures.rows(buffer, bytesPerPixel: 4)[1][4 * 2 + 2] == source[4 * (4 + 2)])
  }

  @Test func `without a colour space the numbers of the working space are written`() {
    let buffer = Pictures.buffer(1, 1, kCVPixelFormatType_32BGRA)
    let image = CIImage(cgImage: Pictures.image([188, 188, 188, 255], 1, 1))
    context.render(image, to: buffer, bounds: image.extent, colorSpace: nil)
    #expect(abs(Double(Pictures.rows(buffer, bytesPerPixel: 4)[0][0]) - 255 * Pictures.linear(188)) <= 1)
  }

  @Test func `attachments of a buffer decide its space`() {
    let buffer = Pictures.buffer(1, 1, kCVPixelFormatType_32BGRA)
    CVBufferSetAttachment(buffer, kCVImageBufferCGColorSpaceKey, CGColorSpace(name: CGColorSpace.displayP3)!, .shouldPropagate)
    context.render(CIImage(color: .red), to: buffer)
    // sRGB's red in Display P3.
    let pixel = Pictures.rows(buffer, bytesPerPixel: 4)[0]
    #expect(abs(Int(pixel[2]) - 234) <= 1 && abs(Int(pixel[1]) - 51) <= 1)
    let image = CIImage(cvPixelBuffer: buffer)
    #expect(image.colorSpace?.name == CGColorSpace.displayP3)
    #expect(abs(Pictures.floats(image, image.extent)[0] - 1) < 0.01)
  }

  @Test func `one component is a shade`() {
    let buffer = Pictures.buffer(2, 1, kCVPixelFormatType_OneComponent8)
    Pictures.fill(buffer) { _, byte in byte == 0 ? 128 : 255 }
    let numbers = Pictures.floats(CIImage(cvPixelBuffer: buffer), CGRect(x: 0, y: 0, width: 2, height: 1))
    for channel in 0..<3 { #expect(abs(Double(numbers[channel]) - Pictures.linear(128)) < 1e-3) }
    let copy = Pictures.buffer(2, 1, kCVPixelFormatType_OneComponent8)
    context.render(CIImage(cvPixelBuffer: buffer), to: copy)
    #expect(Pictures.rows(copy, bytesPerPixel: 1) == [[128, 255]])
    let half = Pictures.buffer(2, 1, kCVPixelFormatType_OneComponent32Float)
    context.render(CIImage(cvPixelBuffer: buffer), to: half)
    let value = CVPixelBufferGetBaseAddress(half)!.assumingMemoryBound(to: Float.self)[0]
    #expect(abs(value - 128 / 255) < 1e-3)
  }

  @Test func `luma and chroma are read and written by their matrix`() {
    for matrix in [nil, kCVImageBufferYCbCrMatrix_ITU_R_709_2] {
      for format in [kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange] {
        let buffer = Pictures.buffer(4, 4, format)
        if let matrix { CVBufferSetAttachment(buffer, kCVImageBufferYCbCrMatrixKey, matrix, .shouldPropagate) }
        let image = CIImage(cgImage: Pictures.image([200, 120, 40, 255], 1, 1)).clampedToExtent()
        context.render(image, to: buffer)
        let luma = CVPixelBufferGetBaseAddressOfPlane(buffer, 0)!.assumingMemoryBound(to: UInt8.self)[0]
        let weights = matrix == nil ? (0.299, 0.587, 0.114) : (0.2126, 0.7152, 0.0722)
        let share = (200 * weights.0 + 120 * weights.1 + 40 * weights.2) / 255
        let isFull = format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
        #expect(abs(Double(luma) - (isFull ? 255 * share : 16 + 219 * share)) <= 1)
        let made = Pictures.bytes(of: context.createCGImage(CIImage(cvPixelBuffer: buffer), from: CGRect(x: 0, y: 0, width: 4, height: 4))!)
        for (channel, expected) in [200, 120, 40, 255].enumerated() { #expect(abs(Int(made[channel]) - expected) <= 3) }
      }
    }
  }

  @Test func `buffers without colours give no pixels and take none`() {
    let buffer = Pictures.buffer(2, 2, kCVPixelFormatType_TwoComponent8)
    Pictures.fill(buffer) { _, _ in 5 }
    #expect(CIImage(cvPixelBuffer: buffer).extent.isEmpty)
    context.render(CIImage(color: .white), to: buffer)
    #expect(Pictures.rows(buffer, bytesPerPixel: 2) == [[5, 5, 5, 5], [5, 5, 5, 5]])
  }

  @Test func `bitmaps have the region at their start and every format`() {
    let image = CIImage(cgImage: Pictures.image(4, 3))
    let source = Pictures.bytes(4, 3)
    var bytes = [UInt8](repeating: 1, count: 2 * 20)
    context.render(
      image, toBitmap: &bytes, rowBytes: 20, bounds: CGRect(x: 1, y: 1, width: 2, height: 2), format: .BGRA8, colorSpace: Pictures.sRGB)
    #expect(bytes[0] == source[4 + 2] && bytes[2] == source[4] && bytes[20] == source[4 * 5 + 2])
    // Beyond the region nothing is written.
    #expect(bytes[8] == 1)
    let pixel = CIImage(color: CIColor(red: 1, green: 0.5, blue: 0, alpha: 1))
    let rect = CGRect(x: 0, y: 0, width: 1, height: 1)
    func bitmap<Number: BitwiseCopyable>(_ format: CIFormat, _ count: Int, _ zero: Number, _ space: CGColorSpace?) -> [Number] {
      var numbers = [Number](repeating: zero, count: count)
      context.render(pixel, toBitmap: &numbers, rowBytes: 64, bounds: rect, format: format, colorSpace: space)
      return numbers
    }
    #expect(bitmap(.RGBX8, 4, UInt8(0), Pictures.sRGB)[3] == 255)
    #expect(bitmap(.ARGB8, 4, UInt8(0), Pictures.sRGB) == [255, 255, 128, 0])
    #expect(bitmap(.RGBA16, 4, UInt16(0), Pictures.sRGB)[0] == 65_535)
    #expect(abs(Float(bitmap(.RGBAh, 4, Float16(0), Pictures.sRGB)[1]) - 0.5) < 2e-3)
    #expect(abs(bitmap(.Rf, 1, Float(0), Pictures.sRGB)[0] - 1) < 1e-3)
    #expect(bitmap(.A8, 1, UInt8(0), nil) == [255])
    // Shades by luminance.
    let light = 0.2126 + 0.7152 * Pictures.linear(128)
    #expect(abs(Double(bitmap(.L8, 1, UInt8(0), CGColorSpaceCreateDeviceGray())[0]) - 255 * Pictures.encoded(light)) <= 2)
    // A format with colours does not fit a space of shades.
    #expect(bitmap(.RGBA8, 4, UInt8(7), CGColorSpaceCreateDeviceGray()) == [7, 7, 7, 7])
  }
}
