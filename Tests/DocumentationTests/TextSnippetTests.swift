import ExecuTorchLLM
import MartletTokenizers
import Testing

/// The code of the pages on text, between the marks, as it stands there.
struct TextSnippetTests {
  private let modelPath = Pages.root.appendingPathComponent("Tests/Fixtures/text/decoder.pte").path
  private let tokenizerPath = Pages.root.appendingPathComponent("Tests/Fixtures/text/tokenizer.json").path

  @Test func `the landing page's example runs`() throws {
    // page: ExecuTorchLLM
    let runner = TextRunner(modelPath: modelPath, tokenizerPath: tokenizerPath)
    try runner.generate("A lighthouse stood", Config { $0.maximumNewTokens = 20 }) { piece in
      print(piece, terminator: "")
    }
    // end
    #expect(runner.isLoaded())
  }

  @Test func `text is generated, stopped and begun again`() throws {
    let runner = TextRunner(modelPath: modelPath, tokenizerPath: tokenizerPath)
    // page: GeneratingText
    let config = Config {
      $0.isEchoEnabled = false
      $0.temperature = 0
      $0.maximumNewTokens = 12
    }
    var text = ""
    try runner.generate("The keeper", config) { text += $0 }
    // end
    #expect(!text.isEmpty)
    // page: GeneratingText
    try runner.generate("One night", config) { _ in runner.stop() }
    runner.reset()
    // end
    var again = ""
    try runner.generate("The keeper", config) { again += $0 }
    #expect(again == text)
    // page: GeneratingText
    do {
      try runner.generate("", config)
    } catch let error as NSError where error.domain == ErrorDomain {
      print(error.code, error.localizedFailureReason ?? "")
    }
    // end
  }

  @Test func `a tiktoken file's special tokens are given`() throws {
    let tokenizerPath = Pages.root.appendingPathComponent("Tests/MartletTokenizersTests/Fixtures/ranks.tiktoken").path
    // page: ModelsAndTokenizers
    let runner = TextRunner(modelPath: modelPath, tokenizerPath: tokenizerPath, specialTokens: ["<|begin|>", "<|end|>"])
    // end
    // The tokenizer has more tokens than the model.
    let error = #expect(throws: NSError.self) { try runner.load() }
    #expect(error?.domain == ErrorDomain && error?.localizedFailureReason?.contains("logits") == true)
  }

  @Test func `text becomes tokens, and tokens text`() throws {
    let url = Pages.root.appendingPathComponent("Tests/MartletTokenizersTests/Fixtures/gpt2.json")
    // page: MartletTokenizers
    let tokenizer = try Tokenizer(contentsOf: url)
    let ids = try tokenizer.encode("Once upon a time")
    print(tokenizer.decode(ids))
    // end
    #expect(tokenizer.decode(ids).hasSuffix("Once upon a time"))
    // page: MartletTokenizers
    let encoding = try tokenizer.encoding(of: "one hello")
    for (id, bytes) in zip(encoding.ids, encoding.offsets) {
      print(id, tokenizer.token(for: id) ?? "", bytes)
    }
    // end
    #expect(encoding.offsets.last?.upperBound == 9)
    // page: MartletTokenizers
    var decoder = tokenizer.makeIncrementalDecoder()
    for id in ids { print(decoder.append(id), terminator: "") }
    print(decoder.finish())
    // end
  }

  @Test(arguments: [
    ("ExecuTorchLLM", "ExecuTorchLLM"), ("ExecuTorchLLM", "GeneratingText"), ("ExecuTorchLLM", "ModelsAndTokenizers"),
    ("MartletTokenizers", "MartletTokenizers"),
  ])
  func `the pages show tested code`(module: String, page: String) throws {
    try Pages.check("Sources/\(module)/\(module).docc/\(page).md", page: page, testedIn: #filePath)
  }
}
