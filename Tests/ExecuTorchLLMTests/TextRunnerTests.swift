import ExecuTorchLLM
import Testing

@Suite struct TextRunnerTests {
  @Test func `a runner reads nothing before it is loaded`() throws {
    let runner = TextRunner(modelPath: "/nowhere/model.pte", tokenizerPath: "/nowhere/tokenizer.json")
    #expect(!runner.isLoaded())
    runner.stop()
    runner.reset()
    let loaded = Fixture.runner("decoder")
    #expect(!loaded.isLoaded())
    try loaded.load()
    #expect(loaded.isLoaded())
    try loaded.load()
  }

  @Test func `files that make no runner are errors with the code -1`() throws {
    let tokenizer = Fixture.path("tokenizer.json")
    for (model, tokenizer, name) in [
      ("/nowhere/model.pte", tokenizer, "/nowhere/model.pte"), (Fixture.path("decoder.pte"), "/nowhere/tokenizer.json", "tokenizer.json"),
      (Fixture.path("decoder-bare.pte"), tokenizer, "get_max_seq_len"),
      (Fixture.path("decoder.pte"), Fixture.path("decoder.pte"), "decoder"),
    ] {
      let runner = TextRunner(modelPath: model, tokenizerPath: tokenizer)
      let error = try #require(Fixture.error { try runner.load() })
      #expect(error.domain == ErrorDomain && ErrorDomain == "org.pytorch.executorch.llm.error")
      #expect(error.code == -1 && error.localizedDescription == "Failed to create runner")
      #expect(error.localizedFailureReason?.contains(name) == true)
      #expect(!runner.isLoaded())
      #expect(Fixture.error { _ = try runner.pieces("x") }?.code == -1)
    }
  }

  @Test func `one special token is an error, none and several are not`() throws {
    func runner(_ tokens: [String]) -> TextRunner {
      TextRunner(modelPath: Fixture.path("decoder.pte"), tokenizerPath: Fixture.path("tokenizer.json"), specialTokens: tokens)
    }
    #expect(Fixture.error { try runner(["<|begin|>"]).load() }?.code == -1)
    try runner([]).load()
    try runner(["<|begin|>", "<|end|>"]).load()
  }

  @Test func `special tokens of a tiktoken file follow its own`() throws {
    // One token for each byte: 256 of the 300 that the model knows.
    let lines = (0..<256).map { "\(Data([UInt8($0)]).base64EncodedString()) \($0)" }.joined(separator: "\n")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).tiktoken")
    try lines.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let runner = TextRunner(modelPath: Fixture.path("decoder.pte"), tokenizerPath: file.path, specialTokens: ["<a>", "<b>", "<c>"])
    // "<a>" is one token: with bosCount there are five before the answer.
    #expect(
      try runner.pieces("<a>xy<c>") {
        $0.bosCount = 1; $0.sequenceLength = 6
      }.count == 1)
    // Llama 3's 256 special tokens are more than the model has logits for.
    let llama = TextRunner(modelPath: Fixture.path("decoder.pte"), tokenizerPath: file.path)
    #expect(Fixture.error { try llama.load() }?.code == -1)
  }

  @Test func `the prompt is one piece, and each token another`() throws {
    var pieces: [String] = []
    let thread = Thread.current
    try Fixture.runner("script-characters").generate("b", Config { $0.temperature = 0 }) {
      #expect(Thread.current === thread)
      pieces.append($0)
    }
    #expect(pieces.joined() == "bané\0 €🙂<|turn|> z<|end|>")
    #expect(pieces.first == "b" && pieces.last == "<|end|>" && pieces.contains(""))
    // The same without echo, and without a callback.
    let runner = Fixture.runner("script-characters")
    #expect(try runner.pieces("b") == Array(pieces.dropFirst()))
    runner.reset()
    try runner.generate("b", Config { $0.temperature = 0 })
  }

  @Test func `a length leaves out the prompt, and a number of tokens is one`() throws {
    let runner = Fixture.runner("decoder")
    for (maximum, length, count) in [(4, -1, 4), (-1, 20, 18), (4, 20, 4), (30, 20, 18), (1, -1, 1)] {
      #expect(
        try runner.pieces("in") {
          $0.maximumNewTokens = maximum; $0.sequenceLength = length
        }.count <= count + 2)
      runner.reset()
    }
    for (maximum, length) in [(0, -1), (-1, 0), (-4, -1), (5, 1), (.min, -1), (-1, .min)] {
      #expect(
        Fixture.error {
          _ = try runner.pieces("in") {
            $0.maximumNewTokens = maximum; $0.sequenceLength = length
          }
        }?.code == 18)
    }
  }

  @Test func `an empty prompt is an invalid state, a temperature beyond 1 an invalid argument`() throws {
    let runner = Fixture.runner("decoder")
    let first = try runner.pieces("A lighthouse") { $0.maximumNewTokens = 3 }
    #expect(Fixture.error { _ = try runner.pieces("") }?.code == 2)
    #expect(Fixture.error { _ = try runner.pieces("x") { $0.temperature = 1.5 } }?.code == 18)
    #expect(Fixture.error { _ = try runner.pieces("x") { $0.temperature = -0.5 } }?.code == 18)
    #expect(Fixture.error { _ = try runner.pieces("x") { $0.temperature = .nan } }?.code == 18)
    #expect(Fixture.error { _ = try runner.pieces(String(repeating: "the wind ", count: 50)) }?.code == 18)
    // A failed call changes nothing: the conversation goes on as one without it.
    let next = try runner.pieces("One night") { $0.maximumNewTokens = 5 }
    let other = Fixture.runner("decoder")
    #expect(try other.pieces("A lighthouse") { $0.maximumNewTokens = 3 } == first)
    #expect(try other.pieces("One night") { $0.maximumNewTokens = 5 } == next)
  }

  @Test func `a reset makes a runner as new`() throws {
    let runner = Fixture.runner("decoder")
    let first = try runner.pieces("A lighthouse") { $0.maximumNewTokens = 8 }
    #expect(try runner.pieces("A lighthouse") { $0.maximumNewTokens = 8 } != first)
    runner.reset()
    #expect(try runner.pieces("A lighthouse") { $0.maximumNewTokens = 8 } == first)
    // Within a call, the conversation is forgotten at its end.
    try runner.generate("x", Config { $0.maximumNewTokens = 3 }) { _ in runner.reset() }
    #expect(try runner.pieces("A lighthouse") { $0.maximumNewTokens = 8 } == first)
  }

  @Test func `a stop ends a call after the piece`() throws {
    let runner = Fixture.runner("decoder")
    for count in 1...3 {
      var pieces: [String] = []
      try runner.generate("A lighthouse", Config { $0.isEchoEnabled = false }) {
        pieces.append($0)
        if pieces.count == count { runner.stop() }
      }
      #expect(pieces.count == count)
      runner.reset()
    }
    // Before anything was read, too.
    for runner in [runner, Fixture.runner("decoder")] {
      var pieces: [String] = []
      try runner.generate("A lighthouse", Config()) {
        pieces.append($0)
        runner.stop()
      }
      #expect(pieces == ["A lighthouse"])
    }
    runner.reset()
    #expect(try runner.pieces("A lighthouse") { $0.maximumNewTokens = 8 }.count == 8)
  }

  @Test func `a call within a call is an error`() throws {
    let runner = Fixture.runner("decoder")
    var codes: Set<Int> = []
    try runner.generate("x", Config { $0.maximumNewTokens = 2 }) { _ in
      codes.insert(Fixture.error { try runner.generate("y", Config()) }?.code ?? 0)
    }
    #expect(codes == [2])
  }

  @Test func `logits that are no numbers are an error`() throws {
    let error = try #require(Fixture.error { _ = try Fixture.runner("script-nan").pieces("b") { $0.maximumNewTokens = 12 } })
    #expect(error.code == 18 && error.localizedDescription.contains("script-nan.pte: token 3: has a logit that is not a number"))
  }

  @Test func `two runners of one file work in two threads`() async throws {
    let expected = try Fixture.runner("decoder").pieces("A lighthouse") { $0.maximumNewTokens = 20 }
    try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let runner = Fixture.runner("decoder")
          var pieces: [String] = []
          for _ in 0..<5 {
            runner.reset()
            pieces = try runner.pieces("A lighthouse") { $0.maximumNewTokens = 20 }
          }
          return pieces
        }
      }
      for try await pieces in group { #expect(pieces == expected) }
    }
  }

  @Test func `samples follow the most likely tokens' probabilities`() throws {
    // Logits from 0 to 4 over 300 tokens, at every position but the first.
    let runner = Fixture.runner("script-spread")
    let logits = (0..<300).map { Double($0) * 4 / 299 }
    let weights = logits.map { exp($0 / 0.8) }
    let total = weights.reduce(0, +)
    var kept = 300
    var sum = 0.0
    while sum <= 0.9 * total {
      kept -= 1
      sum += weights[kept]
    }
    var count = 0
    var large = 0
    for _ in 0..<60 {
      runner.reset()
      let pieces = try runner.pieces("b") { $0.temperature = 0.8 }
      // The first token is the most likely one.
      for piece in pieces.dropFirst() {
        count += 1
        // The three special tokens have the largest logits.
        if piece.hasPrefix("<|") { large += 1 }
      }
    }
    let probability = weights[297...].reduce(0, +) / sum
    let deviation = (Double(count) * probability * (1 - probability)).squareRoot()
    #expect(count > 1000 && abs(Double(large) - Double(count) * probability) < 5 * deviation)
  }

  @Test func `a subclass may override every method`() throws {
    final class Loud: TextRunner {
      var calls: [String] = []
      override func isLoaded() -> Bool { calls.append("isLoaded"); return super.isLoaded() }
      override func load() throws { calls.append("load"); try super.load() }
      override func generate(_ prompt: String, _ config: Config, tokenCallback: ((String) -> Void)? = nil) throws {
        calls.append("generate")
        try super.generate(prompt, config, tokenCallback: tokenCallback)
      }
      override func stop() { calls.append("stop"); super.stop() }
      override func reset() { calls.append("reset"); super.reset() }
    }
    let runner = Loud(modelPath: Fixture.path("decoder.pte"), tokenizerPath: Fixture.path("tokenizer.json"))
    _ = runner.isLoaded()
    try runner.generate("x", Config { $0.maximumNewTokens = 1 })
    runner.stop()
    runner.reset()
    #expect(runner.calls == ["isLoaded", "generate", "load", "stop", "reset"])
  }
}
