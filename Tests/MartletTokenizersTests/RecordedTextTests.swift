import Foundation
import MartletBytes
import MartletTokenizers
import Testing

/// Tokenizers of every kind give the tokens, ranges and texts that the original libraries gave (`Oracles/make_tokenizer_fixtures.py`).
struct RecordedTextTests {
  private struct Case {
    var text: String
    var ids: [Int]?
    var plain: [Int]?
    var offsets: [Range<Int>]?
    var decoded: String?
    var whole: String?
  }

  private func cases(_ name: String) throws -> [Case] {
    let bytes = [UInt8](try Data(contentsOf: Fixtures.url("\(name).cases.json")))
    let cases = try JSONDocument(bytes).root.elements.map { element in
      func numbers(_ name: String) -> [Int]? { element[name]?.elements.compactMap(\.integer) }
      return Case(
        text: element["text"]?.string ?? "", ids: numbers("ids"), plain: numbers("plain"),
        offsets: element["offsets"]?.elements.map { pair in
          let bounds = pair.elements.compactMap(\.integer)
          return bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : 0..<0
        }, decoded: element["decoded"]?.string, whole: element["whole"]?.string)
    }
    try #require(cases.count == 300)
    return cases
  }

  private func check(_ tokenizer: Tokenizer, _ name: String) throws {
    for item in try cases(name) {
      if let ids = item.ids {
        #expect(try tokenizer.encode(item.text, parsesSpecialTokens: true) == ids, "\(name): \(item.text.debugDescription)")
      }
      if let plain = item.plain {
        let found = try tokenizer.encode(item.text, addsSpecialTokens: false)
        #expect(found == plain, "\(name): \(item.text.debugDescription)")
      }
      if let ids = item.ids, let offsets = item.offsets {
        let encoding = try tokenizer.encoding(of: item.text, parsesSpecialTokens: true)
        #expect(encoding.ids == ids)
        #expect(encoding.offsets.map { $0.isEmpty ? 0..<0 : $0 } == offsets, "\(name): \(item.text.debugDescription)")
      }
      let ids = item.ids ?? item.plain ?? []
      if let decoded = item.decoded { #expect(tokenizer.decode(ids) == decoded, "\(name): \(item.text.debugDescription)") }
      if let whole = item.whole {
        #expect(tokenizer.decode(ids, skipsSpecialTokens: false) == whole, "\(name): \(item.text.debugDescription)")
      }
      // The pieces together are the whole text.
      if let decoded = item.decoded {
        var decoder = tokenizer.makeIncrementalDecoder()
        let pieces = ids.map { decoder.append($0) } + [decoder.finish()]
        #expect(pieces.joined() == decoded, "\(name): \(item.text.debugDescription)")
      }
    }
  }

  @Test(arguments: ["gpt2", "roberta", "pattern", "llama", "clip", "bert", "t5", "words"])
  func `tokenizer.json gives what the library tokenizers gives`(name: String) throws {
    try check(Tokenizer(contentsOf: Fixtures.url("\(name).json")), name)
  }

  @Test(arguments: ["sp_unigram", "sp_bpe", "sp_identity"])
  func `models of SentencePiece give what SentencePiece gives`(name: String) throws {
    try check(Tokenizer(contentsOf: Fixtures.url("\(name).model")), name)
  }

  private static let pattern =
    #"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"#

  @Test func `ranks of tiktoken give what tiktoken gives`() throws {
    let url = Fixtures.url("ranks.tiktoken")
    let count = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").count
    let tokenizer = try Tokenizer(
      contentsOfTiktoken: url, pattern: Self.pattern, specialTokens: ["<|end|>": count, "<s>": count + 1])
    try check(tokenizer, "ranks")
  }

  @Test func `tekken.json gives its ranks after the special tokens`() throws {
    let tokenizer = try Tokenizer(contentsOf: Fixtures.url("tekken.json"))
    try check(tokenizer, "tekken")
    #expect(tokenizer.startID == 1 && tokenizer.endID == 2)
  }

  @Test func `the file of llama2.c merges by its scores`() throws {
    let tokenizer = try Tokenizer(contentsOf: Fixtures.url("llama2c.bin"))
    try check(tokenizer, "llama2c")
    #expect(try tokenizer.encode("of").first == 1)
    var decoder = tokenizer.makeIncrementalDecoder()
    #expect([1, 0xC3 + 3, 0xA9 + 3].map { decoder.append($0) } == ["", "", "\u{e9}"])
    #expect(decoder.append(0xC3 + 3) == "" && decoder.pendingBytes == [0xC3] && decoder.finish() == "\u{FFFD}")
  }
}

/// What rules for length cut off is what the library tokenizers gives.
struct OverflowTests {
  private struct Case: Decodable {
    struct Part: Decodable, Equatable {
      var ids: [Int]
      var types: [Int]
      var special: [Int]
      var attended: [Int]

      init(_ encoding: Encoding) {
        ids = encoding.ids
        types = encoding.typeIDs
        special = encoding.isSpecial.map { $0 ? 1 : 0 }
        attended = encoding.isAttended.map { $0 ? 1 : 0 }
      }
    }

    var tokenizer: String
    var text: String
    var second: String?
    var parts: [Part]
  }

  @Test func `parts of what is cut off overlap and are made like the first`() throws {
    let data = try Data(contentsOf: Fixtures.url("overflow.cases.json"))
    let cases = try JSONDecoder().decode([Case].self, from: data)
    let rules = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    try #require(cases.count >= 60 && cases.contains { $0.second != nil && $0.parts.count > 2 })
    for (item, rules) in zip(cases, rules) {
      let tokenizer = try Fixtures.tokenizer(
        item.tokenizer + ".json", with: rules.filter { ["truncation", "padding"].contains($0.key) })
      let encoding = try tokenizer.encoding(of: item.text, and: item.second, parsesSpecialTokens: true, keepsOverflow: true)
      let parts = ([encoding] + encoding.overflow).map { Case.Part($0) }
      #expect(parts == item.parts, "\(rules["truncation"]!): \(item.text.debugDescription)")
      #expect(encoding.overflow.allSatisfy { $0.offsets.count == $0.ids.count && $0.overflow.isEmpty })
      #expect(try tokenizer.encoding(of: item.text, and: item.second, parsesSpecialTokens: true).overflow.isEmpty)
    }
  }

  @Test func `rules that leave nothing, or make far more than the text, are errors`() throws {
    func rule(_ length: Int, _ stride: Int) throws -> Tokenizer {
      try Fixtures.tokenizer(
        "words.json", with: ["truncation": ["max_length": length, "stride": stride, "strategy": "LongestFirst", "direction": "Right"]])
    }
    let text = String(repeating: "the of and ", count: 5000)
    #expect { try rule(4, 4).encoding(of: text, addsSpecialTokens: false, keepsOverflow: true) } throws: {
      ($0 as? TokenizerError)?.field == "truncation.stride"
    }
    #expect(try rule(4, 4).encoding(of: text, addsSpecialTokens: false).ids.count == 4)
    #expect { try rule(9000, 8999).encoding(of: text, addsSpecialTokens: false, keepsOverflow: true) } throws: {
      ($0 as? TokenizerError)?.field == "truncation.stride"
    }
    #expect { try rule(40, 0).encoding(of: text, and: text, addsSpecialTokens: false, keepsOverflow: true) } throws: {
      ($0 as? TokenizerError)?.field == "truncation"
    }
  }
}

enum Fixtures {
  static func url(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures").appendingPathComponent(name)
  }

  /// A fixture with other members.
  static func tokenizer(_ name: String, with members: [String: Any]) throws -> Tokenizer {
    let content = try JSONSerialization.jsonObject(with: Data(contentsOf: url(name))) as? [String: Any]
    let file = try #require(content).merging(members) { $1 }
    return try Tokenizer(bytes: [UInt8](JSONSerialization.data(withJSONObject: file)))
  }
}
