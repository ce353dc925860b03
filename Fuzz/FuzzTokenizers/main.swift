import Foundation
import MartletFuzzing
import MartletTokenizers

/// Reads mutated tokenizer files and encodes with those that are accepted. See `Drive` for the arguments.

/// Outcome of reading a mutant.
enum Outcome: String, CaseIterable {
  case encoded
  /// Read, but the text has words that it does not know.
  case unknown
  case rejected
}

/// Texts with every kind of character that readers and steps treat in their own way.
let texts = [
  "the one of hello World <x> <s>[CLS] don't I'LL 12345 \u{2581}\u{3000}e\u{301}\u{AC01}\u{FB01}\u{1F469}\u{200D}\u{1F467}\r\n\t  x",
  String(repeating: "a", count: 300) + String(repeating: " ", count: 100) + String(repeating: "\u{327}\u{301}", count: 50),
  "\0\u{7F}\u{FFFD}\u{10FFFF}<0x41>",
]

func probe(_ mutant: FuzzCorpus.Mutant) -> Outcome {
  do throws(TokenizerError) {
    let tokenizer = try Tokenizer(bytes: mutant.bytes)
    var outcome = Outcome.encoded
    for text in texts {
      do throws(TokenizerError) {
        let ids = try tokenizer.encode(text, parsesSpecialTokens: true)
        let encoding = try tokenizer.encoding(of: text, and: text, parsesSpecialTokens: false)
        precondition(ids.allSatisfy { $0 >= 0 } && encoding.offsets.count == encoding.ids.count)
        precondition(encoding.offsets.allSatisfy { $0.upperBound <= text.utf8.count })
        _ = tokenizer.decode(ids, skipsSpecialTokens: false)
        var decoder = tokenizer.makeIncrementalDecoder()
        for id in ids.prefix(50) + [-1, tokenizer.vocabularySize] { _ = decoder.append(id) }
        _ = decoder.finish()
      } catch {
        outcome = .unknown
      }
    }
    return outcome
  } catch {
    // Rejecting a file is correct, but producing the description must not fail.
    precondition(!"\(error)".isEmpty && !error.file.isEmpty)
    return .rejected
  }
}

try await Drive.main("FuzzTokenizers", kinds: [.tokenizer], probe: probe)
