// The part of Core Media that observations need. There is no module of that name here.

/// A time: `value / timescale` seconds.
public struct CMTime: Sendable, Hashable, Codable {
  public var value: Int64
  /// Units per second; 0 for a time that is not valid.
  public var timescale: Int32

  public init(value: Int64, timescale: Int32) {
    self.value = value
    self.timescale = timescale
  }

  public static let zero = CMTime(value: 0, timescale: 1)
  public static let invalid = CMTime(value: 0, timescale: 0)

  public var isValid: Bool { timescale != 0 }
  /// NaN for a time that is not valid.
  public var seconds: Double { isValid ? Double(value) / Double(timescale) : .nan }
}

/// A range of time.
public struct CMTimeRange: Sendable, Hashable, Codable {
  public var start: CMTime
  public var duration: CMTime

  public init(start: CMTime, duration: CMTime) {
    self.start = start
    self.duration = duration
  }

  public static let zero = CMTimeRange(start: .zero, duration: .zero)
  public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)

  public var isValid: Bool { start.isValid && duration.isValid }
}
