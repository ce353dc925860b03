import ArgumentParser
import MartletSystem
import MartletBytes
import MartletTokenizers

struct TokenizeCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "tokenize",
    abstract: "Shows text as the tokens of a language model.",
    discussion: """
      Prints for each token its id, the piece as the tokenizer's file writes it, and the bytes of the text that it stands for. \
      Without TEXT, reads standard input. FILE is a tokenizer.json, tekken.json, SentencePiece .model, tiktoken or llama2.c \
      .bin file, or a folder with one of them.

        martlet tokenize tokenizer.json "Once upon a time"
        martlet tokenize tokenizer.json --decode "306 515 259 632"
      """)

  @Argument(help: ArgumentHelp("The tokenizer.", valueName: "file"))
  var path: String

  @Argument(help: "The text, or with --decode the ids; default: standard input.")
  var text: String?

  @Flag(help: "Turn ids, separated by blanks or commas, into text.")
  var decode = false

  @Flag(
    help: """
      Let text that looks like a special token become that token; with --decode, show special tokens. Both are off by default.
      """)
  var special = false

  @Flag(name: .customLong("bare"), help: "Leave out the tokens that the tokenizer adds at the start and the end of a text.")
  var isBare = false

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let tokenizer = try TokenizerFile.open(path)
    let text = try text ?? StandardInput.text(as: decode ? "ids" : "text")
    if decode {
      let ids = try Self.ids(text, below: tokenizer.vocabularySize)
      let decoded = tokenizer.decode(ids, skipsSpecialTokens: !special)
      print(json ? JSONValue.members(["text": .string(decoded), "ids": .integers(ids)]).text : decoded)
      return
    }
    let encoding = try tokenizer.encoding(of: text, addsSpecialTokens: !isBare, parsesSpecialTokens: special)
    if json {
      print(report(encoding, tokenizer).text)
    } else if !encoding.ids.isEmpty {
      let rows = zip(encoding.ids, encoding.offsets).map { id, bytes in
        ["\(id)", tokenizer.token(for: id).map(Self.shown) ?? "", bytes.isEmpty ? "" : "\(bytes.lowerBound)..<\(bytes.upperBound)"]
      }
      print(Formatting.table(rows, [.right, .left, .right]).joined(separator: "\n"))
    }
  }

  private func report(_ encoding: Encoding, _ tokenizer: Tokenizer) -> JSONValue {
    let tokens = encoding.ids.indices.map { index -> JSONValue in
      let (id, bytes) = (encoding.ids[index], encoding.offsets[index])
      return .members([
        "id": .integer(id), "piece": .optional(tokenizer.token(for: id)), "start": .integer(bytes.lowerBound),
        "end": .integer(bytes.upperBound), "isSpecial": .boolean(encoding.isSpecial[index] || tokenizer.isSpecial(id)),
      ])
    }
    return .members([
      "file": .string(path), "vocabularySize": .integer(tokenizer.vocabularySize), "ids": .integers(encoding.ids),
      "tokens": .array(tokens),
    ])
  }

  /// A piece on one line.
  private static func shown(_ piece: String) -> String {
    piece.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\u{2028}" || $0 == "\u{2029}" }
      ? piece.debugDescription : piece
  }

  private static func ids(_ text: String, below count: Int) throws -> [Int] {
    try text.split { $0.isWhitespace || $0 == "," || $0 == "[" || $0 == "]" }.map { word in
      guard let id = Int(word, radix: 10) else { throw CommandFailure("'\(word)' is not an id") }
      guard (0..<count).contains(id) else { throw CommandFailure("there is no token \(id): ids are below \(count)") }
      return id
    }
  }
}
