import CoreML
import Foundation
import Testing

/// Many threads on one model.
struct ConcurrencyTests {
  /// A model that threads share, by its path in the fixtures, and the shapes that its input x takes in turn.
  struct Shared: Sendable, CustomTestStringConvertible {
    let path: String
    let shapes: [[Int]]
    var testDescription: String { path }

    /// Inputs that differ from each other.
    func inputs(_ count: Int) throws -> [MLDictionaryFeatureProvider] {
      try (0..<count).map { round in
        let shape = shapes[round % shapes.count]
        let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: path.hasPrefix("network") ? .float32 : .double)
        for index in 0..<array.count { array[index] = NSNumber(value: Double((index * 7 + round * 5) % 23) / 8 - 1.25) }
        return try MLDictionaryFeatureProvider(dictionary: ["x": array, "colour": round % 2 == 0 ? "red" : "blue", "n": Double(round) / 3])
      }
    }
  }

  private static let shared = [
    Shared(path: "network/conv-old-seq-batch", shapes: [[2, 4, 5], [3, 2, 2, 4, 5]]),
    Shared(path: "network/conv-same-top-k32-s23-d11", shapes: [[1, 2, 6, 7]]),
    Shared(path: "network/gru-sequence-bias-old", shapes: [[3], [4, 2, 3], [2, 1, 3], [7, 3, 3]]),
    Shared(path: "network/loop-break-3", shapes: [[3]]), Shared(path: "classic/tree-classifier-softmax", shapes: [[5]]),
    Shared(path: "classic/pipeline-program", shapes: [[2]]), Shared(path: "classic/pipeline-text-0", shapes: [[2]]),
  ]

  @Test(arguments: shared)
  func `eight threads get the same bits from a network, a forest and a pipeline, one by one and in batches`(_ shared: Shared) throws {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let url = fixtures.appendingPathComponent("Fixtures/\(shared.path)/model.mlmodel")
    // Models may be used by several threads at once.
    nonisolated(unsafe) let model = try MLModel(contentsOf: url)
    nonisolated(unsafe) let inputs = try shared.inputs(12)
    @Sendable func values(_ provider: any MLFeatureProvider) -> [String: MLFeatureValue] {
      Dictionary(provider.featureNames.map { ($0, provider.featureValue(for: $0) ?? MLFeatureValue(undefined: .invalid)) }) { $1 }
    }
    nonisolated(unsafe) let expected = try inputs.map { values(try model.prediction(from: $0)) }
    #expect(expected.contains { $0 != expected[0] })
    // Another model of the same file has no plans yet, which threads then make.
    nonisolated(unsafe) let fresh = try MLModel(contentsOf: url)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<24 {
        let turn = (round * 5 + thread) % inputs.count
        let found = try? (round % 2 == 0 ? model : fresh).prediction(from: inputs[turn])
        #expect(found.map(values) == expected[turn], "input \(turn)")
      }
      let batch = try? fresh.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
      for turn in inputs.indices { #expect((batch?.features(at: turn)).map(values) == expected[turn], "batch, input \(turn)") }
    }
  }

  /// How long the threads predict: `MARTLET_SOAK_SECONDS`, for measurements, or a moment.
  private static let soakSeconds = ProcessInfo.processInfo.environment["MARTLET_SOAK_SECONDS"].flatMap { Double($0) }

  /// Bytes of memory that the process has.
  private func residentByteCount() -> Int {
    let numbers = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return numbers.count > 1 ? (Int(numbers[1]) ?? 0) * 4096 : 0
  }

  private func decoderStep(_ model: MLModel, _ step: Int, _ state: MLState) throws -> [Float]? {
    let input = try MLDictionaryFeatureProvider(dictionary: [
      "token": MLShapedArray<Int32>(repeating: Int32(step * 37 % 64), shape: [1, 1]),
      "mask": MLShapedArray<Float16>(repeating: 0, shape: [1, 1, 1, step + 1]),
    ])
    return floats(try model.prediction(from: input, using: state), "logits")
  }

  private func arithmetic(_ model: MLModel, _ number: Int) throws -> [Float]? {
    let x = MLShapedArray<Float>(scalars: [Float(number), 1, -Float(number)], shape: [1, 3])
    let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x]))
    return floats(output, "product")
  }

  @Test func `eight threads get from two models what one thread gets, and memory does not grow`() async throws {
    nonisolated(unsafe) let decoder = try Fixture.model("decoder.mlpackage")
    nonisolated(unsafe) let plain = try Fixture.model("arithmetic.mlpackage")
    let state = decoder.makeState()
    let logits = try (0..<12).map { try decoderStep(decoder, $0, state) }
    let products = try (0..<50).map { try arithmetic(plain, $0) }
    let start = ContinuousClock.now
    let seconds = Self.soakSeconds ?? 0.3
    let (predictions, wrong) = await withTaskGroup(of: (Int, Int).self) { group in
      for thread in 0..<8 {
        group.addTask { @Sendable in
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              var (predictions, wrong) = (0, 0)
              repeat {
                let stream = decoder.makeState()
                for step in 0..<12 where (try? decoderStep(decoder, step, stream)) != logits[step] { wrong += 1 }
                for number in 0..<50 {
                  let turn = (number + thread) % 50
                  if (try? arithmetic(plain, turn)) != products[turn] { wrong += 1 }
                }
                predictions += 62
              } while start.duration(to: .now) < .seconds(seconds)
              continuation.resume(returning: (predictions, wrong))
            }
          }
        }
      }
      // What is resident after a fifth of the time is the level.
      var level = 0
      if Self.soakSeconds != nil {
        try? await Task.sleep(for: .seconds(seconds / 5))
        level = residentByteCount()
      }
      var sums = (0, 0)
      for await counts in group { sums = (sums.0 + counts.0, sums.1 + counts.1) }
      if Self.soakSeconds != nil {
        let growth = residentByteCount() - level
        print("\(sums.0) predictions in \(seconds) s on 8 threads; memory \(level >> 10) KiB, growth \(growth >> 10) KiB")
        #expect(growth < 4 << 20)
      }
      return sums
    }
    #expect(predictions > 0 && wrong == 0)
  }
}
