import CoreML
import Foundation
import Testing

/// Batches of small predictions, whose results are made when they are asked for.
@Suite struct SmallBatchTests {
  private func input(_ number: Int) throws -> MLDictionaryFeatureProvider {
    let x = try MLMultiArray([Float(number), 2, 3]).reshaped
    return try MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x])
  }

  private func batch(_ count: Int) throws -> MLArrayBatchProvider {
    MLArrayBatchProvider(array: try (0..<count).map { try input($0) })
  }

  private func bits(_ provider: any MLFeatureProvider) -> [String: [UInt32]] {
    var bits: [String: [UInt32]] = [:]
    for name in provider.featureNames { bits[name] = floats(provider, name)?.map(\.bitPattern) }
    return bits
  }

  @Test(arguments: [1, 2, 5, 64, 700])
  func `every prediction has the bits of one alone, each time a batch is made`(count: Int) throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let inputs = try batch(count)
    let expected = try (0..<count).map { bits(try model.prediction(from: inputs.features(at: $0))) }
    // Later ones may be made in another way.
    for _ in 0..<8 {
      let results = try model.predictions(fromBatch: inputs)
      #expect(results.count == count)
      #expect((0..<count).map { bits(results.features(at: $0)) } == expected)
    }
  }

  @Test func `results are dictionaries in an array, the same whenever they are asked for`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let results = try #require(try model.predictions(fromBatch: try batch(5)) as? MLArrayBatchProvider)
    #expect(results.array.count == 5 && results.count == 5)
    for index in 0..<5 {
      let single = try #require(try model.prediction(from: try input(index)) as? MLDictionaryFeatureProvider)
      let result = try #require(results.features(at: index) as? MLDictionaryFeatureProvider)
      #expect(result.dictionary == single.dictionary && result.featureNames == single.featureNames)
      #expect(result === results.features(at: index) && result === results.array[index])
      let (array, other) = (result["sum"]?.multiArrayValue, single["sum"]?.multiArrayValue)
      #expect(array?.shape == other?.shape && array?.strides == other?.strides && array?.dataType == other?.dataType)
    }
    // What one client writes, the others see; a shaped array is a copy.
    let sum = try #require(results.features(at: 1).featureValue(for: "sum")?.multiArrayValue)
    let copy = MLShapedArray<Float>(sum)
    sum[0] = 77
    #expect(floats(results.features(at: 1), "sum") == [77, 4, 6] && copy.scalars == [2, 4, 6])
  }

  @Test func `results outlive the model, the inputs and the batch`() throws {
    var kept: [any MLFeatureProvider] = []
    var results: (any MLBatchProvider)?
    do {
      let model = try Fixture.model("arithmetic.mlpackage")
      results = try model.predictions(fromBatch: try batch(600))
      // Memory that is free again is used again.
      for _ in 0..<4 { _ = try model.predictions(fromBatch: try batch(600)) }
    }
    for index in [0, 255, 256, 599] { kept.append(try #require(results?.features(at: index))) }
    #expect(try floats(#require(results?.features(at: 300)), "sum") == [600, 4, 6])
    results = nil
    #expect(kept.map { floats($0, "sum")?[0] } == [0, 510, 512, 1198])
  }

  @Test func `results are asked for from several threads`() async throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    nonisolated(unsafe) let results = try model.predictions(fromBatch: try batch(300))
    let found = await withTaskGroup(of: [ObjectIdentifier?].self) { group in
      for task in 0..<4 {
        group.addTask { @Sendable in
          var found: [ObjectIdentifier?] = Array(repeating: nil, count: 300)
          for index in task % 2 == 0 ? Array(0..<300) : (0..<300).reversed() {
            let result = results.features(at: index)
            if floats(result, "sum") == [Float(2 * index), 4, 6] { found[index] = ObjectIdentifier(result) }
          }
          return found
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.count == 4 && !found[0].contains(nil) && found.allSatisfy { $0 == found[0] })
  }

  @Test func `several threads make batches with one model`() async throws {
    nonisolated(unsafe) let model = try Fixture.model("arithmetic.mlpackage")
    nonisolated(unsafe) let inputs = try batch(90)
    let areRight = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask { @Sendable in
          (0..<10).allSatisfy { _ in
            guard let results = try? model.predictions(fromBatch: inputs) else { return false }
            return (0..<90).allSatisfy { floats(results.features(at: $0), "sum") == [Float(2 * $0), 4, 6] }
          }
        }
      }
      return await group.allSatisfy { $0 }
    }
    #expect(areRight)
  }

  @Test func `an input that does not fit is the batch's error, and the next batch has none`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let inputs = try batch(40)
    let x = try MLMultiArray([Float(1), 2]).reshaped
    let wrong = try MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x])
    for position in [0, 1, 39] {
      var array = inputs.array
      array[position] = wrong
      let single = thrown { _ = try model.prediction(from: wrong) }
      for _ in 0..<4 {
        let error = thrown { _ = try model.predictions(fromBatch: MLArrayBatchProvider(array: array)) }
        #expect(error?.code == .featureType && error?.localizedDescription == single?.localizedDescription)
        let results = try model.predictions(fromBatch: inputs)
        #expect((0..<40).allSatisfy { floats(results.features(at: $0), "sum") == [Float(2 * $0), 4, 6] })
      }
    }
  }

  @Test func `a prediction that fails is the batch's error, unless an earlier input does not fit`() throws {
    let model = try Fixture.model("division.mlpackage")
    func input(_ divisor: Int32) throws -> MLDictionaryFeatureProvider {
      try MLDictionaryFeatureProvider(dictionary: [
        "x": MLShapedArray<Int32>(scalars: [7, -7, 9], shape: [3]), "y": MLShapedArray<Int32>(scalars: [2, 2, divisor], shape: [3]),
      ])
    }
    let (good, failing) = (try input(4), try input(0))
    let unfit = try MLDictionaryFeatureProvider(dictionary: ["x": 1])
    let failure = try #require(thrown { _ = try model.prediction(from: failing) })
    let objection = try #require(thrown { _ = try model.prediction(from: unfit) })
    #expect(failure.code == .generic && objection.code == .featureType)
    let many = Array(repeating: good, count: 200)
    for (inputs, expected) in [
      (many + [failing] + many, failure), ([good, failing, unfit] + many, failure), (many + [unfit, failing], objection),
    ] {
      for _ in 0..<6 {
        let error = thrown { _ = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs)) }
        #expect(error?.code == expected.code && error?.localizedDescription == expected.localizedDescription)
        let results = try model.predictions(fromBatch: MLArrayBatchProvider(array: many))
        #expect((0..<200).allSatisfy { floats(results.features(at: $0), "quotient") == [3, -4, 2] })
      }
    }
  }

  @Test func `outputs have the shape of each prediction, where values or inputs decide it`() throws {
    let positions = try Fixture.model("positions.mlpackage")
    let numbers = (0..<24).map { number in (0..<5).map { number >> $0 & 1 == 0 ? Float(0) : 1 } }
    let half = try Fixture.model("half.mlpackage")
    for _ in 0..<4 {
      let inputs = try numbers.map { try MLDictionaryFeatureProvider(dictionary: ["x": MLShapedArray<Float>(scalars: $0, shape: [5])]) }
      let results = try positions.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
      for (index, numbers) in numbers.enumerated() {
        let found = try #require(results.features(at: index).featureValue(for: "positions")?.multiArrayValue)
        #expect((0..<found.count).map { found[$0].intValue } == (0..<5).filter { numbers[$0] != 0 })
      }
      let long = try (0..<24).map { index in
        try MLDictionaryFeatureProvider(dictionary: ["x": MLShapedArray<Float16>(repeating: Float16(index), shape: [1, 1 + index % 8])])
      }
      let doubled = try half.predictions(fromBatch: MLArrayBatchProvider(array: long))
      for index in 0..<24 {
        #expect(floats(doubled.features(at: index), "y") == Array(repeating: Float(2 * index) + 0.5, count: 1 + index % 8))
      }
    }
  }

  @Test func `inputs of other types and layouts are converted, and slices are read where they begin`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let doubles = try MLMultiArray(shape: [1, 3], dataType: .double)
    let spread = MLMultiArray(shape: [1, 3], dataType: .int32, strides: [9, 3])
    for index in 0..<3 {
      doubles[index] = NSNumber(value: Double(index) + 0.5)
      spread[index] = NSNumber(value: index * 10)
    }
    let slice = MLShapedArray(MLShapedArray<Float>(scalars: [0, 1, 2, 3, 4, 5], shape: [2, 3])[1...1])
    let inputs = try (0..<30).map { index in
      try MLDictionaryFeatureProvider(dictionary: ["x": index % 2 == 0 ? doubles : slice, "y": index % 3 == 0 ? spread : doubles])
    }
    for _ in 0..<6 {
      let results = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
      for (index, input) in inputs.enumerated() { #expect(bits(results.features(at: index)) == bits(try model.prediction(from: input))) }
    }
  }

  @Test func `results are the inputs of the next batch`() throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let first = try model.predictions(fromBatch: try batch(50))
    let inputs = try (0..<50).map { index in
      let sum = try #require(first.features(at: index).featureValue(for: "sum"))
      return try MLDictionaryFeatureProvider(dictionary: ["x": sum, "y": sum])
    }
    let second = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    for index in 0..<50 { #expect(floats(second.features(at: index), "sum") == [Float(4 * index), 8, 12]) }
  }
}

extension MLMultiArray {
  /// A vector as a matrix of one row.
  fileprivate var reshaped: MLMultiArray {
    get throws { MLMultiArray(MLShapedArray<Float>(self).reshaped(to: [1, count])) }
  }
}
