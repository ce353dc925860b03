/// How important a log message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  public static let `default` = OSLogType(0x00)
  public static let info = OSLogType(0x01)
  public static let debug = OSLogType(0x02)
  public static let error = OSLogType(0x10)
  public static let fault = OSLogType(0x11)

  /// Order of importance: debug, info, default, error, fault. Other values rank as default.
  var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .error: 3
    case .fault: 4
    default: 2
    }
  }

  /// Abbreviation in a line of the log, as the tool `log` writes it.
  var abbreviation: String {
    switch self {
    case .debug: "Db"
    case .info: "I "
    case .error: "E "
    case .fault: "F "
    default: "Df"
    }
  }
}
