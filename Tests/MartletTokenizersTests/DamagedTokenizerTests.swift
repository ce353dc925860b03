import Foundation
import MartletTokenizers
import Testing

/// Files that are wrong are refused with the field and the reason.
struct DamagedTokenizerTests {
  private func error(_ text: String) -> TokenizerError? {
    do {
      _ = try Tokenizer(bytes: Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  private func model(_ vocab: String = #"{"a":0,"b":1,"ab":2}"#, merges: String = #"["a b"]"#, more: String = "") -> String {
    #"{"model":{"type":"BPE","vocab":\#(vocab),"merges":\#(merges)}\#(more)}"#
  }

  private func split(_ pattern: String) -> String {
    let escaped = pattern.replacingOccurrences(of: "\\", with: "\\\\")
    return model(more: #","pre_tokenizer":{"type":"Split","pattern":{"Regex":"\#(escaped)"},"behavior":"Isolated","invert":false}"#)
  }

  @Test func `a file without faults is read`() throws {
    let tokenizer = try Tokenizer(bytes: Array(model().utf8))
    #expect(try tokenizer.encode("abba") == [2, 1, 0])
    #expect(tokenizer.vocabularySize == 3)
    #expect(tokenizer.token(for: 2) == "ab" && tokenizer.id(of: "b") == 1)
    #expect(tokenizer.token(for: 3) == nil && tokenizer.token(for: -1) == nil && tokenizer.id(of: "c") == nil)
    #expect(tokenizer.decode([-1, 7, .max, 0]) == "a")
  }

  @Test(arguments: [
    ("", "is empty"), ("{", "is not JSON"), ("{}", "'model' is missing"), ("[]", "pieces"),
  ])
  func `texts that are no tokenizer`(text: String, reason: String) {
    #expect(error(text)?.description.contains(reason) == true || reason == "pieces" && error(text) != nil)
  }

  @Test func `vocabularies`() {
    #expect(error(model(#"{"a":0,"a":1}"#, merges: "[]"))?.field == "model.vocab.a")
    #expect(error(model(#"{"a":-1}"#, merges: "[]"))?.field == "model.vocab.a")
    #expect(error(model(#"{"a":99999999999}"#, merges: "[]"))?.field == "model.vocab.a")
    #expect(error(model(#"{"a":100000000}"#, merges: "[]"))?.reason.contains("100000000") == true)
    #expect(error(model(#"{"a":"x"}"#, merges: "[]"))?.field == "model.vocab.a")
    #expect(error(model(merges: #"["a b","a c"]"#))?.field == "model.merges[1]")
    #expect(error(model(merges: #"["ab"]"#))?.field == "model.merges[0]")
    #expect(error(model(merges: #"[["a","b","c"]]"#))?.field == "model.merges[0]")
    #expect(error(model(more: #","added_tokens":[{"id":16777216,"content":"x"}]"#))?.field == "added_tokens[0].id")
  }

  @Test(arguments: [
    "(", ")", "[a", "a{2,1}", "*a", "\\p{Nothing}", "(?<n>a)\\1", "(?<=ab+)c", "[b-a]", "(?>a|ab)c", "a{1001}", "(?q)", "\\x{110000}",
  ])
  func `patterns that are wrong or not supported`(pattern: String) {
    let error = error(split(pattern))
    #expect(error?.field == "pre_tokenizer.pattern.Regex", "\(pattern): \(String(describing: error))")
  }

  @Test func `patterns that are nested deeply, or large`() {
    let deep = String(repeating: "(", count: 10_000) + "a" + String(repeating: ")", count: 10_000)
    #expect(error(split(deep))?.reason.contains("deep") == true)
    #expect(error(split(String(repeating: "[", count: 10_000)))?.reason.contains("deep") == true)
    #expect(error(split("((a{1000}){1000}){1000}"))?.reason.contains("states") == true)
    #expect(error(model(more: #","decoder":"# + String(repeating: "[", count: 10_000))) != nil)
    let steps = String(repeating: #"{"type":"Sequence","normalizers":["#, count: 300) + String(repeating: "]}", count: 300)
    #expect(error(model(more: #","normalizer":\#(steps)"#)) != nil)
  }

  @Test func `truncated files`() throws {
    for name in ["gpt2.json", "t5.json", "bert.json", "sp_unigram.model", "sp_bpe.model", "tekken.json", "llama2c.bin", "ranks.tiktoken"] {
      let bytes = [UInt8](try Data(contentsOf: Fixtures.url(name)))
      for count in stride(from: 0, to: bytes.count, by: bytes.count / 40 + 1) {
        // Nothing stops the process; few cuts leave a file that is whole.
        do {
          let tokenizer = try Tokenizer(bytes: Array(bytes[..<count]))
          _ = try? tokenizer.encode("one hello \u{e9}", parsesSpecialTokens: true)
        } catch {
          #expect(!error.reason.isEmpty && !error.file.isEmpty)
        }
      }
    }
  }

  @Test func `ranks in the wrong form`() {
    #expect(error("YQ== 0\n!! 1\n")?.field == "line 2")
    #expect(error("YQ== 0\nYg== 0\n")?.field == "line 2")
    #expect(error("YQ== 0\nYQ== 1\n")?.field == "line 2")
    #expect(error("YQ== 0\nYg==\n")?.field == "line 2")
    #expect(error("YQ== 0\n")?.reason.contains("byte") == true)
  }
}
