import CoreVideo
import Testing

struct PixelBufferTests {
  @Test func `a buffer has what it was made with`() throws {
    let buffer = try makePixelBuffer(21, 7, kCVPixelFormatType_32BGRA)
    #expect(CVPixelBufferGetWidth(buffer) == 21)
    #expect(CVPixelBufferGetHeight(buffer) == 7)
    #expect(CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_32BGRA)
    #expect(CVPixelBufferGetBytesPerRow(buffer) == 128)
    #expect(CVPixelBufferGetDataSize(buffer) == 7 * 128)
    #expect(!CVPixelBufferIsPlanar(buffer))
    #expect(CVPixelBufferGetPlaneCount(buffer) == 0)
    #expect(CVImageBufferGetEncodedSize(buffer) == CGSize(width: 21, height: 7))
    #expect(CVImageBufferGetDisplaySize(buffer) == CGSize(width: 21, height: 7))
    #expect(CVImageBufferGetCleanRect(buffer) == CGRect(x: 0, y: 0, width: 21, height: 7))
  }

  @Test func `the pixels are zero and can be written to the last byte`() throws {
    let buffer = try makePixelBuffer(5, 3, kCVPixelFormatType_OneComponent16Half)
    let byteCount = CVPixelBufferGetDataSize(buffer)
    let base = try unsafe #require(CVPixelBufferGetBaseAddress(buffer)).assumingMemoryBound(to: UInt8.self)
    #expect((0..<byteCount).allSatisfy { unsafe base[$0] == 0 })
    unsafe memset(CVPixelBufferGetBaseAddress(buffer), 0xA5, byteCount)
    #expect(unsafe base[byteCount - 1] == 0xA5)
  }

  @Test(arguments: [
    (kCVPixelFormatType_OneComponent8, 1), (kCVPixelFormatType_16LE565, 2), (kCVPixelFormatType_OneComponent16Half, 2),
    (kCVPixelFormatType_DepthFloat16, 2), (kCVPixelFormatType_24RGB, 3), (kCVPixelFormatType_24BGR, 3),
    (kCVPixelFormatType_32ARGB, 4), (kCVPixelFormatType_32BGRA, 4), (kCVPixelFormatType_32ABGR, 4), (kCVPixelFormatType_32RGBA, 4),
    (kCVPixelFormatType_OneComponent32Float, 4), (kCVPixelFormatType_DepthFloat32, 4), (kCVPixelFormatType_48RGB, 6),
    (kCVPixelFormatType_64RGBAHalf, 8), (kCVPixelFormatType_128RGBAFloat, 16),
  ])
  func `packed pixels take their bytes`(format: OSType, pixelByteCount: Int) throws {
    let buffer = try makePixelBuffer(13, 2, format, [kCVPixelBufferBytesPerRowAlignmentKey: 1] as CFDictionary)
    #expect(CVPixelBufferGetBytesPerRow(buffer) == 13 * pixelByteCount)
    #expect(CVPixelBufferGetDataSize(buffer) == 26 * pixelByteCount)
    // Packed pixels count as plane 0.
    #expect(unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, 0) == CVPixelBufferGetBaseAddress(buffer))
    #expect(CVPixelBufferGetBytesPerRowOfPlane(buffer, 0) == 13 * pixelByteCount)
    #expect(unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, 1) == nil)
  }

  @Test func `two pixels of shared chroma lie in one block`() throws {
    let attributes = [kCVPixelBufferBytesPerRowAlignmentKey: 1] as CFDictionary
    #expect(CVPixelBufferGetBytesPerRow(try makePixelBuffer(6, 1, kCVPixelFormatType_422YpCbCr8, attributes)) == 12)
    #expect(CVPixelBufferGetBytesPerRow(try makePixelBuffer(7, 1, kCVPixelFormatType_422YpCbCr8, attributes)) == 16)
  }

  @Test(arguments: [1, 2, 16, 64, 128, 4096])
  func `rows are as far apart as the attributes ask`(alignment: Int) throws {
    let attributes: [CFString: Any] = [kCVPixelBufferBytesPerRowAlignmentKey: alignment]
    let buffer = try makePixelBuffer(3, 4, kCVPixelFormatType_24RGB, attributes as CFDictionary)
    #expect(CVPixelBufferGetBytesPerRow(buffer) == (9 + alignment - 1) / alignment * alignment)
  }

  @Test func `attributes may have keys of either type of string, and others besides`() throws {
    let withStrings: [String: Any] = [
      kCVPixelBufferBytesPerRowAlignmentKey as String: 256, kCVPixelBufferCGImageCompatibilityKey as String: true,
    ]
    #expect(CVPixelBufferGetBytesPerRow(try makePixelBuffer(3, 4, kCVPixelFormatType_32BGRA, withStrings as CFDictionary)) == 256)
    let others =
      [
        kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue!, kCVPixelBufferCGBitmapContextCompatibilityKey: kCFBooleanTrue!,
        kCVPixelBufferIOSurfacePropertiesKey: [:] as CFDictionary, kCVPixelBufferMetalCompatibilityKey: true,
        kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey: true, kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey: true,
        kCVPixelBufferIOSurfaceOpenGLFBOCompatibilityKey: true,
      ] as CFDictionary
    let buffer = try makePixelBuffer(3, 4, kCVPixelFormatType_32BGRA, others)
    let known = CVPixelBufferCopyCreationAttributes(buffer)
    #expect(known[kCVPixelBufferWidthKey] as? Int == 3)
    #expect(known[kCVPixelBufferHeightKey] as? Int == 4)
    #expect(known[kCVPixelBufferPixelFormatTypeKey] as? UInt32 == kCVPixelFormatType_32BGRA)
    #expect(known[kCVPixelBufferMetalCompatibilityKey] as? Bool == true)
    let names = ["IOSurfaceOpenGLESTextureCompatibility", "IOSurfaceOpenGLESFBOCompatibility", "IOSurfaceOpenGLFBOCompatibility"]
    for name in names { #expect(known[name as CFString] as? Bool == true) }
  }

  @Test(arguments: [0, -1, 3, 48, Int.max])
  func `an alignment that is not a power of two is refused`(alignment: Int) {
    let attributes = [kCVPixelBufferBytesPerRowAlignmentKey: alignment] as CFDictionary
    var buffer: CVPixelBuffer?
    #expect(
      unsafe CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, attributes, &buffer) == kCVReturnInvalidPixelBufferAttributes)
    #expect(buffer == nil)
  }

  @Test func `an alignment that is no number is refused`() {
    let attributes = [kCVPixelBufferBytesPerRowAlignmentKey: "64"] as CFDictionary
    var buffer: CVPixelBuffer?
    #expect(
      unsafe CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, attributes, &buffer) == kCVReturnInvalidPixelBufferAttributes)
  }

  @Test(arguments: [
    (0, 1), (1, 0), (-1, 4), (4, -1), (Int.min, Int.min), (Int.max, 1), (1, Int.max), (Int.max / 4, 1), (1 << 40, 1 << 40),
  ])
  func `extents without a number of bytes are refused`(width: Int, height: Int) throws {
    for format in [kCVPixelFormatType_32BGRA, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_422YpCbCr8] {
      var buffer: CVPixelBuffer? = try makePixelBuffer(1, 1, format)
      let code = unsafe CVPixelBufferCreate(nil, width, height, format, nil, &buffer)
      #expect(code == kCVReturnInvalidSize || (code == kCVReturnAllocationFailed && width > 0 && height > 0))
      #expect(buffer == nil)
    }
  }

  @Test func `more memory than there is is refused`() {
    var buffer: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreate(nil, 1 << 30, 1 << 28, kCVPixelFormatType_32BGRA, nil, &buffer)
    #expect(code == kCVReturnAllocationFailed)
    #expect(buffer == nil)
  }

  @Test(arguments: [0, 1, 5, 0x3F3F_3F3F, UInt32.max])
  func `unknown formats are refused`(format: OSType) {
    var buffer: CVPixelBuffer?
    #expect(unsafe CVPixelBufferCreate(nil, 4, 4, format, nil, &buffer) == kCVReturnInvalidPixelFormat)
    #expect(buffer == nil)
  }

  @Test func `buffers are equal to themselves only`() throws {
    let first = try makePixelBuffer(2, 2, kCVPixelFormatType_32BGRA)
    let second = try makePixelBuffer(2, 2, kCVPixelFormatType_32BGRA)
    let reference: CVImageBuffer = first
    #expect(first == reference)
    #expect(first != second)
    #expect(Set([first, second, reference]).count == 2)
    #expect((first as Any) is CVPixelBuffer)
  }

  @Test func `each unlock takes one lock of its kind away`() throws {
    let buffer = try makePixelBuffer(2, 2, kCVPixelFormatType_32BGRA)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnInvalidArgument)
    CVPixelBufferLockBaseAddress(buffer, [])
    CVPixelBufferLockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: 0))
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnSuccess)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnSuccess)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnInvalidArgument)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, .readOnly) == kCVReturnSuccess)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, .readOnly) == kCVReturnInvalidArgument)
  }

  @Test func `codes are those of Apple's headers`() {
    #expect(kCVReturnSuccess == 0)
    #expect(kCVReturnInvalidArgument == -6661)
    #expect(kCVReturnInvalidPixelFormat == -6680)
    #expect(kCVReturnPoolAllocationFailed == -6690)
    let codes: [(OSType, String)] = [
      (kCVPixelFormatType_32BGRA, "BGRA"), (kCVPixelFormatType_32RGBA, "RGBA"), (kCVPixelFormatType_24BGR, "24BG"),
      (kCVPixelFormatType_OneComponent8, "L008"), (kCVPixelFormatType_OneComponent16Half, "L00h"),
      (kCVPixelFormatType_OneComponent32Float, "L00f"), (kCVPixelFormatType_64RGBAHalf, "RGhA"),
      (kCVPixelFormatType_DepthFloat16, "hdep"), (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, "420v"),
      (kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, "420f"), (kCVPixelFormatType_420YpCbCr10BiPlanarFullRange, "xf20"),
    ]
    for (code, characters) in codes { #expect(code == characters.utf8.reduce(0) { $0 << 8 | OSType($1) }) }
    #expect(kCVPixelFormatType_32ARGB == 32)
    #expect(kCVPixelFormatType_24RGB == 24)
  }
}
