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

  /// The files of Oracles/make_hostile_files.py, and the field that each error names; empty for a file that is wrong as a whole.
  private static let hostile = [
    "bytes_missing.tiktoken": "", "id_negative.json": "model.vocab.a", "id_of_10_8.json": "model.vocab.a", "nested_10000_deep.json": "",
    "padding_of_10_8.json": "padding.strategy.Fixed", "pattern_nested_10000_deep.json": "pre_tokenizer.pattern.Regex",
    "pattern_of_10_9_states.json": "pre_tokenizer.pattern.Regex", "pattern_wrong.json": "pre_tokenizer.pattern.Regex",
    "piece_longer_than_the_file.bin": "vocab[0]", "piece_of_a_merge_missing.json": "model.merges[1]", "pieces_twice.json": "model.vocab.a",
    "pieces_twice.model": "pieces[2]", "rank_of_10_8.tiktoken": "line 4", "ranks_twice.tiktoken": "line 4", "truncated.json": "",
    "truncated.model": "model", "unknown_token_beyond_its_pieces.json": "model.unk_id", "unknown_token_missing.model": "pieces",
    "vocabulary_of_10_8.bin": "vocab_size", "vocabulary_of_10_8_tekken.json": "config.default_vocab_size",
    "wrong_base64.tiktoken": "line 4", "wrong_base64_tekken.json": "vocab[0]",
  ]

  @Test func `each hostile file is refused with its path, the field and a reason`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/hostile-tokenizers")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == Set(Self.hostile.keys))
    for (name, field) in Self.hostile {
      let url = folder.appendingPathComponent(name)
      let error = #expect(throws: TokenizerError.self, "\(name)") { try Tokenizer(contentsOf: url) }
      let isNamed = error?.file == url.path && error?.field == field && error?.reason.isEmpty == false
      #expect(isNamed, "\(name): \(error.map { "\($0)" } ?? "no error")")
    }
  }
}
