import CoreML
import Testing

/// What models say about themselves.
struct DescriptionTests {
  @Test func `inputs, outputs and metadata of a program`() throws {
    let description = try Fixture.model("arithmetic.mlpackage").modelDescription
    #expect(Set(description.inputDescriptionsByName.keys) == ["x", "y"])
    #expect(Set(description.outputDescriptionsByName.keys) == ["sum", "product"])
    let x = try #require(description.inputDescriptionsByName["x"])
    #expect(x.name == "x" && x.type == .multiArray && !x.isOptional && x.imageConstraint == nil && x.stateConstraint == nil)
    let constraint = try #require(x.multiArrayConstraint)
    #expect(constraint.shape == [1, 3] && constraint.dataType == .float32)
    // A fixed shape is the only one of a list.
    #expect(constraint.shapeConstraint.type == .enumerated && constraint.shapeConstraint.enumeratedShapes == [[1, 3]])
    #expect(constraint.shapeConstraint.sizeRangeForDimension == [NSRange(location: 1, length: 1), NSRange(location: 3, length: 1)])
    #expect(description.metadata[.author] as? String == "an author" && description.metadata[.description] as? String == "a description")
    #expect(description.metadata[.license] as? String == "a license" && description.metadata[.versionString] as? String == "1.2")
    let custom = try #require(description.metadata[.creatorDefinedKey] as? [String: String])
    #expect(custom["key"] == "value")
    #expect(description.predictedFeatureName == nil && description.classLabels == nil && !description.isUpdatable)
    #expect(description.stateDescriptionsByName.isEmpty && description.trainingInputDescriptionsByName.isEmpty)
    #expect(description.parameterDescriptionsByKey.isEmpty)
  }

  @Test func `ranges and lists of shapes`() throws {
    let half = try #require(try Fixture.model("half.mlpackage").modelDescription.inputDescriptionsByName["x"]?.multiArrayConstraint)
    #expect(half.dataType == .float16 && half.shapeConstraint.type == .range && half.shapeConstraint.enumeratedShapes == [])
    #expect(half.shapeConstraint.sizeRangeForDimension[1] == NSRange(location: 1, length: 8))
    #expect(half.shapeConstraint.sizeRangeForDimension[0].rangeValue == NSRange(location: 1, length: 1))
    let listed = try Fixture.model("optional.mlpackage").modelDescription.inputDescriptionsByName
    let shapes = try #require(listed["x"]?.multiArrayConstraint?.shapeConstraint)
    #expect(shapes.type == .enumerated && shapes.enumeratedShapes == [[1, 2], [1, 4]])
    #expect(listed["x"]?.multiArrayConstraint?.dataType == .int32 && listed["scale"]?.isOptional == true)
  }

  @Test func `an array without a declared shape may have any`() throws {
    let array = try #require(try Fixture.model("half.mlpackage").modelDescription.outputDescriptionsByName["y"])
    let constraint = try #require(array.multiArrayConstraint?.shapeConstraint)
    #expect(constraint.type == .unspecified && constraint.enumeratedShapes.isEmpty && constraint.sizeRangeForDimension.isEmpty)
    for shape: [NSNumber] in [[1], [2, 3, 4]] {
      #expect(array.isAllowedValue(MLFeatureValue(multiArray: try MLMultiArray(shape: shape, dataType: .float16))))
    }
  }

  @Test func `images, states and classifiers`() throws {
    let image = try #require(try Fixture.model("rgb.mlpackage").modelDescription.inputDescriptionsByName["picture"])
    #expect(image.type == .image)
    let constraint = try #require(image.imageConstraint)
    #expect(constraint.pixelsWide == 4 && constraint.pixelsHigh == 3 && constraint.pixelFormatType == kCVPixelFormatType_32BGRA)
    let sizes = constraint.sizeConstraint
    #expect(sizes.type == .enumerated && sizes.enumeratedImageSizes.map(\.pixelsWide) == [4])
    #expect(sizes.enumeratedImageSizes.map(\.pixelsHigh) == [3])
    #expect(sizes.pixelsWideRange == NSRange(location: 4, length: 1) && sizes.pixelsHighRange == NSRange(location: 3, length: 1))
    let gray = try Fixture.model("gray.mlpackage").modelDescription
    #expect(gray.outputDescriptionsByName["negative"]?.imageConstraint?.pixelFormatType == kCVPixelFormatType_OneComponent8)
    let gray16 = try Fixture.model("gray16.mlpackage").modelDescription
    #expect(gray16.inputDescriptionsByName["picture"]?.imageConstraint?.pixelFormatType == kCVPixelFormatType_OneComponent16Half)
    let state = try Fixture.model("loop.mlpackage").modelDescription.stateDescriptionsByName
    #expect(state.count == 1 && state["total"]?.type == .state)
    #expect(state["total"]?.stateConstraint?.bufferShape == [64] && state["total"]?.stateConstraint?.dataType == .float16)
    let classifier = try Fixture.model("classifier.mlpackage").modelDescription
    #expect(classifier.predictedFeatureName == "label" && classifier.predictedProbabilitiesName == "scores")
    #expect(classifier.classLabels as? [String] == ["cat", "dog", "bird"])
    #expect(classifier.outputDescriptionsByName["scores"]?.dictionaryConstraint?.keyType == .string)
    #expect(try Fixture.model("numbered_classifier.mlpackage").modelDescription.classLabels as? [NSNumber] == [10, 20, 30])
  }

  @Test func `every kind of feature is described, and allows what it should`() async throws {
    let description = try await MLModelAsset(url: try Fixture.url("features.mlmodel")).modelDescription
    func input(_ name: String) throws -> MLFeatureDescription { try #require(description.inputDescriptionsByName[name]) }
    #expect(try input("int64").type == .int64 && input("double").type == .double && input("string").type == .string)
    #expect(try input("int64").isAllowedValue(MLFeatureValue(int64: 1)) && !input("int64").isAllowedValue(MLFeatureValue(double: 1)))
    #expect(try input("double").isAllowedValue(MLFeatureValue(int64: 1)) && !input("double").isAllowedValue(MLFeatureValue(string: "1")))
    func number(_ type: MLMultiArrayDataType, _ shape: [NSNumber] = [1]) throws -> MLFeatureValue {
      MLFeatureValue(multiArray: try MLMultiArray(shape: shape, dataType: type))
    }
    #expect(try input("double").isAllowedValue(number(.int32)) && input("int64").isAllowedValue(number(.int32)))
    #expect(try !input("int64").isAllowedValue(number(.double)) && !input("double").isAllowedValue(number(.int32, [2])))
    let gray = try #require(try input("gray").imageConstraint)
    #expect(gray.sizeConstraint.type == .enumerated && gray.sizeConstraint.enumeratedImageSizes.map(\.pixelsWide) == [8, 16])
    #expect(gray.sizeConstraint.enumeratedImageSizes.map(\.pixelsHigh) == [6, 12])
    let rgb = try #require(try input("rgb").imageConstraint?.sizeConstraint)
    #expect(rgb.type == .range && rgb.pixelsWideRange == NSRange(location: 4, length: 29) && rgb.pixelsHighRange.location == 1)
    #expect(rgb.pixelsHighRange.length > 1_000_000_000)
    #expect(try input("dictionary").dictionaryConstraint?.keyType == .int64)
    #expect(try input("dictionary").isAllowedValue(MLFeatureValue(dictionary: [1: 1])))
    #expect(try !input("dictionary").isAllowedValue(MLFeatureValue(dictionary: ["1": 1])))
    let sequence = try #require(try input("sequence").sequenceConstraint)
    #expect(sequence.valueDescription.type == .string && sequence.countRange == NSRange(location: 1, length: 5))
    #expect(try input("sequence").isAllowedValue(MLFeatureValue(sequence: MLSequence(strings: ["a"]))))
    #expect(try !input("sequence").isAllowedValue(MLFeatureValue(sequence: MLSequence(strings: []))))
    #expect(try !input("sequence").isAllowedValue(MLFeatureValue(sequence: MLSequence(int64s: [1]))))
    #expect(try input("int8").multiArrayConstraint?.dataType == .int8)
    func array(_ shape: [NSNumber]) throws -> MLFeatureValue {
      MLFeatureValue(multiArray: try MLMultiArray(shape: shape, dataType: .double))
    }
    #expect(try input("listed").isAllowedValue(array([1, 4])) && !input("listed").isAllowedValue(array([1, 3])))
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 16, 12, kCVPixelFormatType_OneComponent8, nil, &created)
    let buffer = MLFeatureValue(pixelBuffer: try #require(created))
    #expect(try input("gray").isAllowedValue(buffer) && input("rgb").isAllowedValue(buffer) && !input("listed").isAllowedValue(buffer))
  }

  @Test func `an archived description comes back`() async throws {
    for name in ["features.mlmodel", "classifier.mlpackage", "state.mlpackage"] {
      let description = try await MLModelAsset(url: try Fixture.url(name)).modelDescription
      let data = try NSKeyedArchiver.archivedData(withRootObject: description, requiringSecureCoding: true)
      let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLModelDescription.self, from: data))
      #expect(copy.description == description.description && !copy.description.isEmpty)
      #expect(copy.classLabels?.count == description.classLabels?.count && copy.predictedFeatureName == description.predictedFeatureName)
      #expect(copy.metadata[.creatorDefinedKey] as? [String: String] == description.metadata[.creatorDefinedKey] as? [String: String])
    }
  }
}
