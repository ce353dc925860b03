public import Foundation
import Martlet

/// The severity of a message. The raw value is the code of its letter.
public enum LogLevel: Int, Sendable {
  case debug = 0x44  // D
  case info = 0x49  // I
  case error = 0x45  // E
  case fatal = 0x46  // F
  case unknown = 0x3F  // ?
}

/// Hears the runtime's messages.
public protocol LogSink: AnyObject {
  /// - Parameters:
  ///   - timestamp: seconds since the runtime's first message.
  ///   - filename: the source file that logged the message, without folders.
  ///   - line: the line in that file.
  func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String)
}

/// The runtime's messages: on loading, planning and failing.
///
/// Debug builds have them. Release builds have them with a `_debug` product (`executorch_debug`) or with the package trait
/// `Logging`; otherwise sinks may be added but hear nothing.
public final class Log: NSObject, @unchecked Sendable {
  /// The one log of the process.
  public static let shared = Log()

  private struct State {
    /// The last messages, oldest first.
    var history: [LogRecord] = []
    var subscriptions: [LogSubscription] = []
  }

  /// No sink is called while this is locked.
  private let state = Guarded(State())

  private override init() {
    super.init()
    state.withLock { state in
      state.history = MartletLog.Log.listen { [unowned self] record in deliver(record) }
    }
  }

  /// Adds a sink, which is held weakly. It first hears the last messages, at most 100, then each new one.
  ///
  /// A sink hears messages one at a time, in order, on whichever thread logs. No lock is held meanwhile: it may log, load modules
  /// and wait for other threads that do. A message that another thread logs while the sink is busy follows on the thread that the
  /// sink is busy on.
  public func add(sink: any LogSink) {
    let added = state.withLock { state -> LogSubscription? in
      // The caller holds the sink, so that asking whether it lives cannot end it in here.
      state.subscriptions.removeAll { $0.isFor(sink) && !$0.isLiving }
      guard !state.subscriptions.contains(where: { $0.isFor(sink) }) else { return nil }
      let subscription = LogSubscription(sink, history: state.history)
      state.subscriptions.append(subscription)
      return subscription
    }
    added.map(deliver)
  }

  /// Removes a sink; it hears no message that it is not hearing already.
  public func remove(sink: any LogSink) {
    state.withLock { state in
      for subscription in state.subscriptions where subscription.isFor(sink) { subscription.close() }
      state.subscriptions.removeAll { $0.isFor(sink) }
    }
  }

  private func deliver(_ record: LogRecord) {
    let subscriptions = state.withLock { state in
      if state.history.count == MartletLog.Log.historyLength { state.history.removeFirst() }
      state.history.append(record)
      for subscription in state.subscriptions { subscription.append(record) }
      return state.subscriptions
    }
    for subscription in subscriptions { deliver(subscription) }
  }

  private func deliver(_ subscription: LogSubscription) {
    if subscription.deliver() { return }
    state.withLock { $0.subscriptions.removeAll { $0 === subscription } }
  }
}

extension LogSink {
  func hear(_ record: LogRecord) {
    log(
      level: LogLevel(record.severity), timestamp: record.timestamp, filename: record.file, line: record.line,
      message: record.message)
  }
}

extension LogLevel {
  init(_ severity: LogSeverity) {
    self =
      switch severity {
      case .debug: .debug
      case .info: .info
      case .error: .error
      }
  }
}
