import MartletBytes
import Testing

@Suite("JSON values")
struct JSONValueTests {
  private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

  @Test("Values of every kind are read, with the order of members kept")
  func values() throws {
    let value = try parse(#" {"b": [1, -2.5, 1e3, true, false, null], "a": {}, "c": [], "d": "x"} "#)
    #expect(
      value
        == .object([
          .init("b", .array([.integer(1), .number(-2.5), .number(1000), .boolean(true), .boolean(false), .null])),
          .init("a", .object([])), .init("c", .array([])), .init("d", .string("x")),
        ]))
  }

  @Test("Numbers that are not finite are read as Python writes them")
  func notFinite() throws {
    guard case .array(let items) = try parse("[NaN, Infinity, -Infinity]"), case .number(let first) = items[0] else {
      Issue.record("no array of numbers")
      return
    }
    #expect(first.isNaN)
    #expect(items[1] == .number(.infinity) && items[2] == .number(-.infinity))
  }

  @Test("Integers are exact to 64 bits, and larger ones become numbers")
  func integers() throws {
    #expect(try parse("9223372036854775807") == .integer(.max))
    #expect(try parse("-9223372036854775808") == .integer(.min))
    #expect(try parse("9223372036854775808") == .number(0x1p63))
  }

  @Test("Escapes are read, surrogate pairs too")
  func escapes() throws {
    #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00é""#) == .string("\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F600}\u{E9}"))
  }

  @Test(
    "What is not JSON is an error",
    arguments: [
      "", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "tru", "01", "-", "1.", "1e", "+1", "\"", "\"\\x\"",
      "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\u{1}\"", "1 2", "{\"a\":1,\"a\":2}", "-a", "[-]", "\"\\u+123\"",
      String(repeating: "[", count: 100_000),
    ])
  func malformed(text: String) {
    #expect(throws: JSONValue.ParseError.self) { try parse(text) }
  }

  @Test("Text that is not UTF-8 is an error")
  func encoding() {
    #expect(throws: JSONValue.ParseError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
  }

  @Test("What is written reads back")
  func roundTrip() throws {
    let value = JSONValue.object([
      .init("text \"\\\n\u{1}é", .string("\t😀")), .init("numbers", .array([.integer(-3), .number(1e300), .number(.infinity)])),
      .init("empty", .array([])), .init("nested", .object([.init("x", .null), .init("y", .boolean(true))])),
    ])
    #expect(try parse(value.text) == value)
  }
}
