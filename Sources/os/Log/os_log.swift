// Arguments of formats have the type `Any` here, so that strings go with `%@` as on Apple's systems, where they are bridged to objects.

/// Writes a message to a log.
/// - Parameters:
///   - message: Format of `printf`, with the annotations of Apple's logs, such as `%{public}@`.
///   - dso: Not used.
///   - type: How important the message is.
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, type: OSLogType = .default, _ args: Any...
) {
  log.write(type) { LogFormat.message("\(message)", args) }
}

/// Writes a message to a log.
/// - Parameters:
///   - type: How important the message is.
///   - dso: Not used.
///   - message: Format of `printf`, with the annotations of Apple's logs, such as `%{public}@`.
public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer = #dsohandle, log: OSLog = .default, _ message: StaticString, _ args: Any...
) {
  log.write(type) { LogFormat.message("\(message)", args) }
}

/// Writes a message to the log without a subsystem.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(.default) { message.composed } }

/// Writes a message to a log.
/// - Parameter logLevel: How important the message is.
@_disfavoredOverload
public func os_log(_ logLevel: OSLogType, log: OSLog = .default, _ message: OSLogMessage) { log.write(logLevel) { message.composed } }

extension OSLog {
  /// Writes a message, whose text is asked for only then.
  func write(_ type: OSLogType, signpost: OSLogRecord.Signpost? = nil, _ message: () -> String) {
    guard signpost == nil ? isEnabled(type: type) : signpostsEnabled else { return }
    OSLogOutput.write(
      OSLogRecord(level: type, subsystem: subsystem, category: category, composedMessage: message(), signpost: signpost))
  }
}
