import CoreML
import Testing

/// Models that `compileModel` has made.
struct CompiledModelTests {
  /// Inputs that any of the fixtures' multi-array features accept.
  private func features(_ model: MLModel) throws -> MLDictionaryFeatureProvider {
    var values: [String: Any] = [:]
    for (name, description) in model.modelDescription.inputDescriptionsByName {
      guard let constraint = description.multiArrayConstraint else { continue }
      let array = try MLMultiArray(shape: constraint.shape, dataType: constraint.dataType)
      for index in 0..<array.count { array[index] = NSNumber(value: index % 3) }
      values[name] = array
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }

  @Test(arguments: ["arithmetic", "classifier", "numbered_classifier", "half", "loop", "optional"].map { $0 + ".mlpackage" })
  func `compiled models predict what their packages predict`(name: String) throws {
    let url = try Fixture.url(name)
    let compiled = try MLModel.compileModel(at: url)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let (package, fast) = (try MLModel(contentsOf: url), try MLModel(contentsOf: compiled))
    #expect(FileManager.default.fileExists(atPath: compiled.appendingPathComponent("martlet/model.bin").path))
    let input = try features(package)
    let expected = try package.prediction(from: input, using: package.makeState())
    let found = try fast.prediction(from: input, using: fast.makeState())
    #expect(found.featureNames == expected.featureNames && !found.featureNames.isEmpty)
    for name in expected.featureNames { #expect(found.featureValue(for: name) == expected.featureValue(for: name), "\(name)") }
    #expect(fast.modelDescription.description == package.modelDescription.description)
    #expect(fast.modelDescription.classLabels as? [String] == package.modelDescription.classLabels as? [String])
    #expect(fast.modelDescription.metadata[.description] as? String == package.modelDescription.metadata[.description] as? String)
  }

  @Test func `functions and states of compiled models are those of the package`() throws {
    let functions = try MLModel.compileModel(at: try Fixture.url("functions.mlpackage"))
    defer { try? FileManager.default.removeItem(at: functions.deletingLastPathComponent()) }
    for name in ["first", "second"] {
      let configuration = MLModelConfiguration()
      configuration.functionName = name
      let package = try Fixture.model("functions.mlpackage", function: name)
      let fast = try MLModel(contentsOf: functions, configuration: configuration)
      let input = try features(package)
      let expected = try package.prediction(from: input)
      let found = try fast.prediction(from: input)
      for name in expected.featureNames { #expect(found.featureValue(for: name) == expected.featureValue(for: name)) }
    }
    let compiled = try MLModel.compileModel(at: try Fixture.url("state.mlpackage"))
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let (package, fast) = (try Fixture.model("state.mlpackage"), try MLModel(contentsOf: compiled))
    let (state, other) = (package.makeState(), fast.makeState())
    let input = try features(package)
    for _ in 0..<3 {
      let expected = try package.prediction(from: input, using: state)
      let found = try fast.prediction(from: input, using: other)
      for name in expected.featureNames { #expect(found.featureValue(for: name) == expected.featureValue(for: name)) }
    }
  }

  @Test(arguments: [0, 1, 2, 3, 7, 50, 1500])
  func `batches give what a loop gives, in its order`(count: Int) throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let inputs = try (0..<count).map { number in
      let x = MLShapedArray<Float>(scalars: [Float(number), 2, 3], shape: [1, 3])
      return try MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x])
    }
    let results = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    #expect(results.count == count)
    for index in 0..<count { #expect(floats(results.features(at: index), "sum") == [Float(2 * index), 4, 6]) }
  }

  @Test func `outputs of a batch are arrays of their own`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let inputs = try (0..<100).map { number in
      let x = MLShapedArray<Float>(scalars: [Float(number), 2, 3], shape: [1, 3])
      return try MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x])
    }
    // More than once: later batches may be made on several threads.
    for _ in 0..<4 {
      var kept: MLMultiArray?
      do {
        let results = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
        for index in stride(from: 0, to: 100, by: 2) {
          let sum = try #require(results.features(at: index).featureValue(for: "sum")?.multiArrayValue)
          for element in 0..<3 { sum[element] = -1 }
        }
        for index in stride(from: 1, to: 100, by: 2) { #expect(floats(results.features(at: index), "sum") == [Float(2 * index), 4, 6]) }
        kept = results.features(at: 99).featureValue(for: "sum")?.multiArrayValue
      }
      #expect(kept.map { [$0[0].floatValue, $0[1].floatValue, $0[2].floatValue] } == [198, 4, 6])
    }
  }

  /// A provider that counts who asks it.
  private final class Provider: MLFeatureProvider {
    let number: Float
    private(set) var threads: Set<ObjectIdentifier> = []
    init(_ number: Float) { self.number = number }
    var featureNames: Set<String> { ["x", "y"] }
    func featureValue(for featureName: String) -> MLFeatureValue? {
      threads.insert(ObjectIdentifier(Thread.current))
      return MLFeatureValue(shapedArray: MLShapedArray<Float>(scalars: [number, 2, 3], shape: [1, 3]))
    }
  }

  @Test func `providers of other types are asked on the caller's thread`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let inputs = (0..<20).map { Provider(Float($0)) }
    let results = try model.predictions(from: MLArrayBatchProvider(array: inputs), options: MLPredictionOptions())
    for index in inputs.indices { #expect(floats(results.features(at: index), "sum") == [Float(2 * index), 4, 6]) }
    #expect(inputs.allSatisfy { $0.threads == [ObjectIdentifier(Thread.current)] })
  }

  @Test func `the error of a batch is that of its first input that has one`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let x = MLShapedArray<Float>(scalars: [1, 2, 3], shape: [1, 3])
    let good = try MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x])
    let missing = try MLDictionaryFeatureProvider(dictionary: ["x": x])
    let wrong = try MLDictionaryFeatureProvider(dictionary: ["x": "text", "y": x])
    let long = Array(repeating: good, count: 300)
    let batches: [[MLDictionaryFeatureProvider]] = [
      [good, good, missing, wrong], [good, good, good, missing, good, wrong, good],
      [long, [missing], long, [wrong], long].flatMap { $0 }, long + [missing, wrong], [long, long, [missing, wrong, good]].flatMap { $0 },
    ]
    for inputs in batches {
      let error = thrown { _ = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs)) }
      #expect(error?.localizedDescription.contains("'y' not provided") == true, "\(error as Any)")
    }
  }
}
