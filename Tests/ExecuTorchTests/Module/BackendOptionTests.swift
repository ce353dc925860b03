import ExecuTorch
import Testing

struct BackendOptionTests {
  @Test func `an option has a key and a value of one type`() {
    let flag = BackendOption("a", true)
    let number = BackendOption("b", 7)
    let text = BackendOption("c", "seven")
    #expect([flag.key, number.key, text.key] == ["a", "b", "c"])
    #expect([flag.type, number.type, text.type] == [.boolean, .integer, .string])
    #expect(flag.boolValue && flag.intValue == 0 && flag.stringValue == nil)
    #expect(number.intValue == 7 && !number.boolValue && number.stringValue == nil)
    #expect(text.stringValue == "seven" && text.intValue == 0)
  }

  @Test func `options and maps are compared by value`() throws {
    #expect(BackendOption("k", 1) == BackendOption("k", 1) && BackendOption("k", 1) != BackendOption("k", true))
    #expect(BackendOption("k", 1) != BackendOption("l", 1) && BackendOption("k", 1) != BackendOption("k", 2))
    #expect(Set([BackendOption("k", "v"), BackendOption("k", "v")]).count == 1)
    let one = try BackendOptionsMap(options: ["X": [BackendOption("k", 1)]])
    let same = try BackendOptionsMap(options: ["X": [BackendOption("k", 1)]])
    let other = try BackendOptionsMap(options: ["X": [BackendOption("k", 2)]])
    #expect(one == same && one.hash == same.hash && one != other)
    #expect(one.options["X"] == [BackendOption("k", 1)])
  }

  @Test func `descriptions name keys and values`() throws {
    #expect(try BackendOptionsMap(options: [:]).description == "<ExecuTorchBackendOptionsMap (empty)>")
    let text = try BackendOptionsMap(options: ["X": [BackendOption("threads", 4)]]).description
    #expect(text.contains("X") && text.contains("threads") && text.contains("4"))
  }

  @Test func `what upstream's runtime cannot hold is refused`() throws {
    let longest = String(repeating: "k", count: 63)
    _ = try BackendOptionsMap(options: [longest: [BackendOption(longest, String(repeating: "v", count: 255))]])
    _ = try BackendOptionsMap(options: ["X": [BackendOption("a", Int(Int32.max)), BackendOption("b", Int(Int32.min))]])
    let wrong: [[String: [BackendOption]]] = [
      ["": []], [longest + "k": []], ["X": [BackendOption("", 1)]], ["X": [BackendOption(longest + "k", 1)]],
      ["X": [BackendOption("k", String(repeating: "v", count: 256))]], ["X": [BackendOption("k", Int(Int32.max) + 1)]],
      ["X": [BackendOption("k", Int(Int32.min) - 1)]], ["X": [BackendOption("k", 1), BackendOption("k", true)]],
    ]
    for options in wrong {
      #expect(try thrown { try BackendOptionsMap(options: options) }.code == .invalidArgument, "\(options)")
    }
  }
}
