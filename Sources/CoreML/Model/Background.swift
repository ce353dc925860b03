import Foundation
import Martlet

/// Passes a value to another thread. The caller is responsible for synchronizing access to it.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}

extension Result {
  /// The value of a success.
  var value: Success? { try? get() }
  /// The error of a failure.
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

/// Runs `body` on a thread that may wait, so that Swift's own stay free. What it refers to is used by nobody else meanwhile. Cancelling the
/// task stops what the engine does there with `CancellationError`.
func onBackgroundThread<Result>(_ body: @escaping () throws -> Result) async throws -> Result {
  let body = Transferred(value: body)
  return try await BackgroundThreads.shared.cancellable { _ in Transferred(value: try body.value()) }.value
}

/// Runs `body` on another thread and hands its result to `handler`. What they refer to is the caller's to protect, as with completion
/// handlers.
func inBackground<Value>(_ body: @escaping () throws -> Value, then handler: @escaping (Result<Value, any Error>) -> Void) {
  let body = Transferred(value: body)
  let handler = Transferred(value: handler)
  BackgroundThreads.shared.submit {
    let result = Transferred(value: Result { try body.value() })
    // A handler may wait for further calls, which need a thread.
    DispatchQueue.global().async { handler.value(result.value) }
  }
}
