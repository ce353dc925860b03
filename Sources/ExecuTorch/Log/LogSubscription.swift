import Martlet

/// A sink of a log with the messages that are yet to be delivered to it.
final class LogSubscription: Sendable {
  private struct State {
    weak var sink: (any LogSink)?
    var pending: [LogRecord] = []
    /// True while a thread calls the sink; that thread also delivers messages appended meanwhile.
    var isDelivering = false
  }

  private let sink: ObjectIdentifier
  private let state = Guarded(State())

  init(_ sink: any LogSink, history: [LogRecord]) {
    self.sink = ObjectIdentifier(sink)
    state.withLock { state in
      state.sink = sink
      state.pending = history
    }
  }

  func isFor(_ sink: any LogSink) -> Bool { self.sink == ObjectIdentifier(sink) }

  /// False once the sink is deallocated or removed. Ask only while holding a reference to the sink: a temporary reference made here could be
  /// the last one, and the sink would be deallocated inside the lock.
  var isLiving: Bool { state.withLock { $0.sink != nil } }

  func append(_ record: LogRecord) { state.withLock { $0.pending.append(record) } }

  /// Drops the sink and all pending messages.
  func close() {
    state.withLock { state in
      state.pending = []
      state.sink = nil
    }
  }

  /// Calls the sink with the pending messages, unless another call, on this or another thread, is doing so.
  /// - Returns: false if the sink is gone.
  func deliver() -> Bool {
    enum Next {
      case message(any LogSink, LogRecord)
      case end(isLiving: Bool)
    }
    let isMine = state.withLock { state in
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    guard isMine else { return true }
    while true {
      let next = state.withLock { state -> Next in
        guard !state.pending.isEmpty else {
          state.isDelivering = false
          return .end(isLiving: true)
        }
        // The result carries the reference out of the lock: releasing it may deallocate the sink, whose deinitializer may remove it from
        // the log.
        guard let sink = state.sink else { return .end(isLiving: false) }
        return .message(sink, state.pending.removeFirst())
      }
      switch next {
      case .message(let sink, let record): sink.hear(record)
      case .end(let isLiving): return isLiving
      }
    }
  }
}
