import Martlet

/// A sink of a log with the messages that it has yet to hear.
final class LogSubscription: Sendable {
  private struct State {
    weak var sink: (any LogSink)?
    var pending: [LogRecord] = []
    /// Whether a thread is calling the sink; it also delivers what is appended meanwhile.
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

  /// Whether the sink is still there. To be asked by who holds it: otherwise the answer could be what ends it.
  var isLiving: Bool { state.withLock { $0.sink != nil } }

  func append(_ record: LogRecord) { state.withLock { $0.pending.append(record) } }

  /// Drops the messages that the sink has not heard, and the sink.
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
        // A reference made in here leaves with the result: the sink may end with it, and its end may remove it from the log.
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
