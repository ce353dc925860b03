private import Foundation
private import Synchronization

/// A log message or a signpost on its way out.
public struct OSLogRecord: Sendable {
  /// Place of a signpost in its interval.
  public struct Signpost: Sendable {
    public let type: OSSignpostType
    public let name: String
    public let id: OSSignpostID
  }

  public let level: OSLogType
  public let subsystem: String
  public let category: String
  /// The message with its arguments. What is private in it is replaced by `<private>`.
  public let composedMessage: String
  /// nil for a log message.
  public let signpost: Signpost?

  /// Name of the level in the terms of swift-log: `debug`, `info`, `notice`, `error` or `critical`.
  public var levelName: String {
    switch level {
    case .debug: "debug"
    case .info: "info"
    case .error: "error"
    case .fault: "critical"
    default: "notice"
    }
  }
}

/// Where log messages go. This type exists on Linux only.
///
/// Messages are written to standard error, one line each. The environment variable `OS_ACTIVITY_MODE` chooses the least important ones:
/// `debug` (with signposts), `info` (if unset), `default`, `error`, or `disable` for none. A handler replaces standard error and gets
/// messages of all levels, and signposts. With swift-log:
///
/// ```swift
/// OSLogOutput.handler = { Logging.Logger(label: $0.subsystem).log(level: .init(rawValue: $0.levelName)!, "\($0.composedMessage)") }
/// ```
public enum OSLogOutput {
  /// Receives all messages and signposts, on the thread that logs; nil for standard error.
  public static var handler: (@Sendable (OSLogRecord) -> Void)? {
    get { state.withLock { $0 } }
    set {
      state.withLock { $0 = newValue }
      hasHandler.store(newValue != nil, ordering: .releasing)
    }
  }

  private static let state = Mutex<(@Sendable (OSLogRecord) -> Void)?>(nil)
  private static let hasHandler = Atomic<Bool>(false)

  private static let mode = ProcessInfo.processInfo.environment["OS_ACTIVITY_MODE"] ?? "info"

  /// Rank of the least important type that is written to standard error.
  private static let threshold: Int =
    switch mode {
    case "debug": OSLogType.debug.rank
    case "default": OSLogType.default.rank
    case "error": OSLogType.error.rank
    case "disable": .max
    default: OSLogType.info.rank
    }

  static func isEnabled(_ type: OSLogType) -> Bool { type.rank >= threshold || hasHandler.load(ordering: .acquiring) }

  static var writesSignposts: Bool { mode == "debug" || hasHandler.load(ordering: .acquiring) }

  static func write(_ record: OSLogRecord) {
    if let handler {
      handler(record)
    } else {
      writeLine(record)
    }
  }

  private static func writeLine(_ record: OSLogRecord) {
    var source = ""
    if !record.subsystem.isEmpty || !record.category.isEmpty { source = "[\(record.subsystem):\(record.category)] " }
    var signpost = ""
    if let point = record.signpost { signpost = "\(point.type.name) \(point.name) (\(point.id.rawValue)) " }
    let line =
      "\(timestamp()) \(record.level.abbreviation) \(processName)[\(getpid()):\(threadNumber())] \(source)\(signpost)"
      + "\(record.composedMessage)\n"
    // One call writes one line, so that lines of several threads do not mix.
    unsafe Array(line.utf8).withUnsafeBytes { bytes in _ = unsafe Foundation.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }

  private static let processName = ProcessInfo.processInfo.processName

  /// The kernel's number of the calling thread: the last part of what `/proc/thread-self` links to. That of the process if there is none.
  private static func threadNumber() -> Int {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress else { return Int(getpid()) }
      let count = unsafe readlink("/proc/thread-self", start, buffer.count)
      let text = unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: max(0, count)), as: UTF8.self)
      return text.split(separator: "/").last.flatMap { Int($0) } ?? Int(getpid())
    }
  }

  /// Local time with milliseconds.
  private static func timestamp() -> String {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    var parts = unsafe tm()
    unsafe localtime_r(&now.tv_sec, &parts)
    let numbers = unsafe [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
    let milliseconds = "\(1000 + now.tv_nsec / 1_000_000)".dropFirst()
    return unsafe "\(parts.tm_year + 1900)-\(numbers[0])-\(numbers[1]) \(numbers[2]):\(numbers[3]):\(numbers[4]).\(milliseconds)"
  }
}
