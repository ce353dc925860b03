import CoreML
import Foundation
import Martlet
import Testing

/// A layer that the program implements. The model, made by `Oracles/make_network_fixtures.py`, names the class "Swirl" and gives it the parameters
/// angle and mode and three weights.
@Suite struct CustomLayerTests {
  private final class Swirl: MLCustomLayer {
    struct Failure: Error {}

    private let angle: Float
    private var weights: [Float] = []
    private var isBusy = false

    required init(parameters: [String: Any]) throws {
      guard let angle = parameters["angle"] as? Double, parameters["mode"] as? String == "left" else { throw Failure() }
      self.angle = Float(angle)
    }

    func setWeightData(_ weights: [Data]) throws {
      self.weights = weights.flatMap { data in
        (0..<data.count / 4).map { index in data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 4, as: Float.self) } }
      }
    }

    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }

    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      guard !isBusy, inputs.count == 1, outputs.count == 1, outputs[0].dataType == .float32, outputs[0].shape == [4] else {
        throw Failure()
      }
      isBusy = true
      defer { isBusy = false }
      for index in 0..<inputs[0].count {
        let x = inputs[0][index].floatValue
        if x.isNaN { throw Failure() }
        // What the layer leaves out is zero, whatever was in the memory.
        if x == -9 { continue }
        outputs[0][index] = NSNumber(value: angle * x + weights.reduce(0, +))
      }
    }
  }

  private final class NoLayer {}

  private static var url: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("MartletTests/Fixtures/custom_layer.mlmodel")
  }

  private static func provider(_ numbers: [Float]) throws -> MLDictionaryFeatureProvider {
    let array = try MLMultiArray(shape: [4], dataType: .float32)
    for (index, number) in numbers.enumerated() { array[index] = NSNumber(value: number) }
    return try MLDictionaryFeatureProvider(dictionary: ["x": array])
  }

  private static func prediction(_ model: MLModel, _ numbers: [Float]) throws -> [Float] {
    let result = try #require(model.prediction(from: provider(numbers)).featureValue(for: "y")?.multiArrayValue)
    return (0..<result.count).map { result[$0].floatValue }
  }

  /// One test, because names of classes belong to the process.
  @Test func `The class that the model names computes its custom layer`() throws {
    #expect {
      _ = try Self.prediction(MLModel(contentsOf: Self.url), [1, 2, 3, 4])
    } throws: { error in
      "\(error)".contains("ClassNames.register(Swirl.self, as: \"Swirl\")") && "\(error)".contains("mine")
    }
    // Compiling needs no class.
    let compiled = try MLModel.compileModel(at: Self.url)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    ClassNames.register(NoLayer.self, as: "Swirl")
    #expect {
      _ = try Self.prediction(MLModel(contentsOf: Self.url), [1, 2, 3, 4])
    } throws: { error in
      "\(error)".contains("does not conform to MLCustomLayer")
    }
    ClassNames.register(Swirl.self, as: "Swirl")
    let model = try MLModel(contentsOf: Self.url)
    #expect(try Self.prediction(model, [1, 2, 3, -4]) == [6.5, 7, 7.5, 4])
    #expect(try Self.prediction(MLModel(contentsOf: compiled), [1, 2, 3, -4]) == [6.5, 7, 7.5, 4])
    // Its error is that of the prediction, and the model goes on.
    #expect {
      _ = try Self.prediction(model, [1, .nan, 3, 4])
    } throws: { error in
      (error as? MLModelError)?.code == .customLayer
    }
    #expect(try Self.prediction(model, [0, 0, 0, 2]) == [6, 6, 6, 7])
    #expect(try Self.prediction(model, [0, -9, -9, 2]) == [6, 0, 0, 7])
    // Calls of an object wait for each other: it fails if two are in it.
    nonisolated(unsafe) let shared = model
    DispatchQueue.concurrentPerform(iterations: 8) { task in
      let results = try? (0..<100).map { try Self.prediction(shared, [Float(task), Float($0), 0, 0])[1] }
      #expect(results == (0..<100).map { Float($0) / 2 + 6 })
    }
  }
}
