private import Synchronization

/// Place of a signpost in an interval.
public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  public static let event = OSSignpostType(0)
  public static let begin = OSSignpostType(1)
  public static let end = OSSignpostType(2)

  var name: String {
    switch self {
    case .begin: "begin"
    case .end: "end"
    default: "event"
    }
  }
}

/// Tells intervals of one name apart that overlap.
public struct OSSignpostID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public init(_ value: UInt64) { rawValue = value }

  /// An identifier that the process has not given yet.
  public init(log: OSLog) { rawValue = Self.next.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The identifier of an object, the same for its lifetime.
  public init(log: OSLog, object: AnyObject) { rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object).hashValue)) }

  /// The only interval of its name.
  public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
  public static let invalid = OSSignpostID(.max)
  public static let null = OSSignpostID(0)

  public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool { left.rawValue < right.rawValue }

  private static let next = Atomic<UInt64>(0)
}

/// Marks a point of time, or the begin or the end of an interval.
public func os_signpost(
  _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString, signpostID: OSSignpostID = .exclusive
) {
  log.signpost(type, name, signpostID) { "" }
}

/// Marks a point of time, or the begin or the end of an interval, with a message.
/// - Parameters:
///   - format: Format of `printf`, with the annotations of Apple's logs, such as `%{public}@`.
public func os_signpost(
  _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString, signpostID: OSSignpostID = .exclusive,
  _ format: StaticString, _ arguments: Any...
) {
  log.signpost(type, name, signpostID) { LogFormat.message("\(format)", arguments) }
}

extension OSLog {
  func signpost(_ type: OSSignpostType, _ name: StaticString, _ id: OSSignpostID, _ message: () -> String) {
    guard signpostsEnabled else { return }
    write(.default, signpost: OSLogRecord.Signpost(type: type, name: "\(name)", id: id), message)
  }
}
