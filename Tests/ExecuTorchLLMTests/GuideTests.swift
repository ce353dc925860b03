import ExecuTorchLLM
import Testing

/// Code as the guide to language models on iOS has it, with the fixtures in place of its files.
@Suite struct GuideTests {
  @Test func `the guide's runner has the name of its text`() throws {
    let modelPath = Fixture.path("decoder.pte")
    let tokenizerPath = Fixture.path("tokenizer.json")
    let specialTokens = ["<|bos|>", "<|eos|>"]

    let runner = TextLLMRunner(
      modelPath: modelPath,
      tokenizerPath: tokenizerPath,
      specialTokens: specialTokens
    )
    do {
      try runner.load()
    } catch {
      print("Failed to load: \(error)")
    }
    var count = 0
    do {
      try runner.generate(
        "Once upon a time",
        Config {
          $0.temperature = 0.8
          $0.sequenceLength = 2048
        }
      ) { token in
        count += token.isEmpty ? 0 : 1
      }
    } catch {
      print("Generation failed:", error)
    }
    #expect(count > 1)
    runner.stop()
    runner.reset()
  }
}
