public import Foundation

/// Where log messages and signposts come from: a subsystem and a category.
public final class OSLog: NSObject, Sendable {
  /// Categories that Apple's tools know.
  public struct Category: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
    public static let dynamicTracing = Category(rawValue: "DynamicTracing")
    public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
  }

  let subsystem: String
  let category: String
  private let isDisabled: Bool

  /// - Parameters:
  ///   - subsystem: Name in reverse DNS notation, such as `com.example.app`.
  ///   - category: Part of the subsystem.
  public convenience init(subsystem: String, category: String) {
    self.init(subsystem: subsystem, category: category, isDisabled: false)
  }

  public convenience init(subsystem: String, category: Category) { self.init(subsystem: subsystem, category: category.rawValue) }

  private init(subsystem: String, category: String, isDisabled: Bool) {
    self.subsystem = subsystem
    self.category = category
    self.isDisabled = isDisabled
    super.init()
  }

  /// The log of messages without a subsystem.
  public static let `default` = OSLog(subsystem: "", category: "", isDisabled: false)

  /// A log that drops all messages.
  public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

  /// True if messages of a type are written.
  public func isEnabled(type: OSLogType) -> Bool { !isDisabled && OSLogOutput.isEnabled(type) }

  /// True if signposts are written.
  public var signpostsEnabled: Bool { !isDisabled && OSLogOutput.writesSignposts }
}
