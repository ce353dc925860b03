import MartletPixels
import Testing

struct PixelSourceTests {
  static let plain = ColorNormalization(scale: [1, 1, 1], bias: [0, 0, 0])

  /// Elements of the planes that a picture becomes; NaN where none was written.
  func planes(
    _ picture: PixelPicture, _ orientation: ImageOrientation, _ placement: ImagePlacement,
    normalization: ColorNormalization = plain, paddingValue: Float = -7
  ) throws -> [Float] {
    var result = [Float](repeating: .nan, count: 3 * placement.targetWidth * placement.targetHeight)
    try unsafe result.withUnsafeMutableBufferPointer { result in
      try picture.withSource { source in
        unsafe source.writePlanes(
          upright: orientation, placement: placement, normalization: normalization, paddingValue: paddingValue,
          into: result.baseAddress!)
      }
    }
    return result
  }

  /// Compares 0...255 with the reference: samples must be whole numbers, and as near as `tolerance`.
  func expectEqual(
    _ planes: [Float], _ picture: ReferencePicture, _ placement: ImagePlacement, tolerance: Double, paddingValue: Float = -7,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var largest = 0.0
    var faultCount = 0
    for y in 0..<placement.targetHeight {
      for x in 0..<placement.targetWidth {
        let isPicture =
          (placement.x..<placement.x + placement.width).contains(x) && (placement.y..<placement.y + placement.height).contains(y)
        for channel in 0..<3 {
          let value = planes[(channel * placement.targetHeight + y) * placement.targetWidth + x]
          if isPicture {
            if value != value.rounded() { faultCount += 1 }
            largest = max(largest, abs(Double(value) - picture[x - placement.x, y - placement.y][channel]))
          } else if value != paddingValue {
            faultCount += 1
          }
        }
      }
    }
    #expect(faultCount == 0, sourceLocation: sourceLocation)
    #expect(largest <= tolerance, "\(placement)", sourceLocation: sourceLocation)
  }

  // Rounding to 8 bits; conversion of colours in fixed point rounds before that, and its coefficients are rounded, too.
  private func tolerance(_ format: PixelFormat) -> Double {
    switch format {
    case .yCbCr420VideoRange8, .yCbCr420FullRange8, .yCbCr420VideoRange10, .yCbCr420FullRange10: 1.7
    default: 0.501
    }
  }

  @Test(arguments: PixelFormat.allCases, [(1, 1), (2, 2), (7, 5), (16, 3)])
  func `every format is decoded`(format: PixelFormat, extents: (width: Int, height: Int)) throws {
    let picture = PixelPicture(width: extents.width, height: extents.height, format: format)
    let placement = try #require(ImagePlacement.stretched(targetWidth: extents.width, targetHeight: extents.height))
    let result = try planes(picture, .up, placement)
    expectEqual(result, picture.reference, placement, tolerance: format.planeCount == 1 ? 0 : 1.2)
  }

  @Test(
    arguments: ImageOrientation.allCases,
    [(1, 1, 1, 1), (1, 1, 5, 3), (7, 5, 4, 4), (5, 7, 9, 3), (64, 48, 13, 9), (3, 200, 5, 2), (8, 6, 8, 6), (2, 3, 11, 17)])
  func `every orientation is turned and resized`(orientation: ImageOrientation, extents: (Int, Int, Int, Int)) throws {
    for format in [PixelFormat.bgra8, .yCbCr420FullRange8] {
      let picture = PixelPicture(width: extents.0, height: extents.1, format: format, seed: UInt64(orientation.rawValue))
      let placement = try #require(ImagePlacement.stretched(targetWidth: extents.2, targetHeight: extents.3))
      let expected = picture.reference.upright(from: orientation).resized(width: extents.2, height: extents.3)
      expectEqual(try planes(picture, orientation, placement), expected, placement, tolerance: tolerance(format))
    }
  }

  @Test(
    arguments: ImageOrientation.allCases,
    [(8, 4, 8, 8), (4, 8, 9, 7), (100, 1, 6, 6), (1, 100, 6, 6), (30, 20, 7, 31), (1, 1, 4, 9)])
  func `a letterboxed picture is padded`(orientation: ImageOrientation, extents: (Int, Int, Int, Int)) throws {
    for anchor in [ImagePlacement.Anchor.center, .topLeft] {
      let picture = PixelPicture(width: extents.0, height: extents.1, format: .rgb8, seed: 3)
      let upright = picture.reference.upright(from: orientation)
      let placement = try #require(
        ImagePlacement.letterboxed(
          imageWidth: upright.width, imageHeight: upright.height, targetWidth: extents.2, targetHeight: extents.3, anchor: anchor))
      let expected = upright.resized(width: placement.width, height: placement.height)
      expectEqual(try planes(picture, orientation, placement), expected, placement, tolerance: 0.501)
    }
  }

  @Test func `a picture of one colour stays so at any size`() throws {
    let pixel: [UInt8] = [201, 100, 50, 255]
    let bytes = (0..<6 * 8).flatMap { _ in pixel }
    for (width, height) in [(1, 1), (4, 4), (31, 2), (8, 6), (100, 70)] {
      let placement = try #require(ImagePlacement.stretched(targetWidth: width, targetHeight: height))
      var result = [Float](repeating: 0, count: 3 * width * height)
      try unsafe bytes.withUnsafeBytes { bytes in
        try unsafe result.withUnsafeMutableBufferPointer { result in
          let source = try #require(
            unsafe PixelSource(
              width: 8, height: 6, format: .rgba8, plane: .init(base: bytes.baseAddress!, rowByteCount: 32)))
          unsafe source.writePlanes(
            upright: .up, placement: placement, normalization: Self.plain, paddingValue: 0, into: result.baseAddress!)
        }
      }
      #expect(result == [201, 100, 50].flatMap { [Float](repeating: $0, count: width * height) })
    }
  }

  @Test func `samples are normalised by channel, and padding is not`() throws {
    let picture = PixelPicture(width: 4, height: 2, format: .bgra8)
    let placement = try #require(
      ImagePlacement.letterboxed(imageWidth: 4, imageHeight: 2, targetWidth: 4, targetHeight: 4, anchor: .center))
    let mean = SIMD3<Float>(0.485, 0.456, 0.406)
    let deviation = SIMD3<Float>(0.229, 0.224, 0.225)
    let result = try planes(
      picture, .up, placement, normalization: ColorNormalization(factor: 1 / 255, mean: mean, standardDeviation: deviation),
      paddingValue: 0.5)
    for channel in 0..<3 {
      for y in 0..<4 {
        for x in 0..<4 {
          let value = Double(result[(channel * 4 + y) * 4 + x])
          if y == 0 || y == 3 {
            #expect(value == 0.5)
          } else {
            let expected = (picture.reference[x, y - 1][channel] / 255 - Double(mean[channel])) / Double(deviation[channel])
            #expect(abs(value - expected) < 2e-6)
          }
        }
      }
    }
  }

  @Test(arguments: [PixelFormat.rgb8, .abgr8, .yCbCr420VideoRange8, .yCbCr420FullRange10])
  func `a part of a view has the pixels of the whole`(format: PixelFormat) throws {
    let picture = PixelPicture(width: 23, height: 17, format: format, seed: 9)
    try picture.withSource { source in
      let part = try #require(source.cropped(columns: 4..<19, rows: 6..<17))
      let (whole, cut) = (Self.samples(source), Self.samples(part))
      for channel in 0..<3 {
        for y in 0..<11 {
          for x in 0..<15 { #expect(cut[(channel * 11 + y) * 15 + x] == whole[(channel * 17 + y + 6) * 23 + x + 4]) }
        }
      }
      #expect((source.cropped(columns: 3..<5, rows: 0..<2) == nil) == (format.planeCount == 2))
      #expect(source.cropped(columns: 0..<24, rows: 0..<2) == nil && source.cropped(columns: 2..<2, rows: 0..<2) == nil)
    }
  }

  private static func samples(_ source: PixelSource) -> [Float] {
    var result = [Float](repeating: -1, count: 3 * source.width * source.height)
    unsafe result.withUnsafeMutableBytes { unsafe source.writeSamples(order: [0, 1, 2], into: $0.baseAddress!) }
    return result
  }

  @Test func `planes that do not hold the pixels are refused`() {
    let bytes = [UInt8](repeating: 0, count: 64)
    unsafe bytes.withUnsafeBytes { bytes in
      let base = bytes.baseAddress!
      func isAccepted(_ width: Int, _ height: Int, _ format: PixelFormat, _ rowByteCounts: [Int]) -> Bool {
        let planes = rowByteCounts.map { unsafe PixelSource.Plane(base: base, rowByteCount: $0) }
        return PixelSource(width: width, height: height, format: format, plane: planes[0], chroma: planes.count > 1 ? planes[1] : nil)
          != nil
      }
      #expect(isAccepted(4, 2, .bgra8, [16]))
      #expect(!isAccepted(4, 2, .bgra8, [15]))
      #expect(!isAccepted(4, 2, .bgra8, [16, 16]))
      #expect(!isAccepted(0, 2, .bgra8, [16]))
      #expect(!isAccepted(4, -1, .bgra8, [16]))
      #expect(!isAccepted(Int.max, 1, .bgra8, [Int.max]))
      #expect(!isAccepted(4, Int.max, .bgra8, [16]))
      #expect(isAccepted(3, 3, .yCbCr420FullRange8, [3, 4]))
      #expect(!isAccepted(3, 3, .yCbCr420FullRange8, [3, 3]))
      #expect(!isAccepted(3, 3, .yCbCr420FullRange10, [6, 7]))
      #expect(!isAccepted(Int.max, 1, .yCbCr420FullRange8, [Int.max, Int.max]))
      #expect(!isAccepted(2, 2, .yCbCr420FullRange8, [2]))
    }
  }
}
