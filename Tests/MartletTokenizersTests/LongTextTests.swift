import Foundation
import MartletTestSampling
import MartletTokenizers
import Testing

/// Time is linear in the text, whatever the text and the pattern.
struct LongTextTests {
  private func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let time = ContinuousClock.now - start
    return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
  }

  @Test(arguments: ["gpt2.json", "pattern.json", "llama.json", "t5.json", "bert.json", "sp_bpe.model", "sp_unigram.model"])
  func `long words and long runs`(name: String) throws {
    let tokenizer = try Tokenizer(contentsOf: Fixtures.url(name))
    let byteCount = inDebug(20_000, otherwise: 400_000)
    for piece in ["a", " ", "the", "\n", "1", "\u{301}", "\u{4e00}", "<", "ab ", "\u{1F600}"] {
      let text = String(repeating: piece, count: byteCount / piece.utf8.count)
      // A quadratic step would take minutes; the bound leaves room for busy machines.
      #expect(try seconds { _ = try tokenizer.encode(text, parsesSpecialTokens: true) } < 20, "\(name) \(piece.debugDescription)")
    }
  }

  @Test(arguments: ["a*b|a", "(a|aa)+$", "(a*)*b|.", "(?=a*b)a|a", "\\d{1,3}(?=(?:\\d{3})*(?!\\d))|.", "(?:a|b)*a(?:a|b){12}|."])
  func `patterns that make others slow`(pattern: String) throws {
    let escaped = pattern.replacingOccurrences(of: "\\", with: "\\\\")
    let json =
      #"{"model":{"type":"WordLevel","vocab":{"a":0,"u":1},"unk_token":"u"},"pre_tokenizer":{"type":"Split","pattern":{"Regex":"\#(escaped)"},"behavior":"Isolated","invert":false}}"#
    let tokenizer = try Tokenizer(bytes: Array(json.utf8))
    let count = inDebug(20_000, otherwise: 200_000)
    for text in [String(repeating: "a", count: count), String(repeating: "1", count: count), String(repeating: "abaab", count: count / 5)] {
      #expect(try seconds { _ = try tokenizer.encode(text) } < 20, "\(pattern)")
    }
  }

  #if !DEBUG
    @Test(arguments: ["gpt2.json", "llama.json", "bert.json", "t5.json"])
    func `six thousand added tokens take no time`(name: String) throws {
      let bare = try Fixtures.tokenizer(name, with: [:])
      let added =
        try #require(
          try JSONSerialization.jsonObject(with: Data(contentsOf: Fixtures.url(name))) as? [String: Any])["added_tokens"]
        as? [[String: Any]]
      let first = 60_000
      let more: [[String: Any]] = (0..<6000).map { number in
        [
          "id": first + number, "content": "<|reserved_\(number)|>", "single_word": false, "lstrip": false, "rstrip": false,
          "normalized": number % 2 == 0, "special": true,
        ]
      }
      let full = try Fixtures.tokenizer(name, with: ["added_tokens": (added ?? []) + more])
      let text = String(repeating: "the of and to <in> is that it was, 12 for on are | as with his they at\n", count: 3000)
      var (least, leastOfFull) = (Double.infinity, Double.infinity)
      // Single runs are slow on a busy machine.
      for _ in 0..<70 where leastOfFull >= 1.3 * least {
        least = min(least, try processorSeconds { _ = try bare.encode(text, parsesSpecialTokens: true) })
        leastOfFull = min(leastOfFull, try processorSeconds { _ = try full.encode(text, parsesSpecialTokens: true) })
      }
      #expect(leastOfFull < 1.3 * least, "\(name): \(leastOfFull / least) times as long")
      #expect(try full.encode("the<|reserved_5999|>of", parsesSpecialTokens: true).contains(first + 5999))
    }

    private func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
      func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      }
      let start = now()
      try body()
      return now() - start
    }
  #endif
}
