import CoreML
import Testing

/// Descriptions and constraints as values: copied, archived, compared.
struct ArchivingTests {
  private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
  }

  @Test func `descriptions and constraints of every kind come back equal from an archive`() async throws {
    var kinds: Set<MLFeatureType> = []
    for name in ["features.mlmodel", "classifier.mlpackage", "loop.mlpackage", "optional.mlpackage", "half.mlpackage", "gray16.mlpackage"] {
      let description = try await MLModelAsset(url: try Fixture.url(name)).modelDescription
      let features = [description.inputDescriptionsByName, description.outputDescriptionsByName, description.stateDescriptionsByName]
      for feature in features.flatMap(\.values) {
        kinds.insert(feature.type)
        let copy = try archived(feature)
        #expect(copy == feature && copy !== feature && copy.hash == feature.hash && copy.description == feature.description)
        #expect(feature.copy() as? MLFeatureDescription == feature)
        if let constraint = feature.multiArrayConstraint {
          #expect(try archived(constraint) == constraint && archived(constraint.shapeConstraint) == constraint.shapeConstraint)
        }
        if let constraint = feature.imageConstraint {
          #expect(try archived(constraint) == constraint && archived(constraint.sizeConstraint) == constraint.sizeConstraint)
          for size in constraint.sizeConstraint.enumeratedImageSizes { #expect(try archived(size) == size) }
        }
        if let constraint = feature.dictionaryConstraint { #expect(try archived(constraint) == constraint) }
        if let constraint = feature.sequenceConstraint { #expect(try archived(constraint) == constraint) }
        if let constraint = feature.stateConstraint { #expect(try archived(constraint) == constraint) }
      }
      for features in features { #expect(Set(features.values).count == features.count) }
    }
    #expect(kinds == [.int64, .double, .string, .image, .multiArray, .dictionary, .sequence, .state])
  }

  @Test func `constraints that differ are not equal, and say what they allow`() throws {
    func array(_ model: String) throws -> MLMultiArrayConstraint {
      try #require(try Fixture.model(model).modelDescription.inputDescriptionsByName["x"]?.multiArrayConstraint)
    }
    let (fixed, range, list) = (try array("arithmetic.mlpackage"), try array("half.mlpackage"), try array("optional.mlpackage"))
    #expect(fixed != range && range != list && fixed.shapeConstraint != list.shapeConstraint && fixed.isEqual(fixed))
    #expect(fixed.description == "MultiArray (Float32, 1 × 3)" && range.description == "MultiArray (Float16, 1 × 1...8)")
    #expect(list.description == "MultiArray (Int32, one of 1 × 2, 1 × 4)")
    let gray = try #require(try Fixture.model("gray.mlpackage").modelDescription.inputDescriptionsByName["picture"]?.imageConstraint)
    let rgb = try #require(try Fixture.model("rgb.mlpackage").modelDescription.inputDescriptionsByName["picture"]?.imageConstraint)
    #expect(gray != rgb && gray.sizeConstraint == rgb.sizeConstraint && gray.description == "Image (Grayscale, 4 × 3)")
  }

  @Test func `keys and sequences come back equal from an archive`() throws {
    let metric = MLMetricKey.lossValue
    #expect(try archived(metric) == metric && metric.description == "lossValue")
    let key = MLParameterKey.weights.scoped(to: "layer")
    #expect(try archived(key) == key && key.copy() as? MLParameterKey == key && key.description == "layer.weights")
    for sequence in [MLSequence(strings: ["a", "b"]), MLSequence(int64s: [1, 2]), MLSequence(empty: .int64)] {
      let copy = try archived(sequence)
      #expect(copy == sequence && copy.hash == sequence.hash && copy.description == sequence.description)
    }
    #expect(MLSequence(strings: ["a"]).description == "String sequence [\"a\"]")
  }

  @Test(arguments: [
    kCVPixelFormatType_32BGRA, kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent16Half,
    kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_422YpCbCr8,
  ])
  func `images come back with the same pixels from an archive`(_ format: OSType) throws {
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 5, 3, format, nil, &created)
    let buffer = try #require(created)
    let byteCount = CVPixelBufferGetDataSize(buffer)
    let bytes = CVPixelBufferGetBaseAddress(buffer).assumingMemoryBound(to: UInt8.self)
    for index in 0..<byteCount { bytes[index] = UInt8(truncatingIfNeeded: index &* 37 &+ 11) }
    let copy = try #require(try archived(MLFeatureValue(pixelBuffer: buffer)).imageBufferValue)
    #expect(copy != buffer && CVPixelBufferGetPixelFormatType(copy) == format)
    #expect(CVPixelBufferGetWidth(copy) == 5 && CVPixelBufferGetHeight(copy) == 3)
    #expect(copy.packedPixels == buffer.packedPixels && copy.packedPixels?.contains { $0 != 0 } == true)
  }

  @Test func `archives of images that hold too few pixels give nothing`() throws {
    #expect(CVPixelBuffer.buffer(width: 4, height: 4, format: kCVPixelFormatType_32BGRA, packedPixels: Data(count: 63)) == nil)
    #expect(CVPixelBuffer.buffer(width: .max, height: 4, format: kCVPixelFormatType_32BGRA, packedPixels: Data(count: 64)) == nil)
    #expect(CVPixelBuffer.buffer(width: -4, height: -4, format: kCVPixelFormatType_32BGRA, packedPixels: Data(count: 64)) == nil)
    #expect(CVPixelBuffer.buffer(width: 4, height: 4, format: 0, packedPixels: Data(count: 64)) == nil)
    #expect(CVPixelBuffer.buffer(width: 4, height: 4, format: kCVPixelFormatType_32BGRA, packedPixels: Data(count: 64)) != nil)
  }

  @Test func `a range of extents is an NSRange, however it is cast`() throws {
    let constraint = try #require(try Fixture.model("half.mlpackage").modelDescription.inputDescriptionsByName["x"]?.multiArrayConstraint)
    let element: Any = constraint.shapeConstraint.sizeRangeForDimension[1]
    #expect(element as? NSRange == NSRange(location: 1, length: 8))
    #expect(constraint.shapeConstraint.sizeRangeForDimension[1].rangeValue.upperBound == 9)
    #expect(constraint.shapeConstraint.sizeRangeForDimension.map(\.rangeValue.length) == [1, 8])
  }
}
