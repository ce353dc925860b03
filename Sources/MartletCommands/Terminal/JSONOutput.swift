import MartletSystem
package import MartletBytes

extension JSONValue {
  package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }

  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// JSON has no infinities or NaN: they become null.
  static func finite(_ value: Double) -> JSONValue { value.isFinite ? .number(value) : .null }

  static func integers(_ values: [Int]) -> JSONValue { .array(values.map { .integer($0) }) }
}
