import MartletBytes
import MartletFeatures
import Testing

import MartletCoreMLFile

@Suite struct DescriptionTests {
  @Test func `Features of every type keep their constraints`() throws {
    let model = try Fixture.model("features.mlmodel")
    #expect(model.kind == .identity)
    let inputs = model.description.defaultFunction.inputs
    func type(_ name: String) throws -> FeatureType { try #require(inputs.first { $0.name == name }).type }
    #expect(try type("int64") == .int64)
    #expect(try type("double") == .double)
    #expect(try type("string") == .string)
    #expect(inputs[2].shortDescription == "a text")
    #expect(
      try type("gray")
        == .image(
          ImageFeature(
            size: .init(width: 8, height: 6), colorSpace: .grayscale,
            flexibility: .enumerated([.init(width: 8, height: 6), .init(width: 16, height: 12)]))))
    #expect(
      try type("rgb")
        == .image(
          ImageFeature(
            size: .init(width: 8, height: 6), colorSpace: .rgb,
            flexibility: .ranges(width: .init(lowerBound: 4, upperBound: 32), height: .init(lowerBound: 1)))))
    #expect(
      try type("listed")
        == .multiArray(ArrayFeature(dataType: .float64, shape: [1, 2], flexibility: .enumerated([[1, 2], [1, 4]]))))
    #expect(try type("fp16") == .multiArray(ArrayFeature(dataType: .float16, shape: [3], flexibility: .fixed)))
    #expect(try type("int32") == .multiArray(ArrayFeature(dataType: .int32, shape: [3], flexibility: .fixed)))
    #expect(try type("int8") == .multiArray(ArrayFeature(dataType: .int8, shape: [3], flexibility: .fixed)))
    #expect(try type("dictionary") == .dictionary(key: .int64))
    #expect(try type("sequence") == .sequence(SequenceFeature(element: .string, count: .init(lowerBound: 1, upperBound: 5))))
  }

  @Test func `Ranges, default values and metadata are read`() throws {
    let description = try Fixture.model("flexible.mlpackage").description
    let input = description.defaultFunction.inputs[0]
    #expect(input.isOptional)
    #expect(
      input.type
        == .multiArray(
          ArrayFeature(
            dataType: .float16, shape: [1, 32],
            flexibility: .ranges([.init(lowerBound: 1, upperBound: 1), .init(lowerBound: 1)]), defaultValue: .float(0.5))))
    #expect(SizeRange(lowerBound: 2, upperBound: 3).contains(3))
    #expect(!SizeRange(lowerBound: 2, upperBound: 3).contains(4))
    #expect(SizeRange(lowerBound: 2).contains(.max))

    let metadata = try Fixture.model("linear.mlpackage").description.metadata
    #expect(metadata.shortDescription == "a description")
    #expect(metadata.author == "an author")
    #expect(metadata.license == "a license")
    #expect(metadata.version == "1.2")
    #expect(metadata.userDefined["key"] == "value")
  }
}
