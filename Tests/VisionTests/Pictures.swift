import Testing
import Vision

/// The models and pictures of the tests. Models: see Oracles/make_vision_fixtures.py.
enum Pictures {
  static func model(_ name: String) throws -> MLModel {
    try MLModel(contentsOf: try #require(Bundle.module.url(forResource: name, withExtension: "mlpackage", subdirectory: "Fixtures")))
  }

  static func request(_ name: String, _ option: VNImageCropAndScaleOption = .scaleFill) throws -> VNCoreMLRequest {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model(name)))
    request.imageCropAndScaleOption = option
    return request
  }

  /// A buffer whose pixels have the colours that `color` gives by column and row.
  static func buffer(
    _ width: Int, _ height: Int, format: OSType = kCVPixelFormatType_32BGRA, _ color: (Int, Int) -> (UInt8, UInt8, UInt8)
  ) -> CVPixelBuffer {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, width, height, format, nil, &made)
    let buffer = made!
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
    let places = format == kCVPixelFormatType_32ARGB ? [1, 2, 3, 0] : [2, 1, 0, 3]
    for row in 0..<height {
      for column in 0..<width {
        let pixel = base + row * CVPixelBufferGetBytesPerRow(buffer) + 4 * column
        let (red, green, blue) = color(column, row)
        (pixel[places[0]], pixel[places[1]], pixel[places[2]], pixel[places[3]]) = (red, green, blue, 255)
      }
    }
    return buffer
  }

  /// The picture of the recorded cases.
  static func recorded(_ width: Int, _ height: Int) -> CVPixelBuffer {
    buffer(width, height) { x, y in
      let red = UInt8(x * 255 / max(width - 1, 1))
      let green = UInt8(y * 255 / max(height - 1, 1))
      let (right, down) = (abs(2 * x - width + 1) * 255 / width, abs(2 * y - height + 1) * 255 / height)
      return (red, green, UInt8(255 - max(right, down)))
    }
  }

  /// Black with rectangles of full red, green and blue, in pixels from the upper left.
  static func shapes(_ width: Int, _ height: Int, red: CGRect? = nil, green: CGRect? = nil, blue: CGRect? = nil) -> CVPixelBuffer {
    buffer(width, height) { x, y in
      func shade(_ rect: CGRect?) -> UInt8 { rect?.contains(CGPoint(x: Double(x) + 0.5, y: Double(y) + 0.5)) == true ? 255 : 0 }
      return (shade(red), shade(green), shade(blue))
    }
  }

  static func plain(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int = 20, height: Int = 10) -> CVPixelBuffer {
    buffer(width, height) { _, _ in (red, green, blue) }
  }

  /// The same pixels as an image of a space.
  static func image(_ buffer: CVPixelBuffer, space: CGColorSpace = CGColorSpaceCreateDeviceRGB()) -> CGImage {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    let rowByteCount = CVPixelBufferGetBytesPerRow(buffer)
    let data = Data(bytes: CVPixelBufferGetBaseAddress(buffer)!, count: rowByteCount * CVPixelBufferGetHeight(buffer))
    return CGImage(
      width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer), bitsPerComponent: 8, bitsPerPixel: 32,
      bytesPerRow: rowByteCount, space: space,
      bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.noneSkipFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue),
      provider: CGDataProvider(data: data as CFData)!, decode: nil, shouldInterpolate: true, intent: .defaultIntent)!
  }

  /// A file's content.
  static func file(_ image: CGImage, type: String = "public.png", orientation: CGImagePropertyOrientation? = nil) throws -> Data {
    let data = NSMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, type as CFString, 1, nil))
    var properties: [CFString: Any] = [kCGImageDestinationLossyCompressionQuality: 1.0]
    if let orientation { properties[kCGImagePropertyOrientation] = orientation.rawValue }
    CGImageDestinationAddImage(destination, image, properties as CFDictionary)
    try #require(CGImageDestinationFinalize(destination))
    return data as Data
  }

  /// Writes a file, which the caller removes.
  static func temporary(_ data: Data, _ suffix: String) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + suffix)
    try data.write(to: url)
    return url
  }
}

/// The numbers of an array.
func numbers(_ array: MLMultiArray?) -> [Double] {
  guard let array else { return [] }
  return (0..<array.count).map { array[$0].doubleValue }
}

/// Red, green and blue of a pixel.
func pixel(_ buffer: CVPixelBuffer, _ column: Int, _ row: Int) -> [Double] {
  CVPixelBufferLockBaseAddress(buffer, .readOnly)
  defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
  let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
  let bytes = base + row * CVPixelBufferGetBytesPerRow(buffer) + 4 * column
  return [Double(bytes[2]), Double(bytes[1]), Double(bytes[0])]
}

/// The code of an error in Vision's domain; nil for others.
func code(_ error: (any Error)?) -> VNErrorCode? {
  guard let error = error as NSError?, error.domain == VNErrorDomain else { return nil }
  return VNErrorCode(rawValue: error.code)
}
