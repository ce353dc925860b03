// Written by hand, in about 80 lines, because swift-log is configured once per process, which is up to the app, and has no history
// for listeners that are added later.

import MartletLock

/// Severity of a message.
package enum LogSeverity: Sendable {
  case debug, info, error
}

/// One message.
package struct LogRecord: Sendable {
  package let severity: LogSeverity
  /// Seconds since the first message of the process.
  package let timestamp: Double
  /// Source file that logged the message, without folders.
  package let file: String
  package let line: UInt
  package let message: String
}

/// Log messages of the engine: few, on loading, planning and errors, never in the steps of a run.
///
/// Enabled in debug builds, and in release builds with the package trait `Logging` or a `_debug` product. Otherwise the text of a message
/// is not even created.
package enum Log {
  /// Number of messages kept for listeners that are added later.
  package static let historyLength = 100

  package typealias Listener = @Sendable (LogRecord) -> Void

  private struct State {
    var history: [LogRecord] = []
    var listener: Listener?
  }

  private static let state = Guarded(State())
  private static let start = ContinuousClock.now

  /// Whether this build keeps messages.
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

  /// Sets the listener, which receives all further messages.
  /// - Returns: the messages so far, oldest first, at most `historyLength`. They are no longer kept here.
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
