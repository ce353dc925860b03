/// Writes messages of a subsystem and a category to the log.
public struct Logger: Sendable {
  let log: OSLog

  /// Messages without a subsystem.
  public init() { log = .default }

  /// - Parameters:
  ///   - subsystem: Name in reverse DNS notation, such as `com.example.app`.
  ///   - category: Part of the subsystem.
  public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

  public init(_ logObj: OSLog) { log = logObj }

  public func log(_ message: OSLogMessage) { os_log(.default, log: log, message) }
  public func log(level: OSLogType, _ message: OSLogMessage) { os_log(level, log: log, message) }
  public func trace(_ message: OSLogMessage) { os_log(.debug, log: log, message) }
  public func debug(_ message: OSLogMessage) { os_log(.debug, log: log, message) }
  public func info(_ message: OSLogMessage) { os_log(.info, log: log, message) }
  public func notice(_ message: OSLogMessage) { os_log(.default, log: log, message) }
  public func warning(_ message: OSLogMessage) { os_log(.error, log: log, message) }
  public func error(_ message: OSLogMessage) { os_log(.error, log: log, message) }
  public func critical(_ message: OSLogMessage) { os_log(.fault, log: log, message) }
  public func fault(_ message: OSLogMessage) { os_log(.fault, log: log, message) }
}
