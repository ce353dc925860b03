import CoreML
import Synchronization
import Testing

/// A truth value that two tasks may use.
private final class Flag: Sendable {
  let value = Atomic<Bool>(false)
}

/// States of models: independent streams, and who may use them when.
struct StateTests {
  private func input(_ x: Float16, steps: Int32 = 1) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: [
      "x": MLShapedArray<Float16>(repeating: x, shape: [64]), "count": MLShapedArray<Int32>(scalars: [steps], shape: [1]),
    ])
  }

  @Test func `streams are independent`() throws {
    let model = try Fixture.model("loop.mlpackage")
    let (first, second) = (model.makeState(), model.makeState())
    func step(_ state: MLState, _ x: Float16) throws -> Float? {
      floats(try model.prediction(from: try input(x), using: state), "y")?.first
    }
    #expect(try step(first, 1) == 1 && step(first, 2) == 3)
    #expect(try step(second, 10) == 10)
    #expect(try step(first, 4) == 7 && step(second, 10) == 20)
    #expect(first.withMultiArray(for: "total") { $0[63] } == 7)
    #expect(try second.withMultiArray { $0[0].floatValue } == 20)
  }

  @Test func `a prediction without the state throws`() async throws {
    let model = try Fixture.model("loop.mlpackage")
    let message = "The input feature for total must be an MLState, but it was not."
    let input = try input(3)
    #expect(thrown { _ = try model.prediction(from: input) }?.localizedDescription == message)
    #expect(thrown { _ = try model.prediction(from: input, options: MLPredictionOptions()) }?.localizedDescription == message)
    for count in [1, 3] {
      let batch = MLArrayBatchProvider(array: Array(repeating: input, count: count))
      #expect(thrown { _ = try model.predictions(fromBatch: batch) }?.localizedDescription == message)
    }
    let tensors = ["x": MLTensor(repeating: Float16(3), shape: [64]), "count": MLTensor(repeating: Int32(1), shape: [1])]
    let error = await #expect(throws: MLModelError.self) { _ = try await model.prediction(from: tensors) }
    #expect(error?.localizedDescription == message)
    let output = try await model.prediction(from: input, using: model.makeState())
    #expect(floats(output, "y")?.first == 3)
  }

  @Test func `arrays of states can be read and changed`() throws {
    let model = try Fixture.model("loop.mlpackage")
    let state = model.makeState()
    state.withMultiArray(for: "total") { array in
      #expect(array.shape == [64] && array.dataType == .float16 && (0..<64).allSatisfy { array[$0] == 0 })
      for index in 0..<64 { array[index] = NSNumber(value: index) }
    }
    let output = try model.prediction(from: try input(1, steps: 2), using: state)
    #expect(floats(output, "y") == (0..<64).map { Float($0) + 2 })
    struct Wrong: Error {}
    #expect(throws: Wrong.self) { try state.withMultiArray(for: "total") { _ in throw Wrong() } }
    #expect(state.withMultiArray(for: "total") { outer in state.withMultiArray(for: "total") { $0[1] == outer[1] } })
  }

  @Test func `a state that the model does not have stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let state = try Fixture.model("loop.mlpackage").makeState()
      state.withMultiArray(for: "nothing") { _ in }
    }
  }

  @Test func `a prediction inside withMultiArray gets an error and no deadlock`() throws {
    let model = try Fixture.model("loop.mlpackage")
    let state = model.makeState()
    let error = try state.withMultiArray(for: "total") { _ in
      let input = try input(1)
      return thrown { _ = try model.prediction(from: input, using: state) }
    }
    #expect(error?.localizedDescription.contains("withMultiArray") == true)
    #expect(floats(try model.prediction(from: try input(1), using: state), "y")?.first == 1)
  }

  @Test func `a second prediction in flight gets an error, and withMultiArray waits`() async throws {
    nonisolated(unsafe) let model = try Fixture.model("loop.mlpackage")
    var refused: MLModelError?
    // Either may come first, and the long one may be over before the other is tried.
    for _ in 0..<10 where refused == nil {
      let state = model.makeState()
      let isOver = Flag()
      let long = Task { @Sendable in
        defer { isOver.value.store(true, ordering: .relaxed) }
        let input = try input(1, steps: 100_000)
        return try await floats(model.prediction(from: input, using: state), "y")?.first
      }
      let one = try input(0)
      while refused == nil, !isOver.value.load(ordering: .relaxed) {
        // Until the long one has begun, these succeed.
        refused = thrown { _ = try model.prediction(from: one, using: state, options: MLPredictionOptions()) }
        if refused == nil { await Task.yield() }
      }
      let total = state.withMultiArray(for: "total") { $0[0].floatValue }
      switch await long.result {
      // Beyond 2048, adding 1 changes no float16.
      case .success(let last): #expect(last == total && total == 2048)
      case .failure(let error): refused = error as? MLModelError
      }
    }
    #expect(refused?.code == .generic && refused?.localizedDescription.contains("in use") == true)
  }

  @Test func `a cancelled prediction stops with an error`() async throws {
    nonisolated(unsafe) let model = try Fixture.model("loop.mlpackage")
    let task = Task {
      let input = try input(0, steps: 5_000_000)
      return try await floats(model.prediction(from: input, using: model.makeState()), "y")
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    let error = await #expect(throws: MLModelError.self) { _ = try await task.value }
    #expect(error?.code == .predictionCancelled)
  }

  @Test func `a state of another model is refused`() throws {
    let other = try Fixture.model("state.mlpackage").makeState()
    let model = try Fixture.model("loop.mlpackage")
    let error = try #require(thrown { _ = try model.prediction(from: try input(1), using: other) })
    #expect(error.localizedDescription.contains("another model"))
    #expect(thrown { _ = try MLModelAsset(url: Fixture.url("arithmetic.mlpackage")) } == nil)
    #expect(thrown { _ = try Fixture.model("arithmetic.mlpackage").makeState().withMultiArray { $0.count } }?.code == .generic)
  }

  @Test func `code that asks for states before it uses them finds them`() {
    #if canImport(CoreML.MLState)
      let hasStates = true
    #else
      let hasStates = false
    #endif
    #expect(hasStates)
  }
}
