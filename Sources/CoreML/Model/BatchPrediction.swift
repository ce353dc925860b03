import Foundation
import Martlet
import MartletLock

extension ModelFunction {
  /// A prediction for each of several inputs, on as many threads as the model may use.
  /// - Throws: the error of the first input that has one.
  func predict(batch: [[PredictionInput]], backings: [String: Any]) throws -> [MLDictionaryFeatureProvider] {
    // What is written into the caller's memory is written in order.
    let threads = backings.isEmpty ? min(model.threads, batch.count) : 1
    guard threads > 1 else { return try batch.map { try predict($0, state: nil, backings: backings) } }
    let next = Guarded(0)
    let results = Guarded([Transferred<Result<MLDictionaryFeatureProvider, any Error>>?](repeating: nil, count: batch.count))
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while true {
        let index = next.withLock { index in
          index += 1
          return index - 1
        }
        guard index < batch.count else { return }
        let result = Transferred(value: Result { try self.predict(batch[index], state: nil) })
        results.withLock { $0[index] = result }
      }
    }
    return try results.withLock { $0 }.compactMap { try $0?.value.get() }
  }
}
