import CoreML
import Testing

/// Many threads on one model.
struct ConcurrencyTests {
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
        group.addTask {
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
