import CoreML
import Foundation
import Testing

/// Neural networks through Core ML's names. The models are the recorded cases of `Oracles/make_network_cases.py`.
@Suite struct NetworkTests {
  private static func model(_ name: String) throws -> MLModel {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try MLModel(contentsOf: tests.appendingPathComponent("Fixtures/network/\(name)/model.mlmodel"))
  }

  private static func array(_ shape: [Int]) throws -> MLMultiArray {
    let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: .float32)
    for index in 0..<array.count { array[index] = NSNumber(value: Float((index * 7) % 11) / 4 - 1) }
    return array
  }

  private static func prediction(_ model: MLModel, _ inputs: [String: MLMultiArray]) throws -> MLMultiArray {
    try #require(model.prediction(from: MLDictionaryFeatureProvider(dictionary: inputs)).featureValue(for: "y")?.multiArrayValue)
  }

  private static func numbers(_ array: MLMultiArray) -> [Float] { (0..<array.count).map { array[$0].floatValue } }

  /// A feature [C] of the old mapping takes [C], [Seq, Batch, C] and [Seq, Batch, C, H, W].
  @Test func arraysBringSequenceAndBatch() throws {
    let model = try Self.model("gru-sequence-bias-old")
    let whole = try Self.array([4, 2, 3])
    let result = try Self.prediction(model, ["x": whole])
    #expect(result.shape == [4, 2, 2, 1, 1])
    let blob = try Self.array([4, 2, 3, 1, 1])
    #expect(Self.numbers(try Self.prediction(model, ["x": blob])) == Self.numbers(result))
    // Each sequence of a batch by itself gives the same.
    for sequence in 0..<2 {
      let alone = try MLMultiArray(shape: [4, 1, 3], dataType: .float32)
      for step in 0..<4 { for channel in 0..<3 { alone[step * 3 + channel] = whole[(step * 2 + sequence) * 3 + channel] } }
      let single = Self.numbers(try Self.prediction(model, ["x": alone]))
      for step in 0..<4 {
        for channel in 0..<2 {
          let both = result[(step * 2 + sequence) * 2 + channel].floatValue
          #expect(abs(single[step * 2 + channel] - both) < 1e-6)
        }
      }
    }
    // One step has the declared shape, with and without the axes.
    let step = try Self.prediction(model, ["x": Self.array([3])])
    #expect(step.shape == [2])
    #expect(Self.numbers(try Self.prediction(model, ["x": Self.array([1, 1, 3])])) == Self.numbers(step))
    #expect(throws: MLModelError.self) { try Self.prediction(model, ["x": Self.array([4, 3])]) }
    #expect(throws: MLModelError.self) { try Self.prediction(model, ["x": Self.array([4, 2, 5])]) }
  }

  @Test func batchesMixLengths() throws {
    let model = try Self.model("gru-sequence-bias-old")
    let shapes = [[3], [4, 2, 3], [2, 1, 3], [3]]
    let inputs = try shapes.map { try MLDictionaryFeatureProvider(dictionary: ["x": Self.array($0)]) }
    let batch = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    for (position, input) in inputs.enumerated() {
      let single = try #require(model.prediction(from: input).featureValue(for: "y")?.multiArrayValue)
      let found = try #require(batch.features(at: position).featureValue(for: "y")?.multiArrayValue)
      #expect(found.shape == single.shape && Self.numbers(found) == Self.numbers(single))
    }
  }

  /// Absent states are zeros, also beside sequences of a batch.
  @Test func statesAreOptional() throws {
    let model = try Self.model("gru-states-sequence-old-absent")
    let x = try Self.array([4, 2, 3])
    let without = try Self.prediction(model, ["x": x])
    let zeros = try MLMultiArray(shape: [1, 2, 2], dataType: .float32)
    for index in 0..<zeros.count { zeros[index] = 0 }
    #expect(Self.numbers(try Self.prediction(model, ["x": x, "h_in": zeros])) == Self.numbers(without))
    let other = try Self.array([1, 2, 2])
    #expect(Self.numbers(try Self.prediction(model, ["x": x, "h_in": other])) != Self.numbers(without))
  }
}
