import Foundation
import Testing
import os.log

@Suite struct FormatTests {
  @Test func `formats write what printf writes`() {
    let written = messages {
      os_log("plain")
      os_log("%d of %ld, %u, %llx, %#o, %05.2f|%-6d|%+i", 3, -4, UInt32.max, UInt64.max, 8, 3.14159, 7, 5)
      os_log("%hhd %hd %d %lld", 300, 70000, Int64(1) << 32, Int64(1) << 32)
      os_log("%*d|%.3s|%5s|%c|%e|%g", 4, 7, "abcdef", "ab", 65, 12345.678, 0.0001)
      os_log("100 %%")
    }
    #expect(
      written == [
        "plain", "3 of -4, 4294967295, ffffffffffffffff, 010, 03.14|7     |+5", "44 4464 0 4294967296",
        "   7|abc|   ab|A|1.234568e+04|0.0001",
        "100 %",
      ])
  }

  @Test func `objects, errors and texts go with the conversion of objects`() {
    struct Broken: LocalizedError { var errorDescription: String? { "it broke" } }
    let name = "pear"
    #expect(messages { os_log("%@ %{public}@", "apple", name) } == ["apple pear"])
    #expect(messages { os_log("%{public}@", Broken() as any Error) } == ["it broke"])
    #expect(messages { os_log("%@", [1, 2] as NSArray) } == [([1, 2] as NSArray).description])
    #expect(messages { name.withCString { os_log("%s", $0) } } == ["pear"])
  }

  @Test func `what is private is hidden`() {
    let written = messages {
      os_log("%{private}@ and %{sensitive}d and %{public}d", "name", 5, 6)
      os_log("%{private, mask.hash}@", "name")
      os_log("%{private, mask.hash}@", "name")
      os_log("%{private, mask.hash}@", "other")
    }
    #expect(written[0] == "<private> and <private> and 6")
    #expect(written[1] == written[2] && written[1] != written[3] && written[1].hasPrefix("<mask.hash: '"))
  }

  @Test func `annotations say what a number means`() {
    #expect(
      messages {
        os_log("%{bool}d %{BOOL}d %{errno}d %{bytes}llu %{iec-bytes}llu", 1, 0, ENOENT, 1_500_000, 2048)
        os_log("%{darwin.mode}d %{network:in_addr}d %{time_t}d", 0o100644, UInt32(0x0100007f), 0)
      } == [
        "true NO [2: No such file or directory] 1.50 MB 2.00 KiB", "-rw-r--r-- 127.0.0.1 1970-01-01 00:00:00 +0000",
      ])
  }

  @Test func `what does not fit a conversion is written as such`() {
    #expect(
      messages {
        os_log("%d", "text")
        os_log("%d %d", 1)
        os_log("%f", "text")
        os_log("50%")
        os_log("%999999d|%.99999f", 1, 1.0)
      }.prefix(4) == [
        "<decode: mismatch for [%d] got [String]>", "1 <decode: missing data>", "<decode: mismatch for [%f] got [String]>",
        "50<decode: incomplete format>",
      ])
  }

  @Test func `addresses are written in hexadecimal digits`() {
    var number = 1
    withUnsafePointer(to: &number) { pointer in
      let expected = "0x" + String(UInt(bitPattern: pointer), radix: 16)
      #expect(messages { os_log("%p", pointer) } == [expected])
      #expect(messages { os_log("%p", UnsafeRawPointer(pointer)) } == [expected])
    }
  }
}
