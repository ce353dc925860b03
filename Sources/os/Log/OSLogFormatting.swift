/// How an integer is written.
public struct OSLogIntegerFormatting: Sendable {
  let radix: Int
  let isSigned: Bool
  let hasPrefix: Bool
  let isUppercase: Bool
  let minDigits: Int

  private init(
    radix: Int = 10, isSigned: Bool = false, hasPrefix: Bool = false, isUppercase: Bool = false, minDigits: Int = 0
  ) {
    (self.radix, self.isSigned, self.hasPrefix, self.isUppercase, self.minDigits) = (radix, isSigned, hasPrefix, isUppercase, minDigits)
  }

  public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting() }
  public static func decimal(explicitPositiveSign: Bool = false) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(isSigned: explicitPositiveSign)
  }
  public static func decimal(explicitPositiveSign: Bool = false, minDigits: @autoclosure @escaping () -> Int) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(isSigned: explicitPositiveSign, minDigits: minDigits())
  }
  public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 16) }
  public static func hex(explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false) -> OSLogIntegerFormatting
  {
    OSLogIntegerFormatting(radix: 16, isSigned: explicitPositiveSign, hasPrefix: includePrefix, isUppercase: uppercase)
  }
  public static func hex(
    explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: @autoclosure @escaping () -> Int
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(
      radix: 16, isSigned: explicitPositiveSign, hasPrefix: includePrefix, isUppercase: uppercase, minDigits: minDigits())
  }
  public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 8) }
  public static func octal(explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false)
    -> OSLogIntegerFormatting
  {
    OSLogIntegerFormatting(radix: 8, isSigned: explicitPositiveSign, hasPrefix: includePrefix, isUppercase: uppercase)
  }
  public static func octal(
    explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: @autoclosure @escaping () -> Int
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(
      radix: 8, isSigned: explicitPositiveSign, hasPrefix: includePrefix, isUppercase: uppercase, minDigits: minDigits())
  }

  func text<T: FixedWidthInteger>(_ value: T) -> String {
    let digits = String(value.magnitude, radix: radix, uppercase: isUppercase)
    let sign = value < 0 ? "-" : isSigned ? "+" : ""
    let prefix = !hasPrefix ? "" : radix == 16 ? (isUppercase ? "0X" : "0x") : radix == 8 ? "0" : ""
    return sign + prefix + String(repeating: "0", count: max(0, min(minDigits, 1024) - digits.count)) + digits
  }
}

/// How a floating-point number is written: as the conversions of `printf`.
public struct OSLogFloatFormatting: Sendable {
  private let conversion: String
  private let precision: Int?
  private let isSigned: Bool

  private init(_ conversion: String, precision: Int? = nil, isSigned: Bool = false, isUppercase: Bool = false) {
    self.conversion = isUppercase ? conversion.uppercased() : conversion
    self.precision = precision
    self.isSigned = isSigned
  }

  public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting("f") }
  public static func fixed(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    OSLogFloatFormatting("f", isSigned: explicitPositiveSign, isUppercase: uppercase)
  }
  public static func fixed(
    precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting("f", precision: precision(), isSigned: explicitPositiveSign, isUppercase: uppercase)
  }
  public static var hex: OSLogFloatFormatting { OSLogFloatFormatting("a") }
  public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    OSLogFloatFormatting("a", isSigned: explicitPositiveSign, isUppercase: uppercase)
  }
  public static var exponential: OSLogFloatFormatting { OSLogFloatFormatting("e") }
  public static func exponential(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    OSLogFloatFormatting("e", isSigned: explicitPositiveSign, isUppercase: uppercase)
  }
  public static func exponential(
    precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting("e", precision: precision(), isSigned: explicitPositiveSign, isUppercase: uppercase)
  }
  public static var hybrid: OSLogFloatFormatting { OSLogFloatFormatting("g") }
  public static func hybrid(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
    OSLogFloatFormatting("g", isSigned: explicitPositiveSign, isUppercase: uppercase)
  }
  public static func hybrid(
    precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting("g", precision: precision(), isSigned: explicitPositiveSign, isUppercase: uppercase)
  }

  func text(_ value: Double) -> String { LogField(flags: isSigned ? "+" : "", precision: precision).number(value, conversion) }
}

/// Where a value stands in its columns.
public struct OSLogStringAlignment: Sendable {
  private let width: Int?

  public static var none: OSLogStringAlignment { OSLogStringAlignment(width: nil) }
  public static func right(columns: @autoclosure @escaping () -> Int) -> OSLogStringAlignment {
    OSLogStringAlignment(width: max(0, columns()))
  }
  public static func left(columns: @autoclosure @escaping () -> Int) -> OSLogStringAlignment {
    OSLogStringAlignment(width: -min(max(0, columns()), 1024))
  }

  func text(_ text: String) -> String { LogField(width: width).padded(text) }
}

/// How a truth value is written.
public enum OSLogBoolFormat: Sendable {
  /// `true` or `false`.
  case truth
  /// `yes` or `no`.
  case answer

  func text(_ value: Bool) -> String {
    switch self {
    case .truth: value ? "true" : "false"
    case .answer: value ? "yes" : "no"
    }
  }
}
