/// A JSON value (RFC 8259) that preserves the order of an object's members and distinguishes integers from other numbers.
///
/// Also reads and writes `NaN`, `Infinity` and `-Infinity`, like Python's `json` module, because recorded cases contain them.
package indirect enum JSONValue: Sendable, Equatable {
  case null
  case boolean(Bool)
  /// A number without fraction or exponent that fits in 64 bits.
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Sendable, Equatable {
    package var key: String
    package var value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }
}

// MARK: Writing

extension JSONValue {
  /// The value as text, indented by two spaces per level, with members in order.
  package var text: String {
    var result = ""
    write(to: &result, indentation: 0)
    return result
  }

  private func write(to result: inout String, indentation: Int) {
    switch self {
    case .null: result += "null"
    case .boolean(let value): result += value ? "true" : "false"
    case .integer(let value): result += String(value)
    case .number(let value):
      if value.isNaN {
        result += "NaN"
      } else if value.isInfinite {
        result += value < 0 ? "-Infinity" : "Infinity"
      } else {
        result += "\(value)"
      }
    case .string(let value): JSONValue.write(value, to: &result)
    case .array(let items):
      JSONValue.writeItems(items, open: "[", close: "]", to: &result, indentation: indentation) { item, result in
        item.write(to: &result, indentation: indentation + 1)
      }
    case .object(let members):
      JSONValue.writeItems(members, open: "{", close: "}", to: &result, indentation: indentation) { member, result in
        JSONValue.write(member.key, to: &result)
        result += ": "
        member.value.write(to: &result, indentation: indentation + 1)
      }
    }
  }

  private static func writeItems<Item>(
    _ items: [Item], open: String, close: String, to result: inout String, indentation: Int,
    writeItem: (Item, inout String) -> Void
  ) {
    result += open
    for (index, item) in items.enumerated() {
      result += index == 0 ? "\n" : ",\n"
      result += String(repeating: "  ", count: indentation + 1)
      writeItem(item, &result)
    }
    if !items.isEmpty { result += "\n" + String(repeating: "  ", count: indentation) }
    result += close
  }

  private static func write(_ string: String, to result: inout String) {
    result += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    result += "\""
  }
}
