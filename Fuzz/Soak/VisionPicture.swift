import MartletFuzzing
import Vision

/// A picture of random size and content, in one of the forms that requests accept.
enum VisionPicture: @unchecked Sendable {
  case buffer(CVPixelBuffer)
  case image(CGImage)
  case recipe(CIImage)
  case data(Data)

  init?(_ random: inout FuzzRandom) {
    let (width, height) = (8 + random.below(400), 8 + random.below(300))
    var pixels = [UInt8](repeating: 255, count: 4 * width * height)
    // A gradient with a rectangle, which detectors find.
    let (left, top) = (random.below(width / 2), random.below(height / 2))
    let channel = random.below(3)
    for row in 0..<height {
      for column in 0..<width {
        let isInside = column >= left && column < left + width / 3 && row >= top && row < top + height / 3
        for index in 0..<3 {
          let shade = isInside ? (index == channel ? 255 : 0) : index == 0 ? column * 80 / width : row * 60 / height
          pixels[4 * (row * width + column) + index] = UInt8(shade)
        }
      }
    }
    switch random.below(4) {
    case 0:
      guard let buffer = Self.buffer(width, height, pixels) else { return nil }
      self = .buffer(buffer)
    case let form:
      let information = CGImageAlphaInfo.noneSkipFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue
      guard let provider = CGDataProvider(data: Data(pixels) as CFData),
        let image = CGImage(
          width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 4 * width, space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGBitmapInfo(rawValue: information), provider: provider, decode: nil, shouldInterpolate: true,
          intent: .defaultIntent)
      else { return nil }
      switch form {
      case 1: self = .image(image)
      case 2: self = .recipe(CIImage(cgImage: image).oriented(.right).transformed(by: CGAffineTransform(scaleX: 0.75, y: 0.75)))
      default:
        let data = NSMutableData()
        let type = random.one(in: 2) ? "public.png" : "public.jpeg"
        guard let destination = CGImageDestinationCreateWithData(data, type as CFString, 1, nil) else { return nil }
        CGImageDestinationAddImage(destination, image, nil)
        guard CGImageDestinationFinalize(destination) else { return nil }
        self = .data(data as Data)
      }
    }
  }

  private static func buffer(_ width: Int, _ height: Int, _ pixels: [UInt8]) -> CVPixelBuffer? {
    var made: CVPixelBuffer?
    unsafe CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_32BGRA, nil, &made)
    guard let buffer = made else { return nil }
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    guard let base = unsafe CVPixelBufferGetBaseAddress(buffer) else { return nil }
    for row in 0..<height {
      let line = unsafe UnsafeMutableRawBufferPointer(start: base + row * CVPixelBufferGetBytesPerRow(buffer), count: 4 * width)
      unsafe line.copyBytes(from: pixels[4 * row * width..<4 * (row + 1) * width])
    }
    return buffer
  }

  var classicHandler: VNImageRequestHandler {
    switch self {
    case .buffer(let buffer): VNImageRequestHandler(cvPixelBuffer: buffer)
    case .image(let image): VNImageRequestHandler(cgImage: image)
    case .recipe(let image): VNImageRequestHandler(ciImage: image)
    case .data(let data): VNImageRequestHandler(data: data)
    }
  }

  var handler: ImageRequestHandler {
    switch self {
    case .buffer(let buffer): ImageRequestHandler(buffer)
    case .image(let image): ImageRequestHandler(image)
    case .recipe(let image): ImageRequestHandler(image)
    case .data(let data): ImageRequestHandler(data)
    }
  }
}
