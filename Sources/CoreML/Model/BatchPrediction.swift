import Foundation
import MartletGraph
import MartletLock
import MartletRuntime
import MartletTensor

extension ModelFunction {
  /// Predictions that are made before it is asked again how to make the next ones.
  private static let largestStretch = 256

  /// A prediction for each of several inputs: as many at the same time as the model has threads, or one after the other with all
  /// threads, whichever has turned out to be faster.
  /// - Throws: the error of the first input that has one.
  func predict(batch: any MLBatchProvider, backings: [String: Any]) throws -> MLArrayBatchProvider {
    let count = batch.count
    if count > 0, backings.isEmpty {
      let frame = takeFrame()
      defer { giveBack(frame) }
      if let small = smallPredictions(in: frame) { return try predict(batch, count: count, small, in: frame) }
      if count == 1 {
        try takeInputs(from: batch.features(at: 0), into: frame)
        return MLArrayBatchProvider(array: [try predict(in: frame)])
      }
    }
    return MLArrayBatchProvider(array: try predictEach(of: batch, count: count, backings))
  }

  /// How to make the next of `count` predictions.
  func nextStretch(of count: Int, isConcurrent: Bool) -> BatchPace.Mode {
    let count = min(count, Self.largestStretch * method.threads)
    return isConcurrent ? batchPace.withLock { $0.mode(for: count, threads: method.threads) } : .inOrder(count)
  }

  private func predictEach(of batch: any MLBatchProvider, count: Int, _ backings: [String: Any]) throws -> [any MLFeatureProvider] {
    var results: [any MLFeatureProvider] = []
    results.reserveCapacity(count)
    // What is written into the caller's memory is written in order.
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

  /// Tells those who come later how long a stretch has taken.
  func note(_ mode: BatchPace.Mode, in time: Duration) {
    batchPace.withLock { $0.note(mode, in: time) }
  }

  private func predictInOrder(
    _ count: Int, of batch: any MLBatchProvider, _ backings: [String: Any], into results: inout [any MLFeatureProvider]
  ) throws {
    let frame = takeFrame()
    defer { giveBack(frame) }
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
    // Other providers may not be used on several threads.
    let areValues = features.allSatisfy { type(of: $0) == MLDictionaryFeatureProvider.self }
    let inputs = try areValues ? [] : features.map { try self.inputs(from: $0) }
    let slots = BatchResults(count: count)
    let work = Transferred(value: (features, inputs))
    method.concurrently((count + partCount - 1) / partCount) { part, _ in
      let range = part * partCount..<min((part + 1) * partCount, count)
      let (features, inputs) = work.value
      let frame = takeFrame()
      defer { giveBack(frame) }
      frame.reserve(byteCount: sharedByteCount(range.count))
      for index in range {
        frame.reset()
        frame.call.usesOneThread = true
        let result = Result {
          if areValues {
            try self.takeInputs(from: features[index], into: frame)
          } else {
            frame.inputs.append(contentsOf: inputs[index])
          }
          return try self.predict(in: frame)
        }
        slots[index] = result
        if case .failure = result { return }
      }
    }
    for index in 0..<count { results.append(try slots.value(at: index)) }
  }

  private func inputs(from provider: any MLFeatureProvider) throws -> [PredictionInput] {
    let frame = takeFrame()
    defer { giveBack(frame) }
    try takeInputs(from: provider, into: frame)
    return frame.inputs
  }

  /// Bytes of the outputs of some predictions if they are to share memory; 0 if not.
  private func sharedByteCount(_ count: Int) -> Int {
    guard count > 1, let each = outputByteCount, each <= SmallPredictions.largestOutputs else { return 0 }
    return each * count
  }
}

/// How long predictions of a batch take, one after the other or several at the same time.
package struct BatchPace {
  package enum Mode: Equatable {
    /// So many predictions one after the other.
    case inOrder(Int)
    /// So many predictions on several threads, of which each takes `part` at a time.
    case concurrently(Int, part: Int)

    /// Number of predictions.
    var count: Int {
      switch self {
      case .inOrder(let count), .concurrently(let count, _): count
      }
    }
  }

  /// To wake a thread and to wait for it takes about as long.
  private static let shortestStretch = Duration.microseconds(20)
  /// What a thread takes at a time lasts about as long: to take it is not for nothing, and the others do not wait long for the last.
  private static let partDuration = Duration.microseconds(20)
  /// So often is tried what may only have been slow because of other programs, or because it was a single one.
  private static let trials = 3
  /// One stretch of so many is made the slower way: other programs may have gone.
  private static let retrialInterval = 64

  package init() {}

  private var inOrderCount = 0
  private var inOrder: Duration?
  private var concurrent: Duration?
  private var concurrentCount = 0

  /// How to make the next of `count` predictions.
  package func mode(for count: Int, threads: Int) -> Mode {
    // The first prediction does what is done once, and the second shows how long one takes.
    guard let inOrder else { return .inOrder(1) }
    // Of several short ones each takes less time than one alone.
    let isLong = inOrder > Self.partDuration
    if !isLong, inOrderCount < Self.trials { return .inOrder(count) }
    let isTried = concurrentCount < Self.trials || (inOrderCount + concurrentCount) % Self.retrialInterval == 0
    guard isTried || concurrent.map({ $0 < inOrder }) ?? true, count > 1, inOrder * count > Self.shortestStretch else {
      return .inOrder(count)
    }
    let part = max(1, min(Int(Self.partDuration / max(inOrder, .nanoseconds(1))), count / threads))
    // What is left over when all threads have had as many is done by all together, if it is long.
    let even = isLong ? count - count % threads : count
    return even > 1 ? .concurrently(even, part: part) : .inOrder(count)
  }

  package mutating func note(_ mode: Mode, in time: Duration) {
    let each = time / mode.count
    switch mode {
    case .inOrder:
      inOrderCount += 1
      // The first one does what is done once.
      if inOrderCount > 1 { inOrder = min(inOrder ?? each, each) }
    case .concurrently:
      concurrentCount += 1
      concurrent = min(concurrent ?? each, each)
    }
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
