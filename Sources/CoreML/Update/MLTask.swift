public import Foundation
import Martlet

/// The state of a task.
public enum MLTaskState: Int, Sendable, Hashable {
  /// Not started yet.
  case suspended = 1
  case running = 2
  case cancelling = 3
  case completed = 4
  /// Ended by an error or by `cancel()`.
  case failed = 5
}

/// Work that goes on in the background.
open class MLTask: NSObject, @unchecked Sendable {
  struct Progress: Sendable {
    var state = MLTaskState.suspended
    var error: (any Error)?
  }

  let progress = Guarded(Progress())

  /// Identifies the task among those of the process.
  open var taskIdentifier: String { identifier }
  private let identifier = UUID().uuidString

  open var state: MLTaskState { progress.withLock { $0.state } }

  /// The reason why the task failed; nil in other states.
  open var error: (any Error)? { progress.withLock { $0.error } }

  override init() { super.init() }

  /// Starts the task. Has no effect on a task that has been started.
  open func resume() {}

  /// Stops the task, which fails when it has ended. Has no effect on a task that has ended.
  open func cancel() {}
}
