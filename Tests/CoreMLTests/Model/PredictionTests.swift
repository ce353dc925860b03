import CoreML
import Testing

/// Predictions with arrays: forms, shapes, types, errors and backings.
struct PredictionTests {
  private func input(_ x: [Float] = [1, 2, 3], _ y: [Float] = [10, 20, 30]) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: [
      "x": MLMultiArray(MLShapedArray<Float>(scalars: x, shape: [1, x.count])), "y": MLShapedArray<Float>(scalars: y, shape: [1, y.count]),
    ])
  }

  // The weight is 0, 1, 2, … in four rows of three.
  private let product: [Float] = [8, 26, 44, 62]

  @Test func `every form of a prediction gives the same`() async throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let input = try input()
    func check(_ output: any MLFeatureProvider, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(output.featureNames == ["sum", "product"], sourceLocation: sourceLocation)
      #expect(floats(output, "sum") == [11, 22, 33] && floats(output, "product") == product, sourceLocation: sourceLocation)
    }
    func synchronous() throws {
      check(try model.prediction(from: input))
      check(try model.prediction(from: input, options: MLPredictionOptions()))
      check(try model.prediction(from: input, using: model.makeState()))
      check(try model.prediction(from: input, using: model.makeState(), options: MLPredictionOptions()))
    }
    try synchronous()
    check(try await model.prediction(from: input))
    check(try await model.prediction(from: input, options: MLPredictionOptions()))
    check(try await model.prediction(from: input, using: model.makeState()))
    let output = try await model.prediction(from: input)
    let array = try #require(output.featureValue(for: "product")?.multiArrayValue)
    #expect(array.shape == [1, 4] && array.strides == [4, 1] && array.dataType == .float32)
    #expect(output.featureValue(for: "product")?.shapedArrayValue(of: Float.self)?.scalars == product)
  }

  @Test func `features that the model does not ask for are ignored, so that outputs can be inputs`() throws {
    final class Chain: MLFeatureProvider {
      let values: [String: MLFeatureValue]
      init(_ values: [String: MLFeatureValue]) { self.values = values }
      var featureNames: Set<String> { Set(values.keys) }
      func featureValue(for featureName: String) -> MLFeatureValue? { values[featureName] }
    }
    let model = try Fixture.model("arithmetic.mlpackage")
    let first = try model.prediction(from: try input())
    let sum = try #require(first.featureValue(for: "sum"))
    let second = try model.prediction(from: Chain(["x": sum, "y": sum, "other": MLFeatureValue(string: "ignored")]))
    #expect(floats(second, "sum") == [22, 44, 66])
  }

  @Test func `elements of other types and layouts are converted`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let doubles = try MLMultiArray(shape: [1, 3], dataType: .double)
    let spread = MLMultiArray(shape: [1, 3], dataType: .int32, strides: [9, 3])
    for index in 0..<3 {
      doubles[index] = NSNumber(value: Double(index) + 0.5)
      spread[index] = NSNumber(value: index * 10)
    }
    let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": doubles, "y": spread]))
    #expect(floats(output, "sum") == [0.5, 11.5, 22.5])
    let slice = MLShapedArray<Float>(scalars: [0, 1, 2, 3, 4, 5], shape: [2, 3]).transposed().transposed()[1...1]
    let other = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": MLShapedArray(slice), "y": doubles]))
    #expect(floats(other, "sum") == [3.5, 5.5, 7.5])
  }

  @Test func `what does not fit is an error that names the feature, what is expected and what was found`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    func error(_ values: [String: Any]) throws -> MLModelError? {
      let input = try MLDictionaryFeatureProvider(dictionary: values)
      return thrown { _ = try model.prediction(from: input) }
    }
    let array = try MLMultiArray(shape: [1, 3], dataType: .float32)
    let missing = try #require(try error(["x": array]))
    #expect(missing.code == .generic && missing.localizedDescription == "Feature 'y' not provided.")
    let shape = try #require(try error(["x": array, "y": try MLMultiArray(shape: [1, 4], dataType: .float32)]))
    #expect(shape.code == .featureType && shape.localizedDescription.contains("'y' is MultiArray (Float32, 1 × 4)"))
    #expect(shape.localizedDescription.contains("expects MultiArray (Float32, 1 × 3)"))
    let type = try #require(try error(["x": array, "y": "text"]))
    #expect(type.code == .featureType && type.localizedDescription.contains("'y' is String"))
    let rank = try #require(try error(["x": try MLMultiArray(shape: [3], dataType: .float32), "y": array]))
    #expect(rank.localizedDescription.contains("'x' is MultiArray (Float32, 3)"))
  }

  @Test func `shapes may change within their range and list`() throws {
    let half = try Fixture.model("half.mlpackage")
    for length in [1, 4, 8] {
      let x = MLShapedArray<Float16>(scalars: (0..<length).map { Float16($0) }, shape: [1, length])
      let output = try half.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x]))
      let y = try #require(output.featureValue(for: "y")?.shapedArrayValue(of: Float16.self))
      #expect(y.shape == [1, length] && y.scalars == (0..<length).map { Float16($0) * 2 + 0.5 })
    }
    let long = try MLDictionaryFeatureProvider(dictionary: ["x": MLShapedArray<Float16>(repeating: 0, shape: [1, 9])])
    let error = try #require(thrown { _ = try half.prediction(from: long) })
    #expect(error.localizedDescription.contains("1 × 9") && error.localizedDescription.contains("1 × 1...8"))
    let listed = try Fixture.model("optional.mlpackage")
    func output(_ x: [Int32], _ others: [String: Any] = [:]) throws -> [Float]? {
      var values: [String: Any] = others
      values["x"] = MLShapedArray<Int32>(scalars: x, shape: [1, x.count])
      return floats(try listed.prediction(from: MLDictionaryFeatureProvider(dictionary: values)), "y")
    }
    #expect(try output([2, 4]) == [1, 2] && output([2, 4, 6, 8]) == [1, 2, 3, 4])
    #expect(try output([2, 4], ["scale": MLShapedArray<Float>(repeating: 3, shape: [1])]) == [6, 12])
    #expect(thrown { _ = try output([1, 2, 3]) }?.code == .featureType)
  }

  @Test func `outputs go into their backings`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let options = MLPredictionOptions()
    let dense = try MLMultiArray(shape: [1, 3], dataType: .float32)
    let spread = MLMultiArray(shape: [1, 4], dataType: .float32, strides: [16, 2])
    options.outputBackings = ["sum": dense, "product": spread]
    let output = try model.prediction(from: try input(), options: options)
    #expect(output.featureValue(for: "sum")?.multiArrayValue === dense && output.featureValue(for: "product")?.multiArrayValue === spread)
    #expect((0..<3).map { dense[$0].floatValue } == [11, 22, 33] && (0..<4).map { spread[$0].floatValue } == product)
    // A backing that is an input, too.
    let again = try MLDictionaryFeatureProvider(dictionary: ["x": dense, "y": dense])
    options.outputBackings = ["sum": dense]
    _ = try model.prediction(from: again, options: options)
    #expect((0..<3).map { dense[$0].floatValue } == [22, 44, 66])
    for (backing, message) in [
      (try MLMultiArray(shape: [1, 4], dataType: .float32) as Any, "1 × 4"),
      (try MLMultiArray(shape: [1, 3], dataType: .double), "Double"),
      ("text", "String"),
    ] {
      options.outputBackings = ["sum": backing]
      let error = try #require(thrown { _ = try model.prediction(from: try input(), options: options) })
      #expect(error.code == .featureType && error.localizedDescription.contains("'sum'") && error.localizedDescription.contains(message))
    }
    options.outputBackings = ["none": dense]
    #expect(thrown { _ = try model.prediction(from: try input(), options: options) }?.localizedDescription.contains("'none'") == true)
  }

  @Test func `an output goes into a pixel buffer of half-precision numbers`() throws {
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 3, 1, kCVPixelFormatType_OneComponent16Half, nil, &created)
    let buffer = try #require(created)
    let options = MLPredictionOptions()
    options.outputBackings = ["y": MLMultiArray(pixelBuffer: buffer, shape: [1, 3])]
    let x = MLShapedArray<Float16>(scalars: [1, 2, 3], shape: [1, 3])
    let output = try Fixture.model("half.mlpackage").prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x]), options: options)
    #expect(output.featureValue(for: "y")?.multiArrayValue?.pixelBuffer == buffer)
    let row = CVPixelBufferGetBaseAddress(buffer).assumingMemoryBound(to: Float16.self)
    #expect((0..<3).map { row[$0] } == [2.5, 4.5, 6.5])
  }

  @Test func `optional features may be missing or undefined, others may not`() throws {
    let model = try Fixture.model("optional.mlpackage")
    let x = MLFeatureValue(shapedArray: MLShapedArray<Int32>(scalars: [2, 4], shape: [1, 2]))
    for scale in [nil, MLFeatureValue(undefined: .multiArray)] {
      var values: [String: Any] = ["x": x]
      values["scale"] = scale
      #expect(floats(try model.prediction(from: MLDictionaryFeatureProvider(dictionary: values)), "y") == [1, 2])
    }
    let undefined = try MLDictionaryFeatureProvider(dictionary: ["x": MLFeatureValue(undefined: .multiArray)])
    let error = try #require(thrown { _ = try model.prediction(from: undefined) })
    #expect(error.code == .featureType && error.localizedDescription.contains("'x' is an undefined value"))
  }

  @Test func `numbers widen to what a feature is`() throws {
    let model = try Fixture.model("numbers.mlpackage")
    func sum(_ x: Any, _ n: Any) throws -> MLFeatureValue? {
      try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x, "n": n])).featureValue(for: "sum")
    }
    func array(_ type: MLMultiArrayDataType, _ number: NSNumber, shape: [NSNumber] = [1]) throws -> MLMultiArray {
      let array = try MLMultiArray(shape: shape, dataType: type)
      array[0] = number
      return array
    }
    #expect(try sum(1.5, 2)?.doubleValue == 3.5 && sum(1.5, 2)?.type == .double)
    #expect(try sum(7, 2)?.doubleValue == 9)
    #expect(try sum(array(.int32, 7), 2)?.doubleValue == 9 && sum(array(.double, 0.25, shape: [1, 1]), 2)?.doubleValue == 2.25)
    #expect(try sum(1, array(.int32, 3))?.doubleValue == 4)
    // Nothing is rounded in silence.
    #expect(thrown { _ = try sum(1, 2.5) }?.code == .featureType)
    #expect(thrown { _ = try sum(1, array(.double, 2)) }?.code == .featureType)
    #expect(thrown { _ = try sum(array(.int32, 7, shape: [2]), 1) }?.code == .featureType)
  }

  @Test func `an image or a number in place of an array is named with its size or type`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 5, 2, kCVPixelFormatType_32BGRA, nil, &created)
    let array = try MLMultiArray(shape: [1, 3], dataType: .float32)
    for (value, found) in [(MLFeatureValue(pixelBuffer: try #require(created)), "Image"), (MLFeatureValue(double: 1), "Double")] {
      let input = try MLDictionaryFeatureProvider(dictionary: ["x": array, "y": value])
      let error = try #require(thrown { _ = try model.prediction(from: input) })
      #expect(error.code == .featureType && error.localizedDescription.contains("'y' is \(found)"))
      #expect(error.localizedDescription.contains("expects MultiArray (Float32, 1 × 3)"))
    }
  }

  @Test func `batches give what single predictions give, and the first error`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let inputs = try (0..<40).map { try input([Float($0), 0, 0]) }
    let outputs = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    #expect(outputs.count == 40)
    for index in 0..<40 { #expect(floats(outputs.features(at: index), "sum") == [Float(index) + 10, 20, 30]) }
    let options = MLPredictionOptions()
    #expect(try model.predictions(from: MLArrayBatchProvider(array: []), options: options).count == 0)
    let wrong = try MLDictionaryFeatureProvider(dictionary: ["x": 1])
    #expect(thrown { _ = try model.predictions(fromBatch: MLArrayBatchProvider(array: [inputs[0], wrong])) }?.code == .featureType)
  }

  @Test func `threads share one model`() async throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    nonisolated(unsafe) let shared = model
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask { @Sendable in
          try (0..<50).allSatisfy { step in
            let x = MLShapedArray<Float>(repeating: Float(task * 50 + step), shape: [1, 3])
            let input = try MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x])
            let output = try shared.prediction(from: input, options: MLPredictionOptions())
            return floats(output, "sum") == x.scalars.map { $0 * 2 }
          }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func `classifiers give a label and its probabilities`() throws {
    let x = MLShapedArray<Float>(scalars: [0.25, 0.5, 0.125], shape: [3])
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": x])
    let named = try Fixture.model("classifier.mlpackage").prediction(from: input)
    #expect(named.featureValue(for: "label")?.stringValue == "dog")
    #expect(named.featureValue(for: "scores")?.dictionaryValue as? [String: Double] == ["cat": 0.25, "dog": 0.5, "bird": 0.125])
    let numbered = try Fixture.model("numbered_classifier.mlpackage").prediction(from: input)
    #expect(numbered.featureValue(for: "label")?.int64Value == 20 && numbered.featureValue(for: "label")?.type == .int64)
    #expect(numbered.featureValue(for: "scores")?.dictionaryValue as? [Int64: Double] == [10: 0.25, 20: 0.5, 30: 0.125])
  }

  @Test func `the configuration names the function`() throws {
    func output(_ function: String?, _ count: Int) throws -> [Float]? {
      let model = try Fixture.model("functions.mlpackage", function: function)
      #expect(model.configuration.functionName == function)
      let x = MLShapedArray<Float>(repeating: 2, shape: [count])
      return floats(try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x])), "y")
    }
    #expect(try output("first", 2) == [2, 2] && output("second", 3) == [2, 2, 2] && output(nil, 3) == [2, 2, 2])
    let error = try #require(thrown { _ = try Fixture.model("functions.mlpackage", function: "third") })
    #expect(error.code == .parameters && error.localizedDescription.contains("'third'"))
    #expect(error.localizedDescription.contains("'first', 'second'"))
  }
}
