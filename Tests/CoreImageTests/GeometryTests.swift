import CoreImage
import Testing

struct GeometryTests {
  private let context = CIContext()

  @Test func `a picture that is only rendered keeps its bytes`() throws {
    let bytes = Pictures.bytes(37, 23)
    let image = CIImage(cgImage: Pictures.image(bytes, 37, 23))
    #expect(image.extent == CGRect(x: 0, y: 0, width: 37, height: 23))
    let made = try #require(context.createCGImage(image, from: image.extent))
    #expect((made.width, made.height) == (37, 23))
    #expect(Pictures.bytes(of: made) == bytes)
    // Also by numbers of the working space.
    let same = image.transformed(by: CGAffineTransform(scaleX: 2, y: 2)).transformed(by: CGAffineTransform(scaleX: 0.5, y: 0.5))
    #expect(Pictures.bytes(of: context.createCGImage(same, from: same.extent)!) == bytes)
    let mixed = image.applyingFilter("CIColorMatrix", parameters: ["inputBiasVector": CIVector(x: 0, y: 0, z: 0, w: 0)])
    #expect(Pictures.bytes(of: context.createCGImage(mixed, from: mixed.extent)!) == bytes)
  }

  @Test func `colours multiplied by alpha keep their bytes`() throws {
    var bytes: [UInt8] = []
    for alpha in 0..<256 { for share in 0..<8 { bytes += [UInt8(alpha * share / 7), UInt8(alpha / 2), 0, UInt8(alpha)] } }
    let image = CIImage(cgImage: Pictures.image(bytes, 8, 256))
    let made = try #require(context.createCGImage(image, from: image.extent))
    #expect(Pictures.bytes(of: made) == bytes)
    let mixed = image.applyingFilter("CIColorMatrix")
    let again = Pictures.bytes(of: try #require(context.createCGImage(mixed, from: mixed.extent)))
    #expect(again == bytes)
  }

  @Test func `a rectangle outside of the picture is transparent`() throws {
    let image = CIImage(cgImage: Pictures.image(4, 3))
    let made = try #require(context.createCGImage(image, from: CGRect(x: -1, y: -1, width: 6, height: 5)))
    let bytes = Pictures.bytes(of: made)
    let source = Pictures.bytes(4, 3)
    for row in 0..<5 {
      for column in 0..<6 {
        let pixel = Array(bytes[4 * (row * 6 + column)..<4 * (row * 6 + column) + 4])
        let inside = (1..<4).contains(row) && (1..<5).contains(column)
        let place = 4 * ((row - 1) * 4 + column - 1)
        #expect(pixel == (inside ? Array(source[place..<place + 4]) : [0, 0, 0, 0]))
      }
    }
  }

  @Test func `no picture of an empty or infinite rectangle`() {
    let image = CIImage(cgImage: Pictures.image(4, 3))
    #expect(context.createCGImage(image, from: .zero) == nil)
    #expect(context.createCGImage(image, from: .null) == nil)
    #expect(context.createCGImage(image, from: .infinite) == nil)
    #expect(context.createCGImage(image, from: CGRect(x: 0, y: 0, width: CGFloat.nan, height: 2)) == nil)
    #expect(context.createCGImage(image, from: CGRect(x: 0, y: 0, width: 1e9, height: 1e9)) == nil)
    #expect(context.createCGImage(CIImage(color: .red), from: CIImage(color: .red).extent) == nil)
    #expect(CIImage.empty().extent.isEmpty)
    #expect(CIImage(color: .red).extent.isInfinite)
  }

  @Test func `cropping counts from the lower left`() throws {
    let source = Pictures.bytes(10, 8)
    let image = CIImage(cgImage: Pictures.image(10, 8)).cropped(to: CGRect(x: 2, y: 1, width: 5, height: 3))
    #expect(image.extent == CGRect(x: 2, y: 1, width: 5, height: 3))
    let bytes = Pictures.bytes(of: try #require(context.createCGImage(image, from: image.extent)))
    for row in 0..<3 {
      for column in 0..<5 {
        // The upper row of the crop is y = 3, which is row 4 from the top.
        let place = 4 * ((row + 4) * 10 + column + 2)
        #expect(bytes[4 * (row * 5 + column)] == source[place])
      }
    }
    #expect(CIImage(cgImage: Pictures.image(4, 4)).cropped(to: CGRect(x: 10, y: 0, width: 2, height: 2)).extent.isEmpty)
    #expect(CIImage(cgImage: Pictures.image(4, 4)).cropped(to: CGRect(x: 0.5, y: 0.5, width: 2, height: 2)).extent.width == 3)
  }

  @Test(arguments: 1...8) func `every orientation turns pixels as EXIF says`(_ number: Int) throws {
    let (width, height) = (5, 3)
    let source = Pictures.bytes(width, height)
    let image = CIImage(cgImage: Pictures.image(width, height))
    // Where EXIF 2.32, table 6, has the first row and the first column of the stored picture.
    func upright(_ column: Int, _ row: Int) -> (Int, Int) {
      switch number {
      case 1: (column, row)
      case 2: (width - 1 - column, row)
      case 3: (width - 1 - column, height - 1 - row)
      case 4: (column, height - 1 - row)
      case 5: (row, column)
      case 6: (height - 1 - row, column)
      case 7: (height - 1 - row, width - 1 - column)
      default: (row, width - 1 - column)
      }
    }
    for turned in [
      image.oriented(CGImagePropertyOrientation(rawValue: UInt32(number))!), image.oriented(forExifOrientation: Int32(number)),
      image.transformed(by: image.orientationTransform(for: CGImagePropertyOrientation(rawValue: UInt32(number))!)),
      image.transformed(by: image.orientationTransform(forExifOrientation: Int32(number))),
      // Through numbers of the working space.
      image.applyingFilter("CIColorMatrix").oriented(forExifOrientation: Int32(number)),
    ] {
      #expect(turned.extent == CGRect(x: 0, y: 0, width: number > 4 ? 3 : 5, height: number > 4 ? 5 : 3))
      let bytes = Pictures.bytes(of: try #require(context.createCGImage(turned, from: turned.extent)))
      for row in 0..<height {
        for column in 0..<width {
          let (x, y) = upright(column, row)
          #expect(bytes[4 * (y * Int(turned.extent.width) + x)] == source[4 * (row * width + column)])
        }
      }
    }
    #expect(image.oriented(forExifOrientation: 9).extent == image.extent)
  }

  @Test func `turned and cropped pictures keep their bytes`() throws {
    let image = CIImage(cgImage: Pictures.image(40, 30))
    let turned = image.oriented(.right).cropped(to: CGRect(x: 3, y: 7, width: 20, height: 21)).oriented(.left)
      .transformed(by: CGAffineTransform(translationX: 5, y: -4))
    let whole = image.applyingFilter("CIColorMatrix").oriented(.right).cropped(to: CGRect(x: 3, y: 7, width: 20, height: 21))
      .oriented(.left).transformed(by: CGAffineTransform(translationX: 5, y: -4))
    #expect(turned.extent == whole.extent)
    let rect = turned.extent.insetBy(dx: -2, dy: -2)
    #expect(Pictures.bytes(of: context.createCGImage(turned, from: rect)!) == Pictures.bytes(of: context.createCGImage(whole, from: rect)!))
  }

  @Test func `rotation by a quarter of a circle moves pixels`() throws {
    let image = CIImage(cgImage: Pictures.image(6, 4))
    let turned = image.transformed(by: CGAffineTransform(rotationAngle: .pi / 2))
    #expect(turned.extent == CGRect(x: -4, y: 0, width: 4, height: 6))
    let reference = image.oriented(.left)
    #expect(
      Pictures.bytes(of: context.createCGImage(turned, from: turned.extent)!)
        == Pictures.bytes(of: context.createCGImage(reference, from: reference.extent)!))
  }

  @Test func `enlarging interpolates between middles of pixels`() throws {
    let image = CIImage(cgImage: Pictures.image([0, 0, 0, 255, 255, 255, 255, 255], 2, 1))
    let large = image.transformed(by: CGAffineTransform(scaleX: 4, y: 1))
    #expect(large.extent == CGRect(x: 0, y: 0, width: 8, height: 1))
    let numbers = Pictures.floats(large, large.extent)
    // Middles at 2 and 6; linear between them, constant beyond.
    let expected: [Float] = [0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1]
    for index in 0..<8 {
      #expect(abs(numbers[4 * index] - expected[index]) < 1e-5)
      #expect(numbers[4 * index + 3] == 1)
    }
  }

  @Test func `an edge within a pixel covers a share of it`() {
    let image = CIImage(color: .white).cropped(to: CGRect(x: 0, y: 0, width: 4, height: 4))
      .transformed(by: CGAffineTransform(translationX: 0.25, y: 0))
    #expect(image.extent == CGRect(x: 0, y: 0, width: 5, height: 4))
    let numbers = Pictures.floats(image, CGRect(x: 0, y: 0, width: 5, height: 1))
    #expect(abs(numbers[3] - 0.75) < 1e-5)
    #expect(abs(numbers[7] - 1) < 1e-5)
    #expect(abs(numbers[19] - 0.25) < 1e-5)
  }

  @Test func `reducing averages, or looks up points if the context or the call says so`() {
    // Columns alternate between black and white.
    let bytes = (0..<64).flatMap { index -> [UInt8] in index % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
    let image = CIImage(cgImage: Pictures.image(bytes, 64, 1))
    let map = CGAffineTransform(scaleX: 0.125, y: 1)
    let smooth = Pictures.floats(image.transformed(by: map), CGRect(x: 0, y: 0, width: 8, height: 1))
    #expect(abs(smooth[4 * 4] - 0.5) < 0.02)
    let rough = Pictures.floats(
      image.transformed(by: CGAffineTransform(scaleX: 0.125, y: 1).translatedBy(x: 0.5, y: 0), highQualityDownsample: false),
      CGRect(x: 0, y: 0, width: 8, height: 1))
    // The middle of pixel 4 is at 36 - 0.5 of the picture: the middle of column 35, which is white.
    #expect(abs(rough[4 * 4] - 1) < 1e-4)
    let plain = CIContext(options: [.highQualityDownsample: false])
    let same = Pictures.floats(
      image.transformed(by: CGAffineTransform(scaleX: 0.125, y: 1).translatedBy(x: 0.5, y: 0)), CGRect(x: 0, y: 0, width: 8, height: 1),
      plain)
    #expect(same == rough)
  }

  @Test func `pixels are moved without interpolation`() {
    let image = CIImage(cgImage: Pictures.image([0, 0, 0, 255, 255, 255, 255, 255], 2, 1))
    let map = CGAffineTransform(scaleX: 4, y: 1)
    let nearest = Pictures.floats(image.samplingNearest().transformed(by: map), CGRect(x: 0, y: 0, width: 8, height: 1))
    #expect((0..<8).map { nearest[4 * $0] } == [0, 0, 0, 0, 1, 1, 1, 1])
    let linear = Pictures.floats(image.samplingNearest().samplingLinear().transformed(by: map), CGRect(x: 0, y: 0, width: 8, height: 1))
    #expect(abs(linear[4 * 3] - 0.375) < 1e-5)
    let option = CIImage(cgImage: image.cgImage!, options: [.nearestSampling: true]).transformed(by: map)
    #expect(Pictures.floats(option, CGRect(x: 0, y: 0, width: 8, height: 1)) == nearest)
  }

  @Test func `clamped pictures continue without end`() {
    let image = CIImage(cgImage: Pictures.image(3, 2))
    let clamped = image.clampedToExtent()
    #expect(clamped.extent.isInfinite)
    let inside = Pictures.floats(image, image.extent)
    let around = Pictures.floats(clamped, CGRect(x: -2, y: -3, width: 7, height: 8))
    for row in 0..<8 {
      for column in 0..<7 {
        let (x, y) = (min(max(column - 2, 0), 2), min(max(row - 3, 0), 1))
        for channel in 0..<4 { #expect(around[4 * (row * 7 + column) + channel] == inside[4 * (y * 3 + x) + channel]) }
      }
    }
    let part = image.clamped(to: CGRect(x: 1, y: 1, width: 1, height: 1))
    let pixel = Pictures.floats(part, CGRect(x: 40, y: -9, width: 1, height: 1))
    #expect(pixel[0] == inside[4 * 1])
  }

  @Test func `a rotation samples bilinearly`() {
    let image = CIImage(cgImage: Pictures.image(16, 16))
    let angle = 0.3
    let map = CGAffineTransform(translationX: 8, y: 8).rotated(by: angle).translatedBy(x: -8, y: -8)
    let turned = Pictures.floats(image.transformed(by: map), CGRect(x: 4, y: 4, width: 8, height: 8))
    let source = Pictures.floats(image, image.extent)
    func pixel(_ x: Int, _ y: Int, _ channel: Int) -> Double { Double(source[4 * ((15 - y) * 16 + x) + channel]) }
    for row in 0..<8 {
      for column in 0..<8 {
        let (x, y) = (Double(column) + 4.5 - 8, Double(11 - row) + 0.5 - 8)
        let (u, v) = (x * cos(angle) + y * sin(angle) + 7.5, -x * sin(angle) + y * cos(angle) + 7.5)
        let (left, bottom) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
        let (s, t) = (u - Double(left), v - Double(bottom))
        for channel in 0..<3 {
          let lower = pixel(left, bottom, channel) * (1 - s) + pixel(left + 1, bottom, channel) * s
          let upper = pixel(left, bottom + 1, channel) * (1 - s) + pixel(left + 1, bottom + 1, channel) * s
          #expect(abs(Double(turned[4 * (row * 8 + column) + channel]) - (lower * (1 - t) + upper * t)) < 1e-4)
        }
      }
    }
  }

  @Test func `maps that are no maps leave no pixels`() {
    let image = CIImage(cgImage: Pictures.image(4, 4))
    #expect(image.transformed(by: CGAffineTransform(scaleX: 0, y: 1)).extent.isEmpty)
    #expect(image.transformed(by: CGAffineTransform(scaleX: .nan, y: 1)).extent.isEmpty)
    #expect(image.transformed(by: CGAffineTransform(scaleX: .infinity, y: 1)).extent.isEmpty)
    let huge = image.transformed(by: CGAffineTransform(scaleX: 1e7, y: 1e7))
    #expect(context.createCGImage(huge, from: huge.extent) == nil)
    #expect(context.createCGImage(huge, from: CGRect(x: 1e7, y: 1e7, width: 3, height: 2)) != nil)
  }
}
