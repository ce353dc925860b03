import CoreImage
import CoreImage.CIFilterBuiltins
import Testing

struct FilterTests {
  private let context = CIContext()

  @Test func `filters with typed inputs do what those with names do`() throws {
    let image = CIImage(cgImage: Pictures.image(12, 9))
    let typed = CIFilter.gaussianBlur()
    typed.inputImage = image
    typed.radius = 2
    #expect(typed.radius == 2 && typed.inputImage === image)
    let named = try #require(CIFilter(name: "CIGaussianBlur", parameters: [kCIInputImageKey: image, kCIInputRadiusKey: 2.0]))
    let first = try #require(typed.outputImage)
    let second = try #require(named.outputImage)
    #expect(first.extent == second.extent)
    #expect(Pictures.floats(first, first.extent) == Pictures.floats(second, second.extent))
    let third = image.applyingGaussianBlur(sigma: 2)
    #expect(Pictures.floats(third, first.extent) == Pictures.floats(first, first.extent))
  }

  @Test func `a blur weights by a normal distribution`() {
    let sigma = 1.5
    let dot = CIImage(color: .white).cropped(to: CGRect(x: 10, y: 10, width: 1, height: 1))
    let blurred = dot.applyingFilter("CIGaussianBlur", parameters: [kCIInputRadiusKey: sigma])
    #expect(blurred.extent == CGRect(x: 5, y: 5, width: 11, height: 11))
    let numbers = Pictures.floats(blurred, blurred.extent)
    let weights = (-5...5).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = weights.reduce(0, +)
    for row in 0..<11 {
      for column in 0..<11 {
        #expect(abs(Double(numbers[4 * (11 * row + column) + 3]) - weights[row] * weights[column] / (sum * sum)) < 1e-5)
      }
    }
    #expect(dot.applyingGaussianBlur(sigma: 0).extent == dot.extent)
    #expect(dot.applyingGaussianBlur(sigma: .nan).extent == dot.extent)
  }

  @Test func `masks choose between two images`() throws {
    let rect = CGRect(x: 0, y: 0, width: 3, height: 1)
    let mask = CIImage(cgImage: Pictures.image([0, 0, 0, 255, 188, 188, 188, 255, 255, 255, 255, 255], 3, 1))
    let share = Pictures.linear(188)
    let filter = CIFilter.blendWithMask()
    filter.inputImage = CIImage(color: .red).cropped(to: rect)
    filter.backgroundImage = CIImage(color: .blue).cropped(to: rect)
    filter.maskImage = mask
    let numbers = Pictures.floats(try #require(filter.outputImage), rect)
    #expect(Pictures.areNear([numbers[0], numbers[2], numbers[8], numbers[10]], [0, 1, 1, 0]))
    #expect(abs(Double(numbers[4]) - share) < 1e-3 && abs(Double(numbers[6]) - (1 - share)) < 1e-3)
    for (name, color, expected) in [
      ("CIBlendWithRedMask", CIColor.red, Float(1)), ("CIBlendWithBlueMask", .red, 0), ("CIBlendWithBlueMask", .blue, 1),
      ("CIBlendWithAlphaMask", .black, 1), ("CIBlendWithMask", .red, 0.2126),
    ] {
      let output = CIImage(color: .white).applyingFilter(
        name, parameters: [kCIInputBackgroundImageKey: CIImage(color: .black), kCIInputMaskImageKey: CIImage(color: color)])
      #expect(abs(Pictures.floats(output, rect)[0] - expected) < 1e-5)
    }
    for typed in [CIFilter.blendWithAlphaMask(), CIFilter.blendWithRedMask(), CIFilter.blendWithBlueMask()] {
      typed.inputImage = CIImage(color: .red)
      typed.maskImage = CIImage(color: .white)
      #expect(Pictures.floats(try #require(typed.outputImage), rect)[0] == 1)
    }
  }

  @Test func `a matrix mixes the components of a colour`() throws {
    let pixel = CGRect(x: 0, y: 0, width: 1, height: 1)
    let filter = CIFilter.colorMatrix()
    filter.inputImage = CIImage(color: CIColor(red: 1, green: 0, blue: 1, alpha: 0.5)).cropped(to: pixel)
    filter.rVector = CIVector(x: 0.5, y: 0, z: 0.25, w: 0)
    filter.gVector = CIVector(x: 0, y: 0, z: 0, w: 1)
    filter.bVector = CIVector(x: 0, y: 0, z: 0.5, w: 0)
    filter.aVector = CIVector(x: 0, y: 0, z: 0, w: 0.5)
    filter.biasVector = CIVector(x: 0.125, y: 0, z: 0, w: 0.25)
    // Straight 0.875, 0.5, 0.5 with an alpha of 0.5, multiplied.
    let numbers = Pictures.floats(try #require(filter.outputImage), pixel)
    #expect(zip(numbers, [0.4375, 0.25, 0.25, 0.5]).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func `one image lies over another`() throws {
    let pixel = CGRect(x: 0, y: 0, width: 1, height: 1)
    let filter = CIFilter.sourceOverCompositing()
    filter.inputImage = CIImage(color: CIColor(red: 1, green: 0, blue: 0, alpha: 0.25)).cropped(to: pixel)
    filter.backgroundImage = CIImage(color: .blue).cropped(to: CGRect(x: 0, y: 0, width: 2, height: 2))
    let output = try #require(filter.outputImage)
    #expect(output.extent == CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(Pictures.areNear(Pictures.floats(output, pixel), [0.25, 0, 0.75, 1]))
    #expect(Pictures.areNear(Pictures.floats(output, CGRect(x: 1, y: 1, width: 1, height: 1)), [0, 0, 1, 1]))
  }

  @Test func `a quadrilateral becomes a rectangle`() throws {
    // A rectangle corrects to itself.
    let image = CIImage(cgImage: Pictures.image(20, 16))
    let filter = CIFilter.perspectiveCorrection()
    filter.inputImage = image
    filter.topLeft = CGPoint(x: 4, y: 13)
    filter.topRight = CGPoint(x: 14, y: 13)
    filter.bottomRight = CGPoint(x: 14, y: 5)
    filter.bottomLeft = CGPoint(x: 4, y: 5)
    let output = try #require(filter.outputImage)
    #expect(output.extent == CGRect(x: 0, y: 0, width: 10, height: 8))
    let part = Pictures.floats(image, CGRect(x: 4, y: 5, width: 10, height: 8))
    #expect(zip(Pictures.floats(output, output.extent), part).allSatisfy { abs($0 - $1) < 1e-4 })
    // Any quadrilateral of an image that is linear in x and y: where a line through opposite corners meets the other one is the middle.
    var ramp: [UInt8] = []
    for row in 0..<64 { for column in 0..<64 { ramp += [UInt8(column * 4), UInt8((63 - row) * 4), 0, 255] } }
    let plain = CIContext(options: [.workingColorSpace: NSNull()])
    filter.inputImage = CIImage(cgImage: Pictures.image(ramp, 64, 64))
    filter.topLeft = CGPoint(x: 12, y: 58)
    filter.topRight = CGPoint(x: 50, y: 52)
    filter.bottomRight = CGPoint(x: 60, y: 8)
    filter.bottomLeft = CGPoint(x: 6, y: 10)
    let skewed = try #require(filter.outputImage)
    // Intersection of the diagonals.
    let (d1, d2) = (CGPoint(x: 60 - 12, y: 8 - 58), CGPoint(x: 6 - 50, y: 10 - 52))
    let t = ((50 - 12) * d2.y - (52 - 58) * d2.x) / (d1.x * d2.y - d1.y * d2.x)
    let meeting = CGPoint(x: 12 + t * d1.x, y: 58 + t * d1.y)
    let numbers = Pictures.floats(skewed, skewed.extent, plain)
    let (width, height) = (Int(skewed.extent.width), Int(skewed.extent.height))
    // Mean of the pixels around the middle.
    func mean(_ channel: Int) -> Double {
      var sum: Float = 0
      for y in [height / 2 - 1, (height - 1) / 2 + 1] {
        for x in [width / 2 - 1, (width - 1) / 2 + 1] { sum += numbers[4 * (min(y, height - 1) * width + x) + channel] }
      }
      return Double(sum) / 4
    }
    #expect(abs(mean(0) * 255 / 4 + 0.5 - meeting.x) < 0.6)
    #expect(abs(mean(1) * 255 / 4 + 0.5 - meeting.y) < 0.6)
    filter.topLeft = filter.topRight
    filter.bottomLeft = filter.topRight
    #expect(filter.outputImage == nil)
  }

  @Test func `components above a threshold become one`() throws {
    // Straight colours as bytes, the last one half transparent.
    let bytes: [UInt8] = [200, 100, 0, 255, 127, 128, 129, 255, 90, 20, 40, 128]
    let image = CIImage(cgImage: Pictures.image(bytes, 3, 1))
    let plain = CIContext(options: [.workingColorSpace: NSNull()])
    func thresholded(_ filter: CIFilter) throws -> [Float] {
      let output = try #require(filter.outputImage)
      #expect(output.extent == image.extent)
      return Pictures.floats(output, output.extent, plain)
    }
    let numbers = Pictures.floats(image, image.extent, plain)
    func expected(_ limit: Float) -> [Float] {
      numbers.indices.map { index in
        let alpha = numbers[index / 4 * 4 + 3]
        return index % 4 == 3 ? alpha : numbers[index] / alpha > limit ? alpha : 0
      }
    }
    let filter = CIFilter.colorThreshold()
    filter.inputImage = image
    #expect(filter.threshold == 0.5)
    #expect(zip(try thresholded(filter), expected(0.5)).allSatisfy { abs($0 - $1) < 1e-3 })
    filter.threshold = 0.1
    let low = try thresholded(filter)
    #expect(zip(low, expected(0.1)).allSatisfy { abs($0 - $1) < 1e-3 } && low != expected(0.5))
    let named = try #require(CIFilter(name: "CIColorThreshold", parameters: [kCIInputImageKey: image, "inputThreshold": 0.1]))
    #expect(try thresholded(named) == low)
  }

  @Test func `Lanczos scales by height and aspect ratio`() throws {
    // One axis by the formula of the windowed sinc, normalised, with 24 positions of the source for each side of a result.
    let bytes = (0..<64).flatMap { index -> [UInt8] in [UInt8(index * 59 % 256), 0, 0, 255] }
    let image = CIImage(cgImage: Pictures.image(bytes, 64, 1))
    let filter = CIFilter.lanczosScaleTransform()
    filter.inputImage = image
    filter.scale = 1
    filter.aspectRatio = 0.125
    let output = try #require(filter.outputImage)
    #expect(output.extent == CGRect(x: 0, y: 0, width: 8, height: 1))
    let numbers = Pictures.floats(output, output.extent)
    func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
    for column in 0..<8 {
      var (sum, total) = (0.0, 0.0)
      for source in 0..<64 {
        let distance = (Double(source) + 0.5 - (Double(column) + 0.5) * 8) / 8
        let weight = abs(distance) < 3 ? sinc(distance) * sinc(distance / 3) : 0
        sum += weight * Pictures.linear(bytes[4 * source])
        total += weight
      }
      #expect(abs(Double(numbers[4 * column]) - sum / total) < 2e-4)
    }
    let named = image.applyingFilter("CILanczosScaleTransform", parameters: [kCIInputScaleKey: 2.0, kCIInputAspectRatioKey: 1.5])
    #expect(named.extent == CGRect(x: 0, y: 0, width: 192, height: 2))
  }

  @Test func `geometry and colours have filters, too`() throws {
    let image = CIImage(cgImage: Pictures.image(4, 3))
    let map = CGAffineTransform(translationX: 2, y: 1)
    let moved = image.applyingFilter("CIAffineTransform", parameters: [kCIInputTransformKey: map])
    #expect(moved.extent == CGRect(x: 2, y: 1, width: 4, height: 3))
    let other = AffineTransform(translationByX: 2, byY: 1)
    let foundation = image.applyingFilter("CIAffineTransform", parameters: [kCIInputTransformKey: other])
    #expect(foundation.extent == moved.extent)
    let cropped = image.applyingFilter("CICrop", parameters: ["inputRectangle": CIVector(x: 1, y: 1, z: 2, w: 1)])
    #expect(cropped.extent == CGRect(x: 1, y: 1, width: 2, height: 1))
    let clamp = CIFilter.affineClamp()
    clamp.inputImage = image
    clamp.transform = .identity
    #expect(try #require(clamp.outputImage).extent.isInfinite)
    let color = try #require(CIFilter(name: "CIConstantColorGenerator", parameters: [kCIInputColorKey: CIColor.green])?.outputImage)
    #expect(Pictures.areNear(Pictures.floats(color, CGRect(x: 9, y: 9, width: 1, height: 1)), [0, 1, 0, 1]))
  }

  @Test func `names of no filter give none`() throws {
    #expect(CIFilter(name: "CIPixellate") == nil)
    #expect(CIFilter(name: "", parameters: nil) == nil)
    #expect(CIImage(color: .red).applyingFilter("CIUnknown").extent.isEmpty)
    #expect(CIFilter.filterNames(inCategory: kCICategoryBlur) == ["CIGaussianBlur"])
    #expect(CIFilter.filterNames(inCategory: nil).contains("CIColorMatrix"))
    #expect(CIFilter.filterNames(inCategories: [kCICategoryBlur, kCICategoryStylize]) == [])
    #expect(CIFilter.localizedName(forFilterName: "CIGaussianBlur") == "Gaussian Blur")
  }

  @Test func `inputs have names and defaults`() throws {
    let filter = try #require(CIFilter(name: "CIGaussianBlur"))
    #expect(filter.name == "CIGaussianBlur")
    #expect(filter.inputKeys == [kCIInputImageKey, kCIInputRadiusKey] && filter.outputKeys == [kCIOutputImageKey])
    #expect((filter.value(forKey: kCIInputRadiusKey) as? NSNumber)?.doubleValue == 10)
    #expect(filter.outputImage == nil && filter.value(forKey: kCIOutputImageKey) == nil)
    filter.setValue(3, forKey: kCIInputRadiusKey)
    filter.setValue(CIImage(color: .red), forKey: kCIInputImageKey)
    filter.setValue(1, forKey: "inputNothing")
    #expect(filter.value(forKey: "inputNothing") == nil)
    let copy = try #require(filter.copy() as? CIFilter)
    #expect(copy.value(forKey: kCIInputRadiusKey) as? Int == 3 && copy.outputImage != nil)
    filter.setDefaults()
    #expect((filter.value(forKey: kCIInputRadiusKey) as? NSNumber)?.doubleValue == 10)
    #expect(copy.value(forKey: kCIInputRadiusKey) as? Int == 3)
    let described = try #require(filter.attributes[kCIInputRadiusKey] as? [String: Any])
    #expect(described[kCIAttributeClass] as? String == "NSNumber")
    #expect(filter.attributes[kCIAttributeFilterName] as? String == "CIGaussianBlur")
  }

  /// A filter of a client's own.
  private final class Inverted: CIFilter {
    var inputImage: CIImage?
    override var outputImage: CIImage? {
      inputImage?.applyingFilter(
        "CIColorMatrix",
        parameters: [
          "inputRVector": CIVector(x: -1, y: 0, z: 0, w: 0), "inputGVector": CIVector(x: 0, y: -1, z: 0, w: 0),
          "inputBVector": CIVector(x: 0, y: 0, z: -1, w: 0), "inputBiasVector": CIVector(x: 1, y: 1, z: 1, w: 0),
        ])
    }
  }

  @Test func `clients make filters of their own`() throws {
    let filter = Inverted()
    filter.inputImage = CIImage(color: .red)
    let numbers = Pictures.floats(try #require(filter.outputImage), CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(Pictures.areNear(numbers, [0, 1, 1, 1]))
  }

  @Test func `a QR code is described by its codewords`() throws {
    let code = try #require(CIQRCodeDescriptor(payload: Data([1, 2]), symbolVersion: 3, maskPattern: 4, errorCorrectionLevel: .levelQ))
    #expect(code.errorCorrectedPayload == Data([1, 2]) && code.symbolVersion == 3 && code.maskPattern == 4)
    #expect(code.errorCorrectionLevel.rawValue == 81)
    #expect(CIQRCodeDescriptor(payload: Data(), symbolVersion: 41, maskPattern: 0, errorCorrectionLevel: .levelL) == nil)
    #expect(CIQRCodeDescriptor(payload: Data(), symbolVersion: 1, maskPattern: 8, errorCorrectionLevel: .levelM) == nil)
  }

  @Test func `codes of other kinds have the sizes that their standards allow`() throws {
    let payload = Data([1, 2])
    let matrix = try #require(CIDataMatrixCodeDescriptor(payload: payload, rowCount: 8, columnCount: 18, eccVersion: .v200))
    #expect(matrix.errorCorrectedPayload == payload && matrix.rowCount == 8 && matrix.columnCount == 18)
    #expect(matrix.eccVersion.rawValue == 200)
    #expect(CIDataMatrixCodeDescriptor(payload: payload, rowCount: 9, columnCount: 9, eccVersion: .v200) == nil)
    #expect(CIDataMatrixCodeDescriptor(payload: payload, rowCount: 9, columnCount: 9, eccVersion: .v080) != nil)
    #expect(CIDataMatrixCodeDescriptor(payload: payload, rowCount: 51, columnCount: 9, eccVersion: .v140) == nil)
    let aztec = try #require(CIAztecCodeDescriptor(payload: payload, isCompact: true, layerCount: 4, dataCodewordCount: 64))
    #expect(aztec.errorCorrectedPayload == payload && aztec.isCompact && aztec.layerCount == 4 && aztec.dataCodewordCount == 64)
    #expect(CIAztecCodeDescriptor(payload: payload, isCompact: true, layerCount: 5, dataCodewordCount: 1) == nil)
    #expect(CIAztecCodeDescriptor(payload: payload, isCompact: false, layerCount: 5, dataCodewordCount: 2049) == nil)
    let stacked = try #require(CIPDF417CodeDescriptor(payload: payload, isCompact: false, rowCount: 90, columnCount: 30))
    #expect(stacked.errorCorrectedPayload == payload && !stacked.isCompact && stacked.rowCount == 90 && stacked.columnCount == 30)
    #expect(CIPDF417CodeDescriptor(payload: payload, isCompact: false, rowCount: 2, columnCount: 1) == nil)
    #expect(CIRenderDestinationAlphaMode(rawValue: 2) == .unpremultiplied)
  }
}
