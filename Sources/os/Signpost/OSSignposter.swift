/// An interval that has begun.
public final class OSSignpostIntervalState: Codable, Sendable {
  let id: OSSignpostID

  private init(id: OSSignpostID) { self.id = id }

  /// The state of an interval that has begun elsewhere.
  public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id: id) }

  private enum CodingKeys: CodingKey { case id }

  public init(from decoder: any Decoder) throws {
    id = OSSignpostID(try decoder.container(keyedBy: CodingKeys.self).decode(UInt64.self, forKey: .id))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.rawValue, forKey: .id)
  }
}

/// Marks intervals and events of a subsystem and a category.
public struct OSSignposter: Sendable {
  private let log: OSLog

  public init() { log = .default }
  public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }
  public init(subsystem: String, category: OSLog.Category) { log = OSLog(subsystem: subsystem, category: category) }
  public init(logHandle: OSLog) { log = logHandle }
  public init(logger: Logger) { log = logger.log }

  /// Drops all signposts.
  public static var disabled: OSSignposter { OSSignposter(logHandle: .disabled) }

  /// True if signposts are written.
  public var isEnabled: Bool { log.signpostsEnabled }

  public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }
  public func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: log, object: object) }

  public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
    log.signpost(.begin, name, id) { "" }
    return .beginState(id: id)
  }

  public func beginInterval(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
  ) -> OSSignpostIntervalState {
    log.signpost(.begin, name, id) { message.composed }
    return .beginState(id: id)
  }

  public func beginAnimationInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
    beginInterval(name, id: id)
  }

  public func beginAnimationInterval(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
  ) -> OSSignpostIntervalState {
    beginInterval(name, id: id, message)
  }

  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) { log.signpost(.end, name, state.id) { "" } }

  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
    log.signpost(.end, name, state.id) { message.composed }
  }

  public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) { log.signpost(.event, name, id) { "" } }

  public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {
    log.signpost(.event, name, id) { message.composed }
  }

  /// Runs a closure as an interval.
  public func withIntervalSignpost<T>(
    _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> T
  ) rethrows -> T {
    let state = beginInterval(name, id: id)
    defer { endInterval(name, state) }
    return try task()
  }

  /// Runs a closure as an interval.
  public func withIntervalSignpost<T>(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata, around task: () throws -> T
  ) rethrows -> T {
    let state = beginInterval(name, id: id, message)
    defer { endInterval(name, state) }
    return try task()
  }
}
