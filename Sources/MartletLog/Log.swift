internal import CMartletLog
import MartletLock

/// How severe a message is.
package enum LogSeverity: Sendable {
  case debug, info, error
}

/// One message.
package struct LogRecord: Sendable {
  package let severity: LogSeverity
  /// Seconds since the first message of the process.
  package let timestamp: Double
  /// The source file that logged it, without folders.
  package let file: String
  package let line: UInt
  package let message: String
}

/// Log messages of the engine: few, on loading, planning and failing, never in a run's steps.
///
/// Debug builds have them; release builds only with the package trait `Logging` or a `_debug` product. Elsewhere a message's
/// text is not even made.
package enum Log {
  /// Messages kept for those who start to listen later.
  package static let historyLength = 100

  package typealias Listener = @Sendable (LogRecord) -> Void

  private struct State {
    var history: [LogRecord] = []
    var listener: Listener?
  }

  private static let state = Guarded(State())
  private static let start = ContinuousClock.now

  /// Whether messages are kept in this build.
  package static var isEnabled: Bool {
    #if DEBUG || Logging
      true
    #else
      mk_log_switch_is_linked()
    #endif
  }

  package static func debug(_ message: @autoclosure () -> String, file: String = #fileID, line: UInt = #line) {
    if isEnabled { record(.debug, message(), file, line) }
  }

  package static func info(_ message: @autoclosure () -> String, file: String = #fileID, line: UInt = #line) {
    if isEnabled { record(.info, message(), file, line) }
  }

  package static func error(_ message: @autoclosure () -> String, file: String = #fileID, line: UInt = #line) {
    if isEnabled { record(.error, message(), file, line) }
  }

  /// Sets who hears messages, and keeps them, from now on.
  /// - Returns: the messages so far, oldest first, at most `historyLength`; they are kept here no longer.
  package static func listen(_ listener: @escaping Listener) -> [LogRecord] {
    state.withLock { state in
      state.listener = listener
      defer { state.history = [] }
      return state.history
    }
  }

  private static func record(_ severity: LogSeverity, _ message: String, _ file: String, _ line: UInt) {
    let time = start.duration(to: .now)
    let record = LogRecord(
      severity: severity, timestamp: Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18,
      file: String(file.split(separator: "/").last ?? Substring(file)), line: line, message: message)
    let listener = state.withLock { state in
      if state.listener == nil {
        if state.history.count == historyLength { state.history.removeFirst() }
        state.history.append(record)
      }
      return state.listener
    }
    listener?(record)
  }
}
