import CoreImage

/// Pictures of the tests.
enum Pictures {
  static let sRGB = CGColorSpace(name: CGColorSpace.sRGB)!

  /// Bytes that differ from pixel to pixel, and alpha 255.
  static func bytes(_ width: Int, _ height: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<width * height {
      for (factor, limit) in [(37, 256), (101, 251), (17, 241)] { bytes.append(UInt8(index * factor % limit)) }
      bytes.append(255)
    }
    return bytes
  }

  static func image(_ bytes: [UInt8], _ width: Int, _ height: Int, space: CGColorSpace = sRGB, alpha: CGImageAlphaInfo = .premultipliedLast)
    -> CGImage
  {
    CGImage(
      width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 4 * width, space: space,
      bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: CGDataProvider(data: Data(bytes) as CFData)!, decode: nil,
      shouldInterpolate: true, intent: .defaultIntent)!
  }

  static func image(_ width: Int, _ height: Int) -> CGImage { image(bytes(width, height), width, height) }

  /// Rows from the top, red, green, blue and alpha.
  static func bytes(of image: CGImage) -> [UInt8] { [UInt8](image.dataProvider!.data! as Data) }

  /// Numbers of the working space, rows from the top.
  static func floats(_ image: CIImage, _ rect: CGRect, _ context: CIContext = CIContext(), space: CGColorSpace? = nil) -> [Float] {
    let (width, height) = (Int(rect.width), Int(rect.height))
    var result = [Float](repeating: -1, count: 4 * width * height)
    context.render(image, toBitmap: &result, rowBytes: 16 * width, bounds: rect, format: .RGBAf, colorSpace: space)
    return result
  }

  /// Equal but for rounding in single precision.
  static func areNear(_ first: [Float], _ second: [Float]) -> Bool {
    first.count == second.count && zip(first, second).allSatisfy { abs($0 - $1) < 1e-6 }
  }

  static func buffer(_ width: Int, _ height: Int, _ format: OSType) -> CVPixelBuffer {
    var buffer: CVPixelBuffer?
    CVPixelBufferCreate(nil, width, height, format, nil, &buffer)
    return buffer!
  }

  static func fill(_ buffer: CVPixelBuffer, _ value: (_ row: Int, _ byte: Int) -> UInt8) {
    CVPixelBufferLockBaseAddress(buffer, [])
    let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
    let rowBytes = CVPixelBufferGetBytesPerRow(buffer)
    for row in 0..<CVPixelBufferGetHeight(buffer) {
      for byte in 0..<rowBytes { base[row * rowBytes + byte] = value(row, byte) }
    }
    CVPixelBufferUnlockBaseAddress(buffer, [])
  }

  static func rows(_ buffer: CVPixelBuffer, bytesPerPixel: Int) -> [[UInt8]] {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
    let rowBytes = CVPixelBufferGetBytesPerRow(buffer)
    return (0..<CVPixelBufferGetHeight(buffer)).map { row in
      (0..<CVPixelBufferGetWidth(buffer) * bytesPerPixel).map { base[row * rowBytes + $0] }
    }
  }

  static func linear(_ byte: UInt8) -> Double {
    let x = Double(byte) / 255
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
  }

  static func encoded(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}
