import CoreVideo
import Testing

import ExecuTorch

struct ImageProcessorTests {
  /// Calls `body` with the bytes of a row of a plane.
  static func fill(
    _ buffer: CVPixelBuffer, plane: Int = 0, rowByteCount: Int, _ byte: (_ row: Int, _ offset: Int) -> UInt8
  ) throws {
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let base = try unsafe #require(CVPixelBufferGetBaseAddressOfPlane(buffer, plane)).assumingMemoryBound(to: UInt8.self)
    for row in 0..<CVPixelBufferGetHeightOfPlane(buffer, plane) {
      for offset in 0..<rowByteCount {
        unsafe base[row * CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) + offset] = byte(row, offset)
      }
    }
  }

  static func makeBuffer(_ width: Int, _ height: Int, _ format: OSType = kCVPixelFormatType_32BGRA) throws -> CVPixelBuffer {
    var buffer: CVPixelBuffer?
    #expect(unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &buffer) == kCVReturnSuccess)
    return try #require(buffer)
  }

  /// Pixel (x, y) is of red 10 * x, green 10 * y and blue 200.
  static func makeGradient(_ width: Int, _ height: Int, _ format: OSType = kCVPixelFormatType_32BGRA) throws -> CVPixelBuffer {
    let buffer = try makeBuffer(width, height, format)
    try fill(buffer, rowByteCount: 4 * width) { row, offset in
      let colors = [UInt8(10 * (offset / 4)), UInt8(10 * row), 200, 7]
      return colors[format == kCVPixelFormatType_32BGRA ? [2, 1, 0, 3][offset % 4] : offset % 4]
    }
    return buffer
  }

  /// Samples of 0...255, unchanged.
  static func plain() -> ImageNormalization {
    ImageNormalization(scaleFactor: 1, mean: [0, 0, 0], standardDeviation: [1, 1, 1])
  }

  func code(_ body: () throws -> Void) -> ErrorCode.Code? {
    do {
      try body()
      return nil
    } catch {
      let error = error as NSError
      #expect(error.domain == ErrorDomain)
      return ErrorCode.Code(rawValue: error.code)
    }
  }

  @Test(arguments: [kCVPixelFormatType_32BGRA, kCVPixelFormatType_32RGBA])
  func `colors are in planes of red, green and blue`(format: OSType) throws {
    let config = ImageProcessorConfig(targetWidth: 5, targetHeight: 3, normalization: Self.plain())
    let tensor = try ImageProcessor(config: config).process(try Self.makeGradient(5, 3, format))
    #expect(tensor.shape == [1, 3, 3, 5])
    let red = (0..<3).flatMap { _ in (0..<5).map { Float(10 * $0) } }
    let green = (0..<3).flatMap { [Float](repeating: Float(10 * $0), count: 5) }
    #expect(tensor.scalars() == red + green + [Float](repeating: 200, count: 15))
  }

  @Test(arguments: [
    // Of 2 x 3 pixels: the red and green of the result's first and last pixel.
    (ImageOrientation.up, [3, 2], [0, 0], [10, 20]),
    (.down, [3, 2], [10, 20], [0, 0]),
    (.right, [2, 3], [0, 20], [10, 0]),
    (.left, [2, 3], [10, 0], [0, 20]),
  ])
  func `pictures are turned upright`(orientation: ImageOrientation, extents: [Int], first: [Float], last: [Float]) throws {
    let config = ImageProcessorConfig(targetWidth: extents[1], targetHeight: extents[0], normalization: Self.plain())
    let scalars = try ImageProcessor(config: config).process(try Self.makeGradient(2, 3), orientation: orientation).scalars()
    #expect([scalars[0], scalars[6]] == first)
    #expect([scalars[5], scalars[11]] == last)
  }

  @Test(arguments: [
    // Luma, Cb and Cr of ITU-R BT.601's red, as 8-bit codes; and gray at either end of the range.
    (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [81, 90, 240], [254, 0, 0]),
    (kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, [76, 85, 255], [254, 0, 0]),
    (kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, [81, 90, 240], [254, 0, 0]),
    (kCVPixelFormatType_420YpCbCr10BiPlanarFullRange, [76, 85, 255], [254, 0, 0]),
    (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [16, 128, 128], [0, 0, 0]),
    (kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, [235, 128, 128], [255, 255, 255]),
    (kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, [16, 128, 128], [16, 16, 16]),
  ])
  func `luma and chroma become colors`(format: OSType, samples: [UInt8], color: [Float]) throws {
    let buffer = try Self.makeBuffer(6, 4, format)
    let is10Bit = format == kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange || format == kCVPixelFormatType_420YpCbCr10BiPlanarFullRange
    // Of 16-bit samples, the high byte comes second, and the lowest six bits mean nothing.
    func sample(_ offset: Int, _ values: [UInt8]) -> UInt8 {
      is10Bit ? (offset % 2 == 0 ? 0x3F : values[offset / 2 % values.count]) : values[offset % values.count]
    }
    try Self.fill(buffer, plane: 0, rowByteCount: is10Bit ? 12 : 6) { sample($1, [samples[0]]) }
    try Self.fill(buffer, plane: 1, rowByteCount: is10Bit ? 12 : 6) { sample($1, [samples[1], samples[2]]) }
    let config = ImageProcessorConfig(targetWidth: 3, targetHeight: 3, normalization: Self.plain())
    let scalars = try ImageProcessor(config: config).process(buffer).scalars()
    for (index, scalar) in scalars.enumerated() {
      let error = abs(scalar - color[index / 9])
      #expect(error <= 1)
    }
  }

  @Test func `the attachment of a matrix decides what luma and chroma are`() throws {
    let buffer = try Self.makeBuffer(4, 4, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange)
    CVBufferSetAttachment(buffer, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_709_2, .shouldPropagate)
    // Red of ITU-R BT.709 in full range: 255 * 0.2126, 128 - 255 * 0.2126 / 1.8556, 255.
    try Self.fill(buffer, plane: 0, rowByteCount: 4) { _, _ in 54 }
    try Self.fill(buffer, plane: 1, rowByteCount: 4) { _, offset in [99, 255][offset % 2] }
    let config = ImageProcessorConfig(targetWidth: 2, targetHeight: 2, normalization: Self.plain())
    let scalars = try ImageProcessor(config: config).process(buffer).scalars()
    for (index, scalar) in scalars.enumerated() {
      let error = abs(scalar - [254, 0, 0][index / 4])
      #expect(error <= 1.5)
    }
  }

  @Test func `samples are normalized, and padding is not`() throws {
    let buffer = try Self.makeGradient(4, 2)
    let config = ImageProcessorConfig(
      targetWidth: 4, targetHeight: 4, resizeMode: .letterbox, letterboxAnchor: .topLeft, padValue: -3, normalization: .imagenet())
    let scalars = try ImageProcessor(config: config).process(buffer).scalars()
    let red: Float = (10.0 / 255 - 0.485) / 0.229
    let green: Float = (10.0 / 255 - 0.456) / 0.224
    let blue: Float = (200.0 / 255 - 0.406) / 0.225
    #expect(abs(scalars[1] - red) < 1e-5)
    #expect(abs(scalars[16 + 4] - green) < 1e-5)
    #expect(abs(scalars[32] - blue) < 1e-5)
    for channel in 0..<3 {
      let padding = scalars[16 * channel + 8..<16 * channel + 16]
      #expect(padding.allSatisfy { $0 == -3 })
    }
    let unit = try ImageProcessor(config: ImageProcessorConfig(targetWidth: 4, targetHeight: 2)).process(buffer).scalars()
    let unitBlue: Float = 200.0 / 255
    #expect(unit[0] == 0)
    #expect(abs(unit[16] - unitBlue) < 1e-6)
  }

  @Test(arguments: [
    (ImageResizeMode.letterbox, ImageLetterboxAnchor.center, ImageOrientation.up, [0, 2]), (.letterbox, .center, .down, [0, 2]),
    (.letterbox, .center, .right, [2, 0]), (.letterbox, .center, .left, [2, 0]), (.letterbox, .topLeft, .up, [0, 0]),
    (.stretch, .center, .up, [0, 0]),
  ])
  func `padding is computed as it is added`(
    mode: ImageResizeMode, anchor: ImageLetterboxAnchor, orientation: ImageOrientation, expected: [Int]
  ) throws {
    let config = ImageProcessorConfig(targetWidth: 8, targetHeight: 8, resizeMode: mode, letterboxAnchor: anchor, padValue: -1)
    let processor = ImageProcessor(config: config)
    let padding = processor.computeLetterboxPadding(inputWidth: 16, inputHeight: 8, orientation: orientation)
    #expect([padding.x, padding.y] == expected)
    let scalars = try processor.process(try Self.makeGradient(16, 8), orientation: orientation).scalars()
    #expect(scalars.prefix(64).firstIndex { $0 != -1 } == 8 * padding.y + padding.x)
  }

  @Test(arguments: [(0, 0), (-5, 3), (Int.min, Int.max), (Int.max, Int.max), (1, Int.max)])
  func `padding of impossible pictures does not trap`(width: Int, height: Int) {
    for target in [0, -1, 8, Int.max] {
      let config = ImageProcessorConfig(targetWidth: target, targetHeight: 8, resizeMode: .letterbox)
      let padding = ImageProcessor(config: config).computeLetterboxPadding(inputWidth: width, inputHeight: height)
      #expect(padding.x >= 0 && padding.y >= 0)
    }
  }

  @Test func `a tensor is filled where it is`() throws {
    let buffer = try Self.makeGradient(9, 5)
    let processor = ImageProcessor(config: ImageProcessorConfig(targetWidth: 4, targetHeight: 3, resizeMode: .letterbox, padValue: 9))
    let expected = try processor.process(buffer, orientation: .left)
    let tensor = Tensor<Float>.full(shape: [1, 3, 3, 4], scalar: .nan)
    try processor.process(buffer, orientation: .left, into: tensor)
    #expect(tensor == expected)
    let untyped = AnyTensor.zeros(shape: [1, 3, 3, 4], dataType: .float)
    try processor.processPixelBuffer(buffer, into: untyped)
    #expect(untyped == (try processor.processPixelBuffer(buffer)))
  }

  @Test func `other tensors are refused`() throws {
    let buffer = try Self.makeGradient(4, 4)
    let processor = ImageProcessor(config: ImageProcessorConfig(targetWidth: 4, targetHeight: 2))
    let tensors = [
      AnyTensor.zeros(shape: [1, 3, 4, 2], dataType: .float), AnyTensor.zeros(shape: [3, 2, 4], dataType: .float),
      AnyTensor.zeros(shape: [1, 3, 2, 4], dataType: .double),
      AnyTensor(AnyTensor.zeros(shape: [1, 3, 2, 4], dataType: .float), dimensionOrder: [0, 2, 3, 1]),
    ]
    for tensor in tensors {
      #expect(code { try processor.processPixelBuffer(buffer, into: tensor) } == .invalidArgument)
    }
  }

  @Test func `pictures that cannot be processed are errors`() throws {
    let processor = ImageProcessor(config: ImageProcessorConfig(targetWidth: 4, targetHeight: 2))
    #expect(code { _ = try processor.processPixelBuffer(nil) } == .invalidArgument)
    #expect(code { _ = try processor.processPixelBuffer(nil, orientation: .left) } == .invalidArgument)
    let output = AnyTensor.zeros(shape: [1, 3, 2, 4], dataType: .float)
    #expect(code { try processor.processPixelBuffer(nil, into: output) } == .invalidArgument)
    for format in [kCVPixelFormatType_32ARGB, kCVPixelFormatType_24RGB, kCVPixelFormatType_OneComponent8] {
      let buffer = try Self.makeBuffer(4, 4, format)
      #expect(code { _ = try processor.process(buffer) } == .invalidArgument)
    }
    for (width, height) in [(5, 4), (4, 5)] {
      let buffer = try Self.makeBuffer(width, height, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange)
      #expect(code { _ = try processor.process(buffer) } == .invalidArgument)
    }
  }

  @Test(arguments: [(0, 4), (4, 0), (-4, 4), (Int.max, 2), (1 << 30, 1 << 30), (Int.min, Int.min)])
  func `targets without a tensor are errors`(width: Int, height: Int) throws {
    let buffer = try Self.makeGradient(4, 4)
    for mode in [ImageResizeMode.stretch, .letterbox] {
      let processor = ImageProcessor(config: ImageProcessorConfig(targetWidth: width, targetHeight: height, resizeMode: mode))
      #expect(code { _ = try processor.process(buffer) } == .invalidArgument)
    }
  }

  @Test func `a standard deviation of 0 is an error`() throws {
    let normalization = ImageNormalization(scaleFactor: 1, mean: [0, 0, 0], standardDeviation: [1, 0, 1])
    let processor = ImageProcessor(config: ImageProcessorConfig(targetWidth: 4, targetHeight: 4, normalization: normalization))
    let buffer = try Self.makeGradient(4, 4)
    #expect(code { _ = try processor.process(buffer) } == .invalidArgument)
  }

  @Test func `a buffer is locked only while it is read`() throws {
    let buffer = try Self.makeGradient(4, 4)
    let processor = ImageProcessor(config: ImageProcessorConfig(targetWidth: 2, targetHeight: 2))
    _ = try processor.process(buffer)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, .readOnly) != kCVReturnSuccess)
  }

  @Test func `options have the numbers of their C enumerations, and defaults`() {
    #expect([ImageResizeMode.stretch.rawValue, ImageResizeMode.letterbox.rawValue] == [0, 1])
    #expect([ImageLetterboxAnchor.center.rawValue, ImageLetterboxAnchor.topLeft.rawValue] == [0, 1])
    #expect([ImageOrientation.up, .down, .right, .left].map(\.rawValue) == [1, 3, 6, 8])
    let config = ImageProcessorConfig(targetWidth: 3, targetHeight: 4)
    #expect(config.resizeMode == .stretch && config.letterboxAnchor == .center && config.padValue == 0)
    #expect(config.normalization === ImageNormalization.zeroToOne())
    #expect(config.gpuMinInputPixels == 1920 * 1080 + 1)
    #expect(ImageProcessorConfig.alwaysGPU == 0 && ImageProcessorConfig.alwaysCPU == Int.max)
    #expect(ImageLetterboxPadding().x == 0 && ImageLetterboxPadding(x: 1, y: 2).y == 2)
  }
}
