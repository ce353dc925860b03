import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct CategoryModelTests {
  private static let encoder = Sample.model([.string("x")], [.dictionary("y", isText: false)]) {
    $0.oneHotEncoder.stringCategories.vector = ["b", "a"]
    $0.oneHotEncoder.outputSparse = true
    $0.oneHotEncoder.handleUnknown = .ignoreUnknown
  }

  private static let mapping = Sample.model([.string("x")], [.int64("y")]) {
    $0.categoricalMapping.stringToInt64Map.map = ["a": 1, "b": -2]
    $0.categoricalMapping.int64Value = 9
  }

  private static let vectorizer = Sample.model([.double("a"), .array("b", 3)], [.array("y", 4)]) {
    for (name, count) in [("b", 3), ("a", 1)] as [(String, UInt64)] {
      var column = SpecFeatureVectorizer.InputColumn()
      (column.inputColumn, column.inputDimensions) = (name, count)
      $0.featureVectorizer.inputList.append(column)
    }
  }

  @Test func `A one-hot encoder has categories`() throws {
    guard case .oneHotEncoder(let model) = try Sample.classic(Self.encoder) else { throw Sample.OtherKind() }
    #expect(model.categories == .strings(["b", "a"]) && model.isSparse && model.ignoresUnknown)
    let dense = Sample.model([.int64("x")], [.array("y", 2)]) { $0.oneHotEncoder.int64Categories.vector = [4, 3] }
    guard case .oneHotEncoder(let model) = try Sample.classic(dense) else { throw Sample.OtherKind() }
    #expect(model.categories == .integers([4, 3]) && !model.isSparse && !model.ignoresUnknown)
  }

  @Test func `A dictionary vectorizer has keys`() throws {
    let strings = Sample.model([.dictionary("x")], [.array("y", 2)]) { $0.dictVectorizer.stringToIndex.vector = ["b", "a"] }
    guard case .dictVectorizer(let model) = try Sample.classic(strings) else { throw Sample.OtherKind() }
    #expect(model.keys == .strings(["b", "a"]))
    let integers = Sample.model([.dictionary("x", isText: false)], [.dictionary("y", isText: false)]) {
      $0.dictVectorizer.int64ToIndex.vector = [4]
    }
    guard case .dictVectorizer(let model) = try Sample.classic(integers) else { throw Sample.OtherKind() }
    #expect(model.keys == .integers([4]))
    Sample.expect("dictVectorizer.Map: the keys are missing", strings) { $0.dictVectorizer = SpecDictVectorizer() }
    Sample.expect("description.input (x): a model of the kind dictVectorizer cannot have the type double", strings) {
      $0.description_p.input = [Feature.double("x").message]
    }
  }

  @Test func `A mapping has a table and a value for others`() throws {
    guard case .categoricalMapping(let model) = try Sample.classic(Self.mapping) else { throw Sample.OtherKind() }
    #expect(model == .toIntegers(["a": 1, "b": -2], unknown: 9))
    let sequences = Sample.model([.sequence("x", isText: false)], [.sequence("y")]) {
      $0.categoricalMapping.int64ToStringMap.map = [1: "a"]
    }
    guard case .categoricalMapping(let model) = try Sample.classic(sequences) else { throw Sample.OtherKind() }
    #expect(model == .toStrings([1: "a"], unknown: nil))
    Sample.expect("description.output (y): either both features are sequences or none", sequences) {
      $0.description_p.output = [Feature.string("y").message]
    }
    Sample.expect("description.output (y): the elements are not of the mapping's type, string", sequences) {
      $0.description_p.output = [Feature.sequence("y", isText: false).message]
    }
  }

  @Test func `A feature vectorizer has columns in order`() throws {
    guard case .featureVectorizer(let model) = try Sample.classic(Self.vectorizer) else { throw Sample.OtherKind() }
    #expect(model.columns.map(\.name) == ["b", "a"] && model.columns.map(\.count) == [3, 1] && model.elementCount == 4)
  }

  @Test func `Damaged parameters are refused`() {
    Sample.expect("oneHotEncoder.CategoryType: the categories are missing", Self.encoder) { $0.oneHotEncoder.categoryType = nil }
    Sample.expect("oneHotEncoder.handleUnknown: 2 is not a known value", Self.encoder) {
      $0.oneHotEncoder.handleUnknown = .UNRECOGNIZED(2)
    }
    Sample.expect("description.output (y): a model of the kind oneHotEncoder cannot have the type dictionary", Self.encoder) {
      $0.oneHotEncoder.outputSparse = false
    }
    Sample.expect("categoricalMapping.MappingType: the mapping is missing", Self.mapping) { $0.categoricalMapping.mappingType = nil }
    Sample.expect("categoricalMapping.ValueOnUnknown: is a text", Self.mapping) { $0.categoricalMapping.strValue = "x" }
    func expect(_ message: String, _ change: (inout [SpecFeatureVectorizer.InputColumn]) -> Void) {
      Sample.expect(message, Self.vectorizer) { change(&$0.featureVectorizer.inputList) }
    }
    expect("featureVectorizer.inputList[1].inputDimensions: an input has at least one element") { $0[1].inputDimensions = 0 }
    expect("inputList[1].inputDimensions: with 9223372036854775808 the result exceeds the limit") { $0[1].inputDimensions = 1 << 63 }
    expect("inputList[1].inputDimensions: with 9223372036854775807 the result exceeds the limit") { $0[1].inputDimensions = (1 << 63) - 1 }
    expect("inputList[1].inputDimensions: with 1073741824 the result exceeds the limit") { $0[1].inputDimensions = 1 << 30 }
    expect("there is no input 'c', which featureVectorizer.inputList[0].inputColumn names") { $0[0].inputColumn = "c" }
  }
}
