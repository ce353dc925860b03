import CoreML
import Testing

/// Predictions from tensors.
struct TensorPredictionTests {
  @Test func `tensors go into a model and come out of it`() async throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let x = MLTensor(shape: [1, 3], scalars: [1, 2, 3])
    // Not computed before the prediction; and one that the model does not ask for.
    let outputs = try await model.prediction(from: ["x": x * 2, "y": x + 1, "other": x])
    #expect(outputs.count == model.modelDescription.outputDescriptionsByName.count)
    let sum = try #require(outputs["sum"])
    let product = try #require(outputs["product"])
    #expect(sum.shape == [1, 3] && sum.scalarType == Float.self)
    #expect(await matches(sum, [1, 3], [4, 7, 10]))
    // The weight is 0, 1, 2, … in four rows of three.
    #expect(await matches(product, [1, 4], [16, 52, 88, 124]))
    // What comes out can go in again.
    let again = try await model.prediction(from: ["x": sum - 1, "y": sum])
    #expect(await matches(try #require(again["sum"]), [1, 3], [7, 13, 19]))
    // Scalars are converted to what the model takes.
    let integers = MLTensor(shape: [1, 3], scalars: [1, 2, 3] as [Int32])
    let mixed = try await model.prediction(from: ["x": integers, "y": integers.cast(to: UInt8.self) .> 1])
    #expect(await matches(try #require(mixed["sum"]), [1, 3], [1, 3, 4]))
  }

  @Test func `scalars of 16 bits`() async throws {
    let model = try Fixture.model("half.mlpackage")
    let provider = try MLDictionaryFeatureProvider(dictionary: ["x": MLShapedArray<Float16>(scalars: [1, 2, 3], shape: [1, 3])])
    let expected = try #require(floats(try await model.prediction(from: provider), "y"))
    let x = MLTensor(shape: [1, 3], scalars: [1, 2, 3], scalarType: Float16.self)
    let y = try #require(try await model.prediction(from: ["x": x])["y"])
    #expect(y.has(Float16.self))
    #expect(await y.numbers() == expected.map { Double($0) })
  }

  @Test func `states are read and changed`() async throws {
    let model = try Fixture.model("loop.mlpackage")
    let (first, second) = (model.makeState(), model.makeState())
    let count = MLTensor([Int32(1)])
    func step(_ state: MLState, _ x: Float16) async throws -> [Double] {
      let outputs = try await model.prediction(from: ["x": MLTensor(repeating: x, shape: [64]), "count": count], using: state)
      return await outputs["y"]!.numbers()
    }
    #expect(try await step(first, 1) == Array(repeating: 1, count: 64))
    #expect(try await step(first, 2) == Array(repeating: 3, count: 64))
    #expect(try await step(second, 10) == Array(repeating: 10, count: 64))
    #expect(try await step(first, 4) == Array(repeating: 7, count: 64))
    #expect(first.withMultiArray(for: "total") { $0[5] } == 7)
  }

  private func error(_ body: () async throws -> Void) async -> MLModelError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? MLModelError
    }
  }

  @Test func `inputs that are missing or do not fit, and models without multi-arrays, give errors`() async throws {
    let model = try Fixture.model("arithmetic.mlpackage")
    let x = MLTensor(shape: [1, 3], scalars: [1, 2, 3])
    let missing = await error { _ = try await model.prediction(from: ["x": x]) }
    #expect(missing?.code == .generic && missing?.localizedDescription.contains("'y'") == true)
    let shape = await error { _ = try await model.prediction(from: ["x": x, "y": x.flattened()]) }
    #expect(shape?.code == .featureType && shape?.localizedDescription.contains("'y'") == true)
    // Data that an operation on tensors does not take.
    let index = MLTensor(shape: [1, 3], scalars: [7, 7, 7] as [Int32])
    let wrong = MLTensor([1.0]).gathering(atIndices: index, alongAxis: 0)
    let data = await error { _ = try await model.prediction(from: ["x": x, "y": wrong]) }
    #expect(data?.code == .generic)
    let classifier = try Fixture.model("classifier.mlpackage")
    let label = await error { _ = try await classifier.prediction(from: ["x": x]) }
    #expect(label?.code == .featureType && label?.localizedDescription.contains("multi-arrays") == true)
    let image = try Fixture.model("rgb.mlpackage")
    let picture = await error { _ = try await image.prediction(from: ["image": x, "x": x]) }
    #expect(picture?.code == .featureType)
  }
}
