import Foundation
import MartletLock
import MartletRuntime

extension ModelFunction {
  /// Predictions that take less time are made one after the other: to hand them to other threads takes as long.
  private static let shortestConcurrent = Duration.microseconds(12)

  /// A prediction for each of several inputs, as many at the same time as the model has threads.
  ///
  /// How long one takes is measured in the first batch. What is left over when all threads have had the same number of predictions is
  /// done with all threads, one after the other.
  /// - Throws: the error of the first input that has one.
  func predict(batch: any MLBatchProvider, backings: [String: Any]) throws -> [any MLFeatureProvider] {
    let count = batch.count
    // What is written into the caller's memory is written in order.
    var results: [any MLFeatureProvider] = []
    results.reserveCapacity(count)
    if method.threads > 1, backings.isEmpty, count > 1, predictionTime.withLock({ $0 == nil }) {
      results.append(try predict(inputs(from: batch.features(at: 0)), state: nil))
      // Again, without what is done at the first prediction only.
      let start = ContinuousClock.now
      results.append(try predict(inputs(from: batch.features(at: 1)), state: nil))
      let time = ContinuousClock.now - start
      predictionTime.withLock { $0 = time }
    }
    let isWorthwhile = predictionTime.withLock { $0.map { $0 >= Self.shortestConcurrent } ?? false }
    let first = results.count
    let rest = count - first
    let concurrentCount = backings.isEmpty && isWorthwhile ? rest - rest % method.threads : 0
    if method.threads > 1, concurrentCount > 1 {
      let features = (first..<first + concurrentCount).map { batch.features(at: $0) }
      // Other providers may not be used on several threads.
      let areValues = features.allSatisfy { type(of: $0) == MLDictionaryFeatureProvider.self }
      let inputs = try areValues ? [] : features.map { try self.inputs(from: $0) }
      let slots = BatchResults(count: concurrentCount)
      let work = Transferred(value: (features, inputs))
      method.concurrently(concurrentCount) { index in
        slots[index] = Result {
          let (features, inputs) = work.value
          return try self.predict(areValues ? self.inputs(from: features[index]) : inputs[index], state: nil)
        }
      }
      for index in 0..<concurrentCount { results.append(try slots.value(at: index)) }
    }
    for index in results.count..<count {
      results.append(try predict(inputs(from: batch.features(at: index)), state: nil, backings: backings))
    }
    return results
  }
}

/// Results that threads leave in places of their own.
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

  /// The result, which is there when all threads are done.
  func value(at index: Int) throws -> MLDictionaryFeatureProvider {
    guard let result = self[index] else { throw MLModelError(.generic, "A prediction of the batch did not run") }
    return try result.get()
  }
}
