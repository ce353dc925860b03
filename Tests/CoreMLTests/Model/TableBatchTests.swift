import CoreML
import Foundation
import Testing

/// Batches whose predictions are rows of one call.
@Suite struct TableBatchTests {
  private static func model(_ name: String) throws -> MLModel {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try MLModel(contentsOf: MLModel.compileModel(at: tests.appendingPathComponent("Fixtures/classic/\(name)/model.mlmodel")))
  }

  /// A provider of another kind, with negated numbers.
  private final class Negated: MLFeatureProvider {
    private let other: MLDictionaryFeatureProvider
    var featureNames: Set<String> { other.featureNames }
    init(_ other: MLDictionaryFeatureProvider) { self.other = other }
    func featureValue(for featureName: String) -> MLFeatureValue? {
      other.featureValue(for: featureName).map { value in
        value.type == .int64 ? MLFeatureValue(int64: -value.int64Value) : MLFeatureValue(double: -value.doubleValue)
      }
    }
  }

  /// A dictionary whose numbers are negated when they are asked for.
  private final class NegatedDictionary: MLDictionaryFeatureProvider {
    override func featureValue(for featureName: String) -> MLFeatureValue? {
      dictionary[featureName].map { value in
        value.type == .int64 ? MLFeatureValue(int64: -value.int64Value) : MLFeatureValue(double: -value.doubleValue)
      }
    }
  }

  private func number(_ row: Int, _ column: Int) -> Double { Double((row * 37 + column * 11) % 64) / 16 - 2 }

  private func values(_ provider: any MLFeatureProvider) -> [String: MLFeatureValue] {
    Dictionary(uniqueKeysWithValues: provider.featureNames.map { ($0, provider.featureValue(for: $0) ?? MLFeatureValue(double: .nan)) })
  }

  @Test func `providers of several kinds and orders give what they give alone`() throws {
    let model = try Self.model("tree-regressor-named")
    let inputs = model.modelDescription.inputDescriptionsByName
    let names = inputs.keys.sorted()
    #expect(inputs.values.contains { $0.type == .int64 } && inputs[names[0]]?.type == .double)
    var rows: [any MLFeatureProvider] = []
    for row in 0..<120 {
      var entries: [(String, Any)] = names.enumerated().map { column, name in
        let number = number(row, column)
        return (name, inputs[name]?.type == .int64 ? Int(number.rounded()) as Any : number as Any)
      }
      switch row % 8 {
      case 1: entries.reverse()
      case 2: entries.append(("other \(row)", 3.0))
      case 3: entries[0].1 = Int(number(row, 0).rounded())
      case 4: entries[0].1 = try MLMultiArray([number(row, 0)])
      default: break
      }
      // Dictionaries of another capacity have another order.
      var dictionary = [String: Any](minimumCapacity: row % 5 == 0 ? 200 : 1)
      for (name, value) in entries { dictionary[name] = value }
      let provider = try MLDictionaryFeatureProvider(dictionary: dictionary)
      switch row % 8 {
      case 5: rows.append(Negated(provider))
      case 6: rows.append(try NegatedDictionary(dictionary: dictionary))
      default: rows.append(provider)
      }
    }
    let results = try model.predictions(fromBatch: MLArrayBatchProvider(array: rows))
    #expect(results.count == rows.count)
    for (index, row) in rows.enumerated() {
      #expect(values(results.features(at: index)) == values(try model.prediction(from: row)))
    }
  }

  @Test(arguments: [0, 1, 59]) func `a missing number is an error, and one of another type, wherever it is`(_ wrong: Int) throws {
    let model = try Self.model("tree-regressor-named")
    let inputs = model.modelDescription.inputDescriptionsByName
    let integer = try #require(inputs.keys.first { inputs[$0]?.type == .int64 })
    func batch(_ change: (inout [String: Any]) -> Void) throws -> MLArrayBatchProvider {
      MLArrayBatchProvider(
        array: try (0..<60).map { row in
          var dictionary: [String: Any] = inputs.mapValues { $0.type == .int64 ? row as Any : number(row, 1) as Any }
          if row == wrong { change(&dictionary) }
          return try MLDictionaryFeatureProvider(dictionary: dictionary)
        })
    }
    #expect(try model.predictions(fromBatch: try batch { _ in }).count == 60)
    for name in inputs.keys where inputs[name]?.isOptional == false {
      #expect(throws: MLModelError.self) { try model.predictions(fromBatch: try batch { $0[name] = nil }) }
    }
    #expect(throws: MLModelError.self) { try model.predictions(fromBatch: try batch { $0[integer] = 1.5 }) }
  }

  @Test(arguments: ["tree-classifier-softmax", "tree-regressor-0", "svm-four-classes"])
  func `arrays of several types and layouts give what they give alone`(_ name: String) throws {
    let model = try Self.model(name)
    let (input, description) = try #require(model.modelDescription.inputDescriptionsByName.first)
    let shape = try #require(description.multiArrayConstraint).shape.map(\.intValue)
    let types: [MLMultiArrayDataType] = [.float32, .double, .int32]
    let rows = try (0..<40).map { row in
      let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: types[row % 3])
      for column in 0..<array.count { array[column] = NSNumber(value: number(row, column)) }
      return try MLDictionaryFeatureProvider(dictionary: [input: array])
    }
    let results = try model.predictions(fromBatch: MLArrayBatchProvider(array: rows))
    for (index, row) in rows.enumerated() { #expect(values(results.features(at: index)) == values(try model.prediction(from: row))) }
  }
}
