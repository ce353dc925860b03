import CoreVideo
import Testing

struct PlanarPixelBufferTests {
  struct Plane: Equatable {
    var width: Int
    var height: Int
    var bytesPerRow: Int

    init(_ width: Int, _ height: Int, _ bytesPerRow: Int) {
      self.width = width
      self.height = height
      self.bytesPerRow = bytesPerRow
    }
  }

  static func planes(_ buffer: CVPixelBuffer) -> [Plane] {
    (0..<CVPixelBufferGetPlaneCount(buffer)).map {
      Plane(
        CVPixelBufferGetWidthOfPlane(buffer, $0), CVPixelBufferGetHeightOfPlane(buffer, $0),
        CVPixelBufferGetBytesPerRowOfPlane(buffer, $0))
    }
  }

  @Test(arguments: [
    (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [Plane(7, 5, 8), Plane(4, 3, 8)]),
    (kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, [Plane(7, 5, 8), Plane(4, 3, 8)]),
    (kCVPixelFormatType_422YpCbCr8BiPlanarFullRange, [Plane(7, 5, 8), Plane(4, 5, 8)]),
    (kCVPixelFormatType_444YpCbCr8BiPlanarFullRange, [Plane(7, 5, 8), Plane(7, 5, 16)]),
    (kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, [Plane(7, 5, 16), Plane(4, 3, 16)]),
    (kCVPixelFormatType_420YpCbCr8Planar, [Plane(7, 5, 8), Plane(4, 3, 8), Plane(4, 3, 8)]),
  ])
  func `planes have their extents, rounded up`(format: OSType, expected: [Plane]) throws {
    let buffer = try makePixelBuffer(7, 5, format, [kCVPixelBufferBytesPerRowAlignmentKey: 8] as CFDictionary)
    #expect(CVPixelBufferIsPlanar(buffer))
    #expect(Self.planes(buffer) == expected)
  }

  @Test func `planes lie one after the other within the data`() throws {
    let buffer = try makePixelBuffer(33, 9, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    let base = try unsafe #require(CVPixelBufferGetBaseAddress(buffer))
    let luma = try unsafe #require(CVPixelBufferGetBaseAddressOfPlane(buffer, 0))
    let chroma = try unsafe #require(CVPixelBufferGetBaseAddressOfPlane(buffer, 1))
    #expect(unsafe base == luma)
    #expect(unsafe chroma - luma >= CVPixelBufferGetBytesPerRowOfPlane(buffer, 0) * 9)
    #expect(Int(bitPattern: chroma) % 64 == 0)
    #expect(unsafe chroma - base + CVPixelBufferGetBytesPerRowOfPlane(buffer, 1) * 5 == CVPixelBufferGetDataSize(buffer))
    #expect(CVPixelBufferGetBytesPerRow(buffer) * 9 >= CVPixelBufferGetDataSize(buffer))
    unsafe memset(base, 1, CVPixelBufferGetDataSize(buffer))
    #expect(unsafe chroma.load(fromByteOffset: 4 * 64 + 63, as: UInt8.self) == 1)
  }

  @Test(arguments: [-1, 2, Int.max, Int.min])
  func `a plane that is not there has no extents`(index: Int) throws {
    let buffer = try makePixelBuffer(4, 4, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    #expect(unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, index) == nil)
    #expect(CVPixelBufferGetWidthOfPlane(buffer, index) == 0)
    #expect(CVPixelBufferGetHeightOfPlane(buffer, index) == 0)
    #expect(CVPixelBufferGetBytesPerRowOfPlane(buffer, index) == 0)
  }
}
