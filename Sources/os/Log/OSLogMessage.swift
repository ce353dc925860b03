public import Foundation

/// A message of a log, made by string interpolation. Interpolated values are evaluated when the message is written, and not at all if it is not.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
  let interpolation: OSLogInterpolation

  public init(stringLiteral value: String) {
    var interpolation = OSLogInterpolation(literalCapacity: 0, interpolationCount: 0)
    interpolation.appendLiteral(value)
    self.interpolation = interpolation
  }

  public init(stringInterpolation: OSLogInterpolation) { interpolation = stringInterpolation }

  /// The text of the message. What is private is hidden.
  var composed: String { interpolation.parts.map { $0() }.joined() }
}

/// The message of a signpost.
public typealias SignpostMetadata = OSLogMessage

/// Text and values of a log message.
public struct OSLogInterpolation: StringInterpolationProtocol {
  private(set) var parts: [() -> String]

  public init(literalCapacity: Int, interpolationCount: Int) {
    parts = []
    parts.reserveCapacity(2 * interpolationCount + 1)
  }

  public mutating func appendLiteral(_ literal: String) {
    if !literal.isEmpty { parts.append { literal } }
  }

  private mutating func append(_ privacy: OSLogPrivacy, _ align: OSLogStringAlignment = .none, _ text: @escaping () -> String) {
    parts.append { align.text(privacy.text(text())) }
  }

  // MARK: Texts and objects

  public mutating func appendInterpolation(
    _ argumentString: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto,
    attributes: String = ""
  ) {
    append(privacy, align, argumentString)
  }

  public mutating func appendInterpolation<T: CustomStringConvertible>(
    _ value: @autoclosure @escaping () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy, align) { value().description }
  }

  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> Any.Type, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto,
    attributes: String = ""
  ) {
    append(privacy, align) { String(describing: value()) }
  }

  public mutating func appendInterpolation(
    _ argumentObject: @autoclosure @escaping () -> NSObject, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { argumentObject().description }
  }

  public mutating func appendInterpolation(
    _ argumentObject: @autoclosure @escaping () -> NSObject?, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { argumentObject()?.description ?? "(null)" }
  }

  @_disfavoredOverload
  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> any Error, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { LogField.description(of: value()) }
  }

  @_disfavoredOverload
  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> (any Error)?, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { value().map { LogField.description(of: $0) } ?? "(null)" }
  }

  // MARK: Numbers

  public mutating func appendInterpolation<T: FixedWidthInteger>(
    _ number: @autoclosure @escaping () -> T, format: OSLogIntegerFormatting = .decimal, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy, align) { format.text(number()) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> Int32, format: OSLogInt32ExtendedFormat, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { format.meaning.text(Int64(number())) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> Int, format: OSLogIntExtendedFormat, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { format.meaning.text(Int64(number())) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> Float, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy, align) { format.text(Double(number())) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> Double, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy, align) { format.text(number()) }
  }

  public mutating func appendInterpolation(
    _ number: @autoclosure @escaping () -> CGFloat, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy, align) { format.text(Double(number())) }
  }

  public mutating func appendInterpolation(
    _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { format.text(boolean()) }
  }

  // MARK: Addresses

  public mutating func appendInterpolation(
    _ pointer: @autoclosure @escaping () -> UnsafeRawPointer, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { unsafe Self.text(UInt(bitPattern: pointer())) }
  }

  public mutating func appendInterpolation<T>(
    _ pointer: @autoclosure @escaping () -> UnsafePointer<T>, privacy: OSLogPrivacy = .auto, attributes: String = ""
  ) {
    append(privacy) { unsafe Self.text(UInt(bitPattern: pointer())) }
  }

  private static func text(_ address: UInt) -> String { "0x" + String(address, radix: 16) }
}
