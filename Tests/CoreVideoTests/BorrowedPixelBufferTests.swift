import CoreVideo
import Testing

/// Buffers over memory of the caller.
struct BorrowedPixelBufferTests {
  /// What a callback was called with; a C function reaches it by its context only.
  final class Release {
    var callCount = 0
    var address: UInt?
    var dataSize: Int?
    var planeAddresses: [UInt?] = []

    static func of(_ context: UnsafeMutableRawPointer?) -> Release {
      unsafe Unmanaged<Release>.fromOpaque(context!).takeUnretainedValue()
    }
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }
  }

  @Test func `pixels are the caller's until they are released, once`() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 40, alignment: 16)
    defer { unsafe memory.deallocate() }
    let release = Release()
    var buffer: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreateWithBytes(
      kCFAllocatorDefault, 4, 2, kCVPixelFormatType_32BGRA, memory, 20,
      { context, address in
        let release = unsafe Release.of(context)
        release.callCount += 1
        release.address = UInt(bitPattern: address)
      }, release.context, nil, &buffer)
    #expect(code == kCVReturnSuccess)
    do {
      let made = try #require(buffer)
      #expect(unsafe CVPixelBufferGetBaseAddress(made) == memory)
      #expect(CVPixelBufferGetBytesPerRow(made) == 20)
      #expect(CVPixelBufferGetDataSize(made) == 40)
      #expect(release.callCount == 0)
    }
    buffer = nil
    #expect(release.callCount == 1)
    #expect(release.address == UInt(bitPattern: memory))
  }

  @Test func `bad arguments are refused and nothing is released`() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    defer { unsafe memory.deallocate() }
    let release = Release()
    let cases: [(Int, Int, OSType, Int, CVReturn)] = [
      (4, 2, kCVPixelFormatType_32BGRA, 15, kCVReturnInvalidArgument), (4, 2, kCVPixelFormatType_32BGRA, -16, kCVReturnInvalidArgument),
      (0, 2, kCVPixelFormatType_32BGRA, 16, kCVReturnInvalidSize), (4, -2, kCVPixelFormatType_32BGRA, 16, kCVReturnInvalidSize),
      (Int.max, 2, kCVPixelFormatType_32BGRA, 16, kCVReturnInvalidSize),
      (4, Int.max, kCVPixelFormatType_32BGRA, 16, kCVReturnInvalidSize), (4, 2, 7, 16, kCVReturnInvalidPixelFormat),
      (4, 2, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, 16, kCVReturnInvalidPixelFormat),
    ]
    for (width, height, format, bytesPerRow, expected) in cases {
      var buffer: CVPixelBuffer?
      let code = unsafe CVPixelBufferCreateWithBytes(
        nil, width, height, format, memory, bytesPerRow, { context, _ in unsafe Release.of(context).callCount += 1 }, release.context,
        nil, &buffer)
      #expect(code == expected)
      #expect(buffer == nil)
    }
    #expect(release.callCount == 0)
  }

  @Test func `planes are the caller's until they are released, once`() throws {
    let luma = UnsafeMutableRawPointer.allocate(byteCount: 6 * 4, alignment: 16)
    let chroma = UnsafeMutableRawPointer.allocate(byteCount: 8 * 2, alignment: 16)
    defer {
      unsafe luma.deallocate()
      unsafe chroma.deallocate()
    }
    let release = Release()
    var bases: [UnsafeMutableRawPointer?] = unsafe [luma, chroma]
    var widths = [5, 3]
    var heights = [4, 2]
    var bytesPerRow = [6, 8]
    var buffer: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreateWithPlanarBytes(
      kCFAllocatorDefault, 5, 4, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, 0, 2, &bases, &widths, &heights, &bytesPerRow,
      { context, _, dataSize, count, addresses in
        let release = unsafe Release.of(context)
        release.callCount += 1
        release.dataSize = dataSize
        for index in 0..<count { unsafe release.planeAddresses.append(addresses?[index].map { UInt(bitPattern: $0) }) }
      }, release.context, nil, &buffer)
    #expect(code == kCVReturnSuccess)
    do {
      let made = try #require(buffer)
      #expect(unsafe CVPixelBufferGetBaseAddressOfPlane(made, 0) == luma)
      #expect(unsafe CVPixelBufferGetBaseAddressOfPlane(made, 1) == chroma)
      #expect(PlanarPixelBufferTests.planes(made) == [.init(5, 4, 6), .init(3, 2, 8)])
    }
    buffer = nil
    #expect(release.callCount == 1)
    #expect(release.dataSize == 0)
    #expect(release.planeAddresses == [UInt(bitPattern: luma), UInt(bitPattern: chroma)])
  }

  @Test func `planes that are not the format's are refused`() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    defer { unsafe memory.deallocate() }
    func code(
      width: Int = 4, format: OSType = kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, planeCount: Int = 2, hasChroma: Bool = true,
      chromaWidth: Int = 2, bytesPerRow: Int = 4
    ) -> CVReturn {
      var bases: [UnsafeMutableRawPointer?] = unsafe [memory, hasChroma ? memory + 16 : nil]
      var widths = [width, chromaWidth]
      var heights = [4, 2]
      var rows = [bytesPerRow, 4]
      var buffer: CVPixelBuffer?
      let code = unsafe CVPixelBufferCreateWithPlanarBytes(
        nil, width, 4, format, memory, 24, planeCount, &bases, &widths, &heights, &rows, nil, nil, nil, &buffer)
      #expect((buffer != nil) == (code == kCVReturnSuccess))
      return code
    }
    #expect(code() == kCVReturnSuccess)
    #expect(code(width: 0) == kCVReturnInvalidSize)
    #expect(code(format: kCVPixelFormatType_32BGRA) == kCVReturnInvalidPixelFormat)
    #expect(code(planeCount: 1) == kCVReturnInvalidArgument)
    #expect(code(planeCount: -1) == kCVReturnInvalidArgument)
    #expect(code(hasChroma: false) == kCVReturnInvalidArgument)
    #expect(code(chromaWidth: 1) == kCVReturnInvalidArgument)
    #expect(code(bytesPerRow: 3) == kCVReturnInvalidArgument)
    #expect(code(bytesPerRow: Int.max) == kCVReturnInvalidSize)
  }
}
