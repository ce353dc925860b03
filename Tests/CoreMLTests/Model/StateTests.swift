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

  /// Begins a prediction that takes hours unless it is cancelled, and returns once it runs.
  private func endless(_ model: MLModel, _ state: MLState) async throws -> (task: Task<[Float]?, any Error>, refused: MLModelError?) {
    nonisolated(unsafe) let model = model
    let task = Task { @Sendable in
      let input = try input(0, steps: .max)
      while true {
        do {
          return try await floats(model.prediction(from: input, using: state), "y")
        } catch let error as MLModelError where error.code == .generic {
          // One of the short predictions below was in flight.
          await Task.yield()
        }
      }
    }
    let one = try input(0)
    var refused: MLModelError?
    while refused == nil {
      // Until the long one has begun, these succeed.
      refused = thrown { _ = try model.prediction(from: one, using: state, options: MLPredictionOptions()) }
      await Task.yield()
    }
    return (task, refused)
  }

  @Test func `a second prediction in flight gets an error`() async throws {
    let model = try Fixture.model("loop.mlpackage")
    let (task, refused) = try await endless(model, model.makeState())
    task.cancel()
    #expect(refused?.code == .generic && refused?.localizedDescription.contains("in use") == true)
    _ = await task.result
  }

  @Test func `a cancelled prediction stops with an error`() async throws {
    let model = try Fixture.model("loop.mlpackage")
    let task = try await endless(model, model.makeState()).task
    task.cancel()
    let error = await #expect(throws: MLModelError.self) { _ = try await task.value }
    #expect(error?.code == .predictionCancelled)
  }

  @Test func `withMultiArray waits for a prediction in flight`() async throws {
    let model = try Fixture.model("loop.mlpackage")
    let state = model.makeState()
    let task = try await endless(model, state).task
    let isCancelled = Flag()
    Thread.detachNewThread {
      usleep(20_000)
      isCancelled.value.store(true, ordering: .relaxed)
      task.cancel()
    }
    let hasWaited = state.withMultiArray(for: "total") { _ in isCancelled.value.load(ordering: .relaxed) }
    #expect(hasWaited)
    _ = await task.result
    let output = try await model.prediction(from: try input(1, steps: 100_000), using: state)
    let total = state.withMultiArray(for: "total") { $0[0].floatValue }
    // Beyond 2048, adding 1 changes no float16.
    #expect(floats(output, "y")?.first == total && total == 2048)
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
