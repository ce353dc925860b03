private import Foundation

/// A format of `printf` with the annotations that logs add, such as `%{public}@`, and its arguments.
struct LogFormat {
  private var characters: Substring
  private var arguments: ArraySlice<Any>

  /// The message with its arguments. An argument that is missing, or of a type that its conversion cannot take, is written as `<decode: …>`,
  /// as Apple's tools do. What is marked `private` or `sensitive` is replaced by `<private>`.
  static func message(_ format: String, _ arguments: [Any]) -> String {
    var format = LogFormat(characters: format[...], arguments: arguments[...])
    return format.message()
  }

  private mutating func message() -> String {
    var text = ""
    while let start = characters.firstIndex(of: "%") {
      text += characters[..<start]
      characters = characters[characters.index(after: start)...]
      if characters.first == "%" {
        characters.removeFirst()
        text += "%"
      } else {
        text += conversion()
      }
    }
    return text + characters
  }

  /// Reads what follows a `%`, and writes its argument.
  private mutating func conversion() -> String {
    let annotations = annotations()
    var flags = ""
    while let flag = characters.first, "-+ #0'".contains(flag) {
      flags.append(flag)
      characters.removeFirst()
    }
    let width = count(), precision: Int?
    if characters.first == "." {
      characters.removeFirst()
      precision = count() ?? 0
    } else {
      precision = nil
    }
    var length = ""
    while let letter = characters.first, "hlqjztL".contains(letter) {
      length.append(letter)
      characters.removeFirst()
    }
    guard let letter = characters.popFirst() else { return "<decode: incomplete format>" }
    if letter == "m" { return unsafe String(cString: strerror(errno)) }
    guard let argument = arguments.popFirst() else { return "<decode: missing data>" }
    if annotations.contains("private") || annotations.contains("sensitive") {
      return annotations.contains("mask.hash") ? LogPrivacyMask.hash(of: "\(argument)") : "<private>"
    }
    let field = LogField(flags: flags, width: width, precision: precision)
    if let text = Self.annotated(argument, annotations) { return field.padded(text) }
    return field.text(argument, letter, length) ?? "<decode: mismatch for [%\(letter)] got [\(type(of: argument))]>"
  }

  /// The words between braces.
  private mutating func annotations() -> Set<String> {
    guard characters.first == "{", let end = characters.firstIndex(of: "}") else { return [] }
    let words = characters[characters.index(after: characters.startIndex)..<end].split(separator: ",")
    characters = characters[characters.index(after: end)...]
    return Set(words.map { $0.trimmingCharacters(in: .whitespaces) })
  }

  /// A number, or the argument that a `*` stands for.
  private mutating func count() -> Int? {
    if characters.first == "*" {
      characters.removeFirst()
      return arguments.popFirst().flatMap(LogField.integer).map { Int(truncatingIfNeeded: $0) }
    }
    let digits = characters.prefix { "0123456789".contains($0) }
    characters = characters[digits.endIndex...]
    return Int(digits)
  }

  /// Numbers that an annotation gives a meaning.
  private static func annotated(_ argument: Any, _ annotations: Set<String>) -> String? {
    guard let number = LogField.integer(argument) else { return nil }
    return annotations.lazy.compactMap(LogMeaning.init(annotation:)).first?.text(number)
  }
}

/// Flags, width and precision of one argument.
struct LogField {
  var flags = ""
  /// Width in characters. Negative numbers align left.
  var width: Int?
  /// Digits behind the point, the least number of digits of an integer, or the largest number of characters of a string.
  var precision: Int?

  /// Widths and precisions beyond this one are reduced to it.
  private static let largestCount = 1024

  /// The argument as a conversion writes it; nil if it is of another type.
  func text(_ argument: Any, _ letter: Character, _ length: String) -> String? {
    switch letter {
    case "@": padded(Self.description(of: argument))
    case "s": Self.string(argument).map { padded(String($0.prefix(max(0, precision ?? .max)))) }
    case "d", "i", "D": Self.integer(argument).map { number(Int64(truncatingIfNeeded: Self.signed($0, length)), "lld") }
    case "u", "U", "x", "X", "o", "O":
      Self.integer(argument).map {
        number(Self.unsigned($0, length), "ll\(letter.lowercased() == "x" ? String(letter) : letter.lowercased())")
      }
    case "c", "C": Self.integer(argument).flatMap { Unicode.Scalar(UInt32(truncatingIfNeeded: $0)) }.map { padded(String(Character($0))) }
    case "p": Self.address(argument).map { padded("0x" + String($0, radix: 16)) }
    case "f", "F", "e", "E", "g", "G", "a", "A": Self.double(argument).map { number($0, String(letter)) }
    default: nil
    }
  }

  /// The text, with spaces up to the width.
  func padded(_ text: String) -> String {
    guard let width else { return text }
    let padding = String(repeating: " ", count: max(0, min(Self.largestCount, Int(width.magnitude)) - text.count))
    return flags.contains("-") || width < 0 ? text + padding : padding + text
  }

  func number(_ value: any CVarArg, _ conversion: String) -> String {
    var format = "%" + flags
    if let width { format += width < 0 ? "-\(min(Self.largestCount, Int(width.magnitude)))" : "\(min(Self.largestCount, width))" }
    if let precision { format += ".\(max(0, min(Self.largestCount, precision)))" }
    format += conversion
    return unsafe withVaList([value]) { list in
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4 * Self.largestCount) { buffer in
        guard let start = buffer.baseAddress, unsafe vsnprintf(start, buffer.count, format, list) >= 0 else { return "" }
        return unsafe String(cString: start)
      }
    }
  }

  static func integer(_ argument: Any) -> Int64? {
    switch argument {
    case let value as any BinaryInteger: Int64(truncatingIfNeeded: value)
    case let value as Bool: value ? 1 : 0
    case let value as Unicode.Scalar: Int64(value.value)
    case let value as NSNumber: value.int64Value
    default: nil
    }
  }

  private static func double(_ argument: Any) -> Double? {
    switch argument {
    case let value as any BinaryFloatingPoint: Double(value)
    case let value as NSNumber: value.doubleValue
    default: nil
    }
  }

  private static func string(_ argument: Any) -> String? {
    switch argument {
    case let value as String: value
    case let value as UnsafePointer<CChar>: unsafe String(cString: value)
    case let value as UnsafeMutablePointer<CChar>: unsafe String(cString: value)
    case let value as UnsafePointer<UInt8>: unsafe String(cString: value)
    default: nil
    }
  }

  private static func bits<P: _Pointer>(_ pointer: P) -> UInt { UInt(bitPattern: pointer) }

  private static func address(_ argument: Any) -> UInt? {
    switch argument {
    case let value as any _Pointer: bits(value)
    case let value as OpaquePointer: UInt(bitPattern: value)
    case let value as any BinaryInteger: UInt(truncatingIfNeeded: value)
    default: nil
    }
  }

  /// Text of an object: its description, for errors the localised one.
  static func description(of argument: Any) -> String {
    switch argument {
    case let value as String: value
    case let value as NSObject: value.description
    case let value as any Error: value.localizedDescription
    default: "\(argument)"
    }
  }

  /// A number as its length says that it was passed.
  private static func signed(_ number: Int64, _ length: String) -> Int64 {
    switch length {
    case "hh": Int64(Int8(truncatingIfNeeded: number))
    case "h": Int64(Int16(truncatingIfNeeded: number))
    case "": Int64(Int32(truncatingIfNeeded: number))
    default: number
    }
  }

  private static func unsigned(_ number: Int64, _ length: String) -> UInt64 {
    switch length {
    case "hh": UInt64(UInt8(truncatingIfNeeded: number))
    case "h": UInt64(UInt16(truncatingIfNeeded: number))
    case "": UInt64(UInt32(truncatingIfNeeded: number))
    default: UInt64(bitPattern: number)
    }
  }
}

/// Masks that replace values in a log but let equal values be recognised.
enum LogPrivacyMask {
  /// Seed of the hashes of this process, so that a value cannot be guessed from a log.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Equal texts of a process have equal masks.
  static func hash(of text: String) -> String {
    var hash = seed ^ 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    hash ^= hash >> 32
    return "<mask.hash: '\(String(hash, radix: 16))'>"
  }
}
