import MartletBytes
import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import MartletTestSampling
import SwiftProtobuf
import Testing

/// Compiled forms of classic models with large tables, which are stored beside the message.
struct CompiledTableTests {
  private static let part = "martlet/model.bin"
  private static let count = 3000

  /// Texts of which some are equal, are not ASCII, or are equal only in another normalization.
  private static let texts = (0..<count).map { index in
    switch index {
    case 7, 2000: "twice"
    case 100: "e\u{301}"
    case 2500: "\u{E9}"
    case 200: ""
    default: "key \(index * 7919 % 10_007)\(index % 3 == 0 ? "ä" : "")"
    }
  }
  private static let integers = (0..<count).map { Int64($0 * 7919 % 5003) - 2000 }

  private static func vector(_ row: Int, _ width: Int) -> [Double] { (0..<width).map { Double((row * 31 + $0 * 17) % 101) / 7 } }

  private static let denseMachine = Sample.model([.array("x", 8)], [.int64("label")], label: "label") {
    $0.supportVectorClassifier.kernel.rbfKernel.gamma = 0.5
    for row in 0..<300 {
      var item = SpecDenseVector()
      item.values = vector(row, 8)
      $0.supportVectorClassifier.denseSupportVectors.vectors.append(item)
    }
    $0.supportVectorClassifier.numberOfSupportVectorsPerClass = [100, 200]
    var coefficients = SpecCoefficients()
    coefficients.alpha = vector(5, 300)
    $0.supportVectorClassifier.coefficients = [coefficients]
    $0.supportVectorClassifier.rho = [0.25]
    $0.supportVectorClassifier.int64ClassLabels.vector = [1, 2]
  }

  private static let sparseMachine = Sample.model([.array("x", 20)], [.double("y")], label: "y") {
    $0.supportVectorRegressor.kernel.linearKernel = SpecLinearKernel()
    for row in 0..<300 {
      var item = SpecSparseVector()
      for (column, value) in vector(row, 20).enumerated() where (row + column) % 3 > 0 {
        var node = SpecSparseNode()
        (node.index, node.value) = (Int32(column) + 1, value)
        item.nodes.append(node)
      }
      $0.supportVectorRegressor.sparseSupportVectors.vectors.append(item)
    }
    $0.supportVectorRegressor.coefficients.alpha = vector(1, 300)
  }

  private static let neighbors = Sample.model([.array("x", 4, type: .float32)], [.string("label")], label: "label") {
    for row in 0..<600 {
      var item = SpecFloatVector()
      item.vector = vector(row, 4).map { Float($0) }
      $0.kNearestNeighborsClassifier.nearestNeighborsIndex.floatSamples.append(item)
    }
    $0.kNearestNeighborsClassifier.nearestNeighborsIndex.numberOfDimensions = 4
    $0.kNearestNeighborsClassifier.nearestNeighborsIndex.linearIndex = SpecLinearIndex()
    $0.kNearestNeighborsClassifier.nearestNeighborsIndex.squaredEuclideanDistance = SpecSquaredEuclideanDistance()
    $0.kNearestNeighborsClassifier.numberOfNeighbors.defaultValue = 3
    $0.kNearestNeighborsClassifier.numberOfNeighbors.set.values = [3]
    $0.kNearestNeighborsClassifier.stringClassLabels.vector = (0..<600).map { "\($0 % 5)" }
    $0.kNearestNeighborsClassifier.uniformWeighting = SpecUniformWeighting()
  }

  private static let encoder = Sample.model([.string("x")], [.dictionary("y", isText: false)]) {
    $0.oneHotEncoder.stringCategories.vector = texts
    $0.oneHotEncoder.outputSparse = true
  }

  private static let vectorizer = Sample.model([.dictionary("x", isText: false)], [.dictionary("y", isText: false)]) {
    $0.dictVectorizer.int64ToIndex.vector = integers
  }

  private static let toIntegers = Sample.model([.string("x")], [.int64("y")]) {
    for (text, number) in zip(texts, integers) { $0.categoricalMapping.stringToInt64Map.map[text] = number }
    $0.categoricalMapping.int64Value = -1
  }

  private static let toStrings = Sample.model([.int64("x")], [.string("y")]) {
    for (text, number) in zip(texts, integers) { $0.categoricalMapping.int64ToStringMap.map[number] = text }
  }

  private static let recommender = Sample.model([.dictionary("items")], [.sequence("list")]) {
    for item in stride(from: 2990, to: 0, by: -3) {
      var row = SpecItemSimilarityRecommender.SimilarItems()
      (row.itemID, row.itemScoreAdjustment) = (UInt64(item), Double(item) / 8)
      for other in 0..<3 {
        var entry = SpecItemSimilarityRecommender.ConnectedItem()
        (entry.itemID, entry.similarityScore) = (UInt64((item * 7 + other) % 3000), Double(other))
        row.similarItemList.append(entry)
      }
      $0.itemSimilarityRecommender.itemItemSimilarities.append(row)
    }
    $0.itemSimilarityRecommender.itemStringIds.vector = (0..<3000).map { "item \($0)" }
    $0.itemSimilarityRecommender.itemInputFeatureName = "items"
    $0.itemSimilarityRecommender.recommendedItemListOutputFeatureName = "list"
  }

  private static let models: [(name: String, message: SpecModel)] = [
    ("dense machine", denseMachine), ("sparse machine", sparseMachine), ("neighbors", neighbors), ("encoder", encoder),
    ("vectorizer", vectorizer), ("strings to integers", toIntegers), ("integers to strings", toStrings), ("recommender", recommender),
  ]

  private static func message(_ name: String) throws -> SpecModel { try #require(models.first { $0.name == name }).message }

  /// The compiled form alone.
  private static func compiled(_ model: SpecModel) throws -> [String: [UInt8]] {
    let manifest = #"{"rootModelIdentifier": "a", "itemInfoEntries": {"a": {"path": "model.mlmodel"}}}"#
    let files: [String: [UInt8]] = ["Manifest.json": Array(manifest.utf8), "Data/model.mlmodel": try model.serializedBytes()]
    let folder = CoreMLFolder(files: files.mapValues { MappedFile(copying: $0, name: "part").bytes }, name: "test")
    let identifier = CompiledForm.Identifier(high: 1, low: 2)
    return [part: try #require(try CoreMLModel(folder).compiledForm(identifier: identifier, in: folder) { _ in [] })]
  }

  private static func classic(_ model: CoreMLModel) throws -> ClassicModel {
    switch model.content {
    case .classic(let classic): return classic
    case .pipeline(let stages): return try classic(try #require(stages.last).model)
    default: throw Sample.OtherKind()
    }
  }

  @Test(arguments: models.map(\.name), [false, true])
  func `a compiled form has the same tables, in its file`(_ name: String, _ isInPipeline: Bool) throws {
    var message = try Self.message(name)
    if isInPipeline {
      let member = message
      message.pipeline.models = [member, member]
    }
    let (found, expected) = (try Fixture.read(try Self.compiled(message)), try Sample.read(message))
    #expect(try Self.classic(found) == Self.classic(expected))
    #expect(found.description == expected.description)
    switch try Self.classic(found) {
    case .supportVectorClassifier(let machine):
      #expect(machine.coefficients.mapped?.owner === found.compiledForm?.files.first?.bytes.owner)
      guard case .dense(let values) = machine.vectors.storage else { throw Sample.OtherKind() }
      #expect(values.mapped?.isAligned(to: 16) == true)
    case .supportVectorRegressor(let machine): #expect(machine.coefficients.mapped != nil)
    case .kNearestNeighborsClassifier(let neighbors): #expect(neighbors.samples.mapped != nil)
    default: break
    }
  }

  @Test func `keys are found as in a dictionary: the first of equal ones, whatever their normalization`() throws {
    guard case .oneHotEncoder(let encoder) = try Self.classic(Fixture.read(Self.compiled(Self.encoder))),
      case .strings(let keys) = encoder.categories
    else { throw Sample.OtherKind() }
    let (stored, listed) = (CategoryPositions(.strings(keys)), CategoryPositions(.strings(KeyTable(Self.texts))))
    for text in Self.texts + ["", "absent", "key", "ä", "\u{E9}", "e\u{301}", "zzz"] { #expect(stored[text] == listed[text]) }
    #expect(stored["twice"] == 7 && stored["\u{E9}"] == 100 && stored["e\u{301}"] == 100 && stored["absent"] == nil)
    guard case .dictVectorizer(let vectorizer) = try Self.classic(Fixture.read(Self.compiled(Self.vectorizer))),
      case .integers(let keys) = vectorizer.keys
    else { throw Sample.OtherKind() }
    let (storedNumbers, listedNumbers) = (CategoryPositions(.integers(keys)), CategoryPositions(.integers(KeyTable(Self.integers))))
    for number in Self.integers + [.min, .max, 0] { #expect(storedNumbers[number] == listedNumbers[number]) }
  }

  @Test func `small models keep their messages`() throws {
    var message = Self.encoder
    message.oneHotEncoder.stringCategories.vector = ["b", "a"]
    guard case .oneHotEncoder(let encoder) = try Self.classic(Fixture.read(Self.compiled(message))) else { throw Sample.OtherKind() }
    #expect(encoder.categories == .strings(["b", "a"]))
  }

  @Test(arguments: models.map(\.name)) func `damage gives other numbers or an error`(_ name: String) throws {
    let files = try Self.compiled(try Self.message(name))
    let bytes = try #require(files[Self.part])
    // The structure begins with the header and ends with the numbers of the tables; the data follow.
    let structure = Array(0..<140) + stride(from: 140, to: bytes.count, by: inDebug(4999, otherwise: 997))
    for position in structure {
      for flipped in inDebug([0x81], otherwise: [0x01, 0x80, 0xFF]) as [UInt8] {
        var damaged = bytes
        damaged[position] ^= flipped
        guard let model = try? Fixture.read([Self.part: damaged]), let classic = try? Self.classic(model) else { continue }
        // Every element can be read.
        #expect(classic == classic && !classic.sizes.isEmpty)
        if case .oneHotEncoder(let encoder) = classic { _ = CategoryPositions(encoder.categories)["twice"] }
      }
    }
    for count in stride(from: 0, to: bytes.count, by: bytes.count / 61) {
      #expect(throws: FileError.self) { _ = try Fixture.read([Self.part: Array(bytes.prefix(count))]) }
    }
  }
}
