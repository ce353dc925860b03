import MartletMedia
import Testing

struct SeparatedValuesTests {
  private func table(_ text: String) throws(MediaError) -> SeparatedValues { try SeparatedValues(Array(text.utf8), name: "t.csv") }

  private func error(_ text: String) -> String? {
    do {
      _ = try table(text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(arguments: ["a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4", "\u{FEFF}a,b\n\n1,2\n\n3,4\n\n", "\"a\",\"b\"\n\"1\",2\n3,\"4\"\n"])
  func recordsBecomeColumns(_ text: String) throws {
    let table = try table(text)
    #expect(table.header == ["a", "b"] && table.columns == [["1", "3"], ["2", "4"]] && table.rowCount == 2)
  }

  @Test func numbersAloneHaveNoHeader() throws {
    let table = try table("1,-2.5\n3,1e9\n")
    #expect(table.header == nil && table.columns == [["1", "3"], ["-2.5", "1e9"]])
  }

  @Test func quotedFieldsHoldAnything() throws {
    let table = try table("name,n\n\"a, \"\"b\"\"\nc\",1\n,2\n")
    #expect(table.columns == [["a, \"b\"\nc", ""], ["1", "2"]])
  }

  @Test func aHeaderAloneHasNoRows() throws {
    let table = try table("a,b\n")
    #expect(table.header == ["a", "b"] && table.rowCount == 0)
  }

  @Test func errorsNameTheLine() {
    #expect(error("") == "t.csv: line 1: the table is empty")
    #expect(error("\n\n") == "t.csv: line 1: the table is empty")
    #expect(error("a,b\n1,2\n3\n") == "t.csv: line 3: has 1 fields, and the first line 2")
    #expect(error("a,b\n\"1\n2\",2\n3,\"4\n") == "t.csv: line 4: a quote is not closed")
    #expect(error("a,b\n\"1\"x,2\n") == "t.csv: line 2: text follows a quoted field")
    let invalid = #expect(throws: MediaError.self) { try SeparatedValues([0x61, 0x0A, 0xFF], name: "t.csv") }
    #expect(invalid?.description == "t.csv: line 2: is not UTF-8")
  }

  @Test(arguments: [["a", "b"], ["", "x,y", "\"", "line\nline", "\r\n"]])
  func writtenRecordsAreReadAgain(_ fields: [String]) throws {
    let table = try table("h" + String(repeating: ",h", count: fields.count - 1) + "\n" + SeparatedValues.record(fields))
    #expect(table.columns == fields.map { [$0] })
  }
}
