import CoreML
import CoreVideo
import Foundation
import Martlet
import Testing

/// Models that the program implements. The files are made by `Oracles/make_outside_models.py` and name the classes "Doubler", "Darker" and "Echo".
@Suite(.serialized) struct CustomModelTests {
  private struct Failure: LocalizedError {
    var errorDescription: String? { "the text is not even" }
  }

  /// y is x times the factor; the size is that of the text. Fails if two calls are in it at once.
  private final class Doubler: MLCustomModel {
    nonisolated(unsafe) static var made = 0
    nonisolated(unsafe) static var parameters: [String: Any] = [:]
    nonisolated(unsafe) static var description: MLModelDescription?
    private let factor: Double
    private var isBusy = false

    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {
      guard let factor = parameters["factor"] as? Double else { throw Failure() }
      self.factor = factor
      Self.made += 1
      Self.parameters = parameters
      Self.description = modelDescription
    }

    func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
      guard !isBusy else { throw Failure() }
      isBusy = true
      defer { isBusy = false }
      let names = input.featureNames.subtracting(["text"])
      guard names.count == 1, let x = names.first.flatMap({ input.featureValue(for: $0)?.multiArrayValue }),
        let text = input.featureValue(for: "text")?.stringValue, text.count % 2 == 0
      else { throw Failure() }
      if text == "none" { return try MLDictionaryFeatureProvider(dictionary: ["size": text.count]) }
      let shape = text == "long" ? [4] : [3]
      let y = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: .double)
      for index in 0..<3 { y[index] = NSNumber(value: factor * x[index].doubleValue) }
      return try MLDictionaryFeatureProvider(dictionary: ["y": y, "size": text.count])
    }
  }

  /// Takes batches as a whole.
  private final class BatchDoubler: MLCustomModel {
    nonisolated(unsafe) static var batches: [Int] = []
    private let each: Doubler

    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {
      each = try Doubler(modelDescription: modelDescription, parameters: parameters)
    }

    func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
      try each.prediction(from: input, options: options)
    }

    func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
      Self.batches.append(inputBatch.count)
      let results = try (0..<inputBatch.count).map { try each.prediction(from: inputBatch.features(at: $0), options: options) }
      return MLArrayBatchProvider(array: results)
    }
  }

  /// Halves the samples of a picture.
  private final class Darker: MLCustomModel {
    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {}

    func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
      guard let picture = input.featureValue(for: "picture")?.imageBufferValue else { throw Failure() }
      var made: CVPixelBuffer?
      _ = unsafe CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, nil, &made)
      guard let darker = made else { throw Failure() }
      CVPixelBufferLockBaseAddress(picture, [])
      CVPixelBufferLockBaseAddress(darker, [])
      defer {
        CVPixelBufferUnlockBaseAddress(picture, [])
        CVPixelBufferUnlockBaseAddress(darker, [])
      }
      guard let source = unsafe CVPixelBufferGetBaseAddress(picture), let target = unsafe CVPixelBufferGetBaseAddress(darker) else {
        throw Failure()
      }
      var sum = 0
      for row in 0..<4 {
        for byte in 0..<16 {
          let sample = unsafe source.load(fromByteOffset: row * CVPixelBufferGetBytesPerRow(picture) + byte, as: UInt8.self)
          unsafe target.storeBytes(
            of: byte % 4 == 3 ? 255 : sample / 2, toByteOffset: row * CVPixelBufferGetBytesPerRow(darker) + byte, as: UInt8.self)
          if byte % 4 != 3 { sum += Int(sample) }
        }
      }
      return try MLDictionaryFeatureProvider(dictionary: ["darker": MLFeatureValue(pixelBuffer: darker), "mean": Double(sum) / 48])
    }
  }

  /// Gives what it takes.
  private final class Echo: MLCustomModel {
    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {}

    func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
      var values: [String: Any] = [:]
      for name in input.featureNames { values[name + "_out"] = input.featureValue(for: name) }
      return try MLDictionaryFeatureProvider(dictionary: values)
    }
  }

  private final class NoModel {}

  private static func url(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/outside/\(name).mlmodel")
  }

  private static func provider(_ numbers: [Double], _ text: String) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(numbers), "text": text])
  }

  private static func numbers(_ result: any MLFeatureProvider, _ name: String) -> [Double]? {
    guard let array = result.featureValue(for: name)?.multiArrayValue else { return nil }
    return (0..<array.count).map { array[$0].doubleValue }
  }

  @Test func `the class that a model names makes its predictions`() throws {
    ClassNames.register(Doubler.self, as: "Doubler")
    Doubler.made = 0
    let model = try MLModel(contentsOf: Self.url("custom"))
    #expect(Doubler.made == 1)
    let result = try model.prediction(from: Self.provider([1, -2, 3], "left"))
    #expect(Self.numbers(result, "y") == [2.5, -5, 7.5])
    #expect(result.featureValue(for: "size")?.int64Value == 4)
    #expect(Doubler.made == 1)
    let parameters = Doubler.parameters
    #expect(parameters.count == 6)
    #expect(parameters["factor"] as? Double == 2.5 && parameters["side"] as? String == "left")
    #expect(parameters["count"] as? Int == -3 && parameters["count"] as? Int32 == -3 && parameters["big"] as? Int64 == 1 << 40)
    #expect(parameters["on"] as? Bool == true && parameters["data"] as? Data == Data([1, 2, 255]))
    let description = try #require(Doubler.description)
    #expect(Set(description.inputDescriptionsByName.keys) == ["x", "text"])
    #expect(description.outputDescriptionsByName["y"]?.multiArrayConstraint?.shape == [3])
  }

  @Test func `errors of a custom model are those of the prediction`() throws {
    ClassNames.register(Doubler.self, as: "Doubler")
    let model = try MLModel(contentsOf: Self.url("custom"))
    for (text, message) in [
      ("odd", "the text is not even"), ("none", "gave no feature 'y'"), ("long", "The feature 'y' is"),
    ] {
      #expect {
        _ = try model.prediction(from: Self.provider([1, 2, 3], text))
      } throws: { error in
        (error as? MLModelError)?.code == .customModel && "\(error)".contains(message) && "\(error)".contains("Doubler")
      }
    }
    // The model goes on, and wrong inputs do not reach it.
    #expect(try Self.numbers(model.prediction(from: Self.provider([0, 0, 2], "even")), "y") == [0, 0, 5])
    #expect {
      _ = try model.prediction(from: Self.provider([1, 2], "even"))
    } throws: { error in
      (error as? MLModelError)?.code == .featureType
    }
  }

  @Test func `a custom model without a class names the line to write`() throws {
    #expect {
      _ = try MLModel(contentsOf: Self.url("custom_picture"))
    } throws: { error in
      (error as? MLModelError)?.code == .customModel && "\(error)".contains("ClassNames.register(Darker.self, as: \"Darker\")")
    }
    ClassNames.register(NoModel.self, as: "Darker")
    #expect {
      _ = try MLModel(contentsOf: Self.url("custom_picture"))
    } throws: { error in
      "\(error)".contains("does not conform to MLCustomModel")
    }
    // The file can still be read.
    _ = try MLModelAsset(url: Self.url("custom_picture"))

    ClassNames.register(Darker.self, as: "Darker")
    let model = try MLModel(contentsOf: Self.url("custom_picture"))
    var made: CVPixelBuffer?
    _ = unsafe CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, nil, &made)
    let picture = try #require(made)
    CVPixelBufferLockBaseAddress(picture, [])
    let bytes = try #require(unsafe CVPixelBufferGetBaseAddress(picture))
    for row in 0..<4 {
      for byte in 0..<16 {
        unsafe bytes.storeBytes(
          of: UInt8(row * 16 + byte), toByteOffset: row * CVPixelBufferGetBytesPerRow(picture) + byte, as: UInt8.self)
      }
    }
    CVPixelBufferUnlockBaseAddress(picture, [])
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["picture": MLFeatureValue(pixelBuffer: picture)]))
    let mean = (0..<64).filter { $0 % 4 != 3 }.reduce(0, +)
    #expect(result.featureValue(for: "mean")?.doubleValue == Double(mean) / 48)
    let darker = try #require(result.featureValue(for: "darker")?.imageBufferValue)
    CVPixelBufferLockBaseAddress(darker, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(darker, .readOnly) }
    let samples = try #require(unsafe CVPixelBufferGetBaseAddress(darker))
    #expect(unsafe samples.load(fromByteOffset: 3 * CVPixelBufferGetBytesPerRow(darker) + 12, as: UInt8.self) == 30)
  }

  @Test func `a custom model takes all kinds of features`() throws {
    ClassNames.register(Echo.self, as: "Echo")
    let model = try MLModel(contentsOf: Self.url("custom_kinds"))
    let result = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [
        "number": 0.5, "dictionary": ["a": 1.5], "list": MLFeatureValue(sequence: MLSequence(int64s: [3, 5])),
      ]))
    #expect(result.featureValue(for: "number_out")?.doubleValue == 0.5)
    #expect(result.featureValue(for: "dictionary_out")?.dictionaryValue["a"] == 1.5)
    #expect(result.featureValue(for: "list_out")?.sequenceValue?.int64Values == [3, 5])
    // An empty dictionary has no keys that tell their type.
    let empty = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [
        "number": 1, "dictionary": MLFeatureValue(dictionary: [:]), "list": MLFeatureValue(sequence: MLSequence(int64s: [])),
      ]))
    #expect(empty.featureValue(for: "dictionary_out")?.dictionaryValue.isEmpty == true)
  }

  @Test func `a custom model is a stage of a pipeline, and takes batches`() throws {
    ClassNames.register(Doubler.self, as: "Doubler")
    let model = try MLModel(contentsOf: Self.url("custom_pipeline"))
    let inputs = try (0..<5).map { try Self.provider([Double($0), 1, 2], String(repeating: "a", count: 2 * $0)) }
    func check(_ result: any MLFeatureProvider, _ row: Int) {
      let scaled = [Double(row) + 1, 2, 3].map { $0 * 2 }
      #expect(Self.numbers(result, "scaled") == scaled)
      #expect(result.featureValue(for: "size")?.int64Value == Int64(2 * row))
      #expect(result.featureValue(for: "value")?.doubleValue == 2.5 * (scaled[0] + 10 * scaled[1] + 100 * scaled[2]) + 0.5)
    }
    for (row, input) in inputs.enumerated() { check(try model.prediction(from: input), row) }
    let batch = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    #expect(batch.count == 5)
    for row in 0..<5 { check(batch.features(at: row), row) }

    ClassNames.register(BatchDoubler.self, as: "Doubler")
    BatchDoubler.batches = []
    let whole = try MLModel(contentsOf: Self.url("custom_pipeline")).predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    for row in 0..<5 { check(whole.features(at: row), row) }
    #expect(BatchDoubler.batches == [5])
    let alone = try MLModel(contentsOf: Self.url("custom")).predictions(from: MLArrayBatchProvider(array: inputs), options: .init())
    #expect(Self.numbers(alone.features(at: 3), "y") == [7.5, 2.5, 5] && BatchDoubler.batches == [5, 5])
  }

  @Test func `calls of a custom model's object wait for each other`() throws {
    ClassNames.register(Doubler.self, as: "Doubler")
    nonisolated(unsafe) let model = try MLModel(contentsOf: Self.url("custom_pipeline"))
    DispatchQueue.concurrentPerform(iterations: 8) { task in
      let values = try? (0..<50).map { round -> Double? in
        let result = try model.prediction(from: Self.provider([Double(task), Double(round), 0], "even"))
        return result.featureValue(for: "value")?.doubleValue
      }
      let expected = (0..<50).map { round -> Double in 5 * (Double(task) + 10 * Double(round) + 111) + 0.5 }
      #expect(values == expected)
    }
  }

  @Test func `a model with a custom class compiles without it`() throws {
    ClassNames.register(Doubler.self, as: "Doubler")
    let made = Doubler.made
    let compiled = try MLModel.compileModel(at: Self.url("custom_pipeline"))
    defer { try? FileManager.default.removeItem(at: compiled) }
    #expect(Doubler.made == made)
    let result = try MLModel(contentsOf: compiled).prediction(from: Self.provider([0, 0, 0], "even"))
    #expect(result.featureValue(for: "value")?.doubleValue == 555.5)
  }
}
