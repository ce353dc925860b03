public import Foundation
import MartletLock
import MartletLog

/// How severe a message is; the raw value is the code of the letter that stands for it.
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

  private struct WeakSink {
    weak var sink: (any LogSink)?
  }

  private let sinks = Guarded<[WeakSink]>([])
  /// Messages reach sinks one at a time, in order. A sink may use the log, and what logs, while it hears a message.
  private let delivery = NSRecursiveLock()
  /// The last messages, oldest first. Changed inside `delivery` only.
  private var history: [LogRecord] = []

  private override init() {
    super.init()
    delivery.withLock { history = MartletLog.Log.listen { [unowned self] record in deliver(record) } }
  }

  /// Adds a sink, which is held weakly. It first gets the last messages, at most 100, then each new one.
  ///
  /// A sink gets messages on whatever thread they come from, one at a time.
  public func add(sink: any LogSink) {
    delivery.withLock {
      guard !living().contains(where: { $0 === sink }) else { return }
      sinks.withLock { $0.append(WeakSink(sink: sink)) }
      for record in history { sink.log(record) }
    }
  }

  /// Removes a sink; it gets no more messages.
  public func remove(sink: any LogSink) {
    // Held until the lock is free: the last reference to a sink may be one of these, and its end may remove it.
    withExtendedLifetime(living()) {
      sinks.withLock { $0.removeAll { $0.sink == nil || $0.sink === sink } }
    }
  }

  /// The sinks that are still there.
  private func living() -> [any LogSink] { sinks.withLock { $0.compactMap(\.sink) } }

  private func deliver(_ record: LogRecord) {
    delivery.withLock {
      if history.count == MartletLog.Log.historyLength { history.removeFirst() }
      history.append(record)
      for sink in living() { sink.log(record) }
    }
  }
}

extension LogSink {
  fileprivate func log(_ record: LogRecord) {
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
