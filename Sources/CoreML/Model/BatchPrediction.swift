import Foundation
import Martlet

extension ModelFunction {
  /// Maximum number of predictions, per thread, between two choices of the mode.
  private static let largestStretch = 256

  /// Makes a prediction for each input of a batch: either one at a time on all threads or one per thread in parallel, whichever has been
  /// measured to be faster.
  /// - Throws: the error of the first prediction that fails.
  func predict(batch: any MLBatchProvider, backings: [String: Any]) throws -> MLArrayBatchProvider {
    let count = batch.count
    guard method.isGraph, !(method.takesSequences && (0..<count).contains { hasSequences(batch.features(at: $0)) }) else {
      if method.takesBatches, backings.isEmpty { return try predictValues(batch, backings: [:]) }
      return MLArrayBatchProvider(
        array: try (0..<count).map { try predictValues(batch.features(at: $0), backings: backings, cancellation: nil) })
    }
    if backings.isEmpty, let results = try predictTable(batch, count: count) { return results }
    if count > 0, backings.isEmpty {
      let frame = takeFrame()
      defer { release(frame) }
      if let small = smallPredictions(in: frame) { return try predict(batch, count: count, small, in: frame) }
      if count == 1 {
        try takeInputs(from: batch.features(at: 0), into: frame)
        return MLArrayBatchProvider(array: [try predict(in: frame)])
      }
    }
    return MLArrayBatchProvider(array: try predictEach(of: batch, count: count, backings))
  }

  /// The mode and number of the next predictions, of which `count` remain.
  func nextStretch(of count: Int, isConcurrent: Bool) -> BatchPace.Mode {
    let count = min(count, Self.largestStretch * method.threads)
    return isConcurrent ? batchPace.withLock { $0.mode(for: count, threads: method.threads) } : .inOrder(count)
  }

  private func predictEach(of batch: any MLBatchProvider, count: Int, _ backings: [String: Any]) throws -> [any MLFeatureProvider] {
    var results: [any MLFeatureProvider] = []
    results.reserveCapacity(count)
    // Predictions that write into the caller's memory run in order.
    let isConcurrent = method.threads > 1 && backings.isEmpty
    while results.count < count {
      let mode = nextStretch(of: count - results.count, isConcurrent: isConcurrent)
      let start = isConcurrent ? ContinuousClock.now : nil
      switch mode {
      case .inOrder(let count): try predictInOrder(count, of: batch, backings, into: &results)
      case .concurrently(let count, let part): try predictConcurrently(count, inPartsOf: part, of: batch, into: &results)
      }
      if let start { note(mode, in: ContinuousClock.now - start) }
    }
    return results
  }

  /// Records the duration of a run of predictions for later choices.
  func note(_ mode: BatchPace.Mode, in time: Duration) {
    batchPace.withLock { $0.note(mode, in: time) }
  }

  private func predictInOrder(
    _ count: Int, of batch: any MLBatchProvider, _ backings: [String: Any], into results: inout [any MLFeatureProvider]
  ) throws {
    let frame = takeFrame()
    defer { release(frame) }
    if backings.isEmpty { frame.reserve(byteCount: sharedByteCount(count)) }
    for index in results.count..<results.count + count {
      frame.reset()
      try takeInputs(from: batch.features(at: index), into: frame)
      results.append(try predict(in: frame, backings: backings))
    }
  }

  private func predictConcurrently(
    _ count: Int, inPartsOf partCount: Int, of batch: any MLBatchProvider, into results: inout [any MLFeatureProvider]
  ) throws {
    let features = (results.count..<results.count + count).map { batch.features(at: $0) }
    // Providers of other classes may not be thread-safe.
    let areValues = features.allSatisfy { type(of: $0) == MLDictionaryFeatureProvider.self }
    let inputs = try areValues ? [] : features.map { try self.boundInputs(from: $0) }
    let slots = BatchResults(count: count)
    let work = Transferred(value: (features, inputs))
    method.concurrently((count + partCount - 1) / partCount) { part, _ in
      let range = part * partCount..<min((part + 1) * partCount, count)
      let (features, inputs) = work.value
      let frame = takeFrame()
      defer { release(frame) }
      frame.reserve(byteCount: sharedByteCount(range.count))
      for index in range {
        frame.reset()
        frame.invocation.usesOneThread = true
        let result = Result {
          if areValues {
            try self.takeInputs(from: features[index], into: frame)
          } else {
            for (position, input) in inputs[index].enumerated() { frame.invocation.setInput(position, to: input) }
          }
          return try self.predict(in: frame)
        }
        slots[index] = result
        if case .failure = result { return }
      }
    }
    for index in 0..<count { results.append(try slots.value(at: index)) }
  }

  /// The byte count of a memory block shared by the outputs of `count` predictions; 0 if they do not share one.
  private func sharedByteCount(_ count: Int) -> Int {
    guard count > 1, let each = method.outputByteCount, each <= SmallPredictions.largestOutputs else { return 0 }
    return each * count
  }
}

/// Results of a batch. Each thread writes other elements.
@safe
private final class BatchResults: @unchecked Sendable {
  typealias Element = Result<MLDictionaryFeatureProvider, any Error>

  private let places: UnsafeMutableBufferPointer<Element?>

  init(count: Int) {
    unsafe places = .allocate(capacity: count)
    unsafe places.initialize(repeating: nil)
  }

  deinit {
    unsafe places.deinitialize()
    unsafe places.deallocate()
  }

  subscript(index: Int) -> Element? {
    get { unsafe places[index] }
    set { unsafe places[index] = newValue }
  }

  /// The result of a prediction. All threads must have finished.
  func value(at index: Int) throws -> MLDictionaryFeatureProvider {
    guard let result = self[index] else { throw MLModelError(.generic, "A prediction of the batch did not run") }
    return try result.get()
  }
}
