import Foundation
import Martlet
import MartletTextGeneration
import MartletTokenizers
import Testing

@Suite struct TextGeneratorTests {
  static let forms = [
    "decoder", "decoder-each", "decoder-uncached", "decoder-single", "decoder-chunks", "decoder-float16", "decoder-bfloat16",
    "decoder-pair",
  ]

  private func greedy(_ count: Int) -> TextGenerator.Options {
    var options = TextGenerator.Options()
    options.maximumTokenCount = count
    options.heedsEndTokens = false
    return options
  }

  @Test(arguments: forms, [nil, 1, 3])
  func everyFormContinuesPromptsAsTheReference(form: String, chunkLimit: Int?) throws {
    let generator = try TextFixtures.generator(form, chunkLimit: chunkLimit)
    for continuation in try TextFixtures.continuations() {
      // Half precision may change a close choice.
      let count = form.hasSuffix("float16") ? 4 : continuation.generated_ids.count
      var text = ""
      let generation = try generator.generate(continuation.prompt, greedy(count)) { text += $0 }
      #expect(generation.statistics.promptTokenCount == continuation.prompt_ids.count)
      #expect(generation.statistics.generatedTokenCount == count)
      #expect(generator.position == continuation.prompt_ids.count + count - 1)
      #expect(continuation.text.hasPrefix(text) && (text == continuation.text || form.hasSuffix("float16")))
      try generator.reset()
      #expect(generator.position == 0)
    }
  }

  @Test func piecesAreWholeCharactersAndSpecialTokensAreText() throws {
    var options = TextGenerator.Options()
    options.echoesPrompt = true
    var pieces: [String] = []
    let generation = try TextFixtures.generator("script-characters").generate("b", options) { pieces.append($0) }
    #expect(pieces.joined() == "bané\0 €🙂<|turn|> z<|end|>")
    #expect(pieces.first == "b" && pieces.last == "<|end|>" && pieces.contains("") && pieces.contains("\0"))
    #expect(pieces.count == generation.statistics.generatedTokenCount + 1)
    #expect(generation.ending == .endToken)
  }

  @Test func aSecondCallContinuesTheConversation() throws {
    let generator = try TextFixtures.generator("decoder")
    let continuation = try #require(try TextFixtures.continuations().first)
    var first = ""
    try generator.generate(continuation.prompt, greedy(5)) { first += $0 }
    let position = generator.position
    var second = ""
    try generator.generate("The keeper", greedy(5)) { second += $0 }
    #expect(generator.position > position + 5)
    // The same tokens at once: the prompt, what was read of the answer, the second prompt.
    let session = try TokenSession(try TextFixtures.model("decoder"))
    let tokenizer = try TextFixtures.tokenizer()
    let ids: [Int] = continuation.prompt_ids + Array(continuation.generated_ids.prefix(4))
    try session.read(ids + tokenizer.encode("The keeper", addsSpecialTokens: false))
    var sampler = Sampler()
    #expect(second.hasPrefix(tokenizer.decode([try sampler.sample(session.logits, Sampler.Settings())])))
  }

  @Test func aStopEndsAGenerationAfterTheTokenAndAPromptAfterTheChunk() throws {
    let generator = try TextFixtures.generator("decoder", chunkLimit: 2)
    var count = 0
    let generation = try generator.generate("A lighthouse stood", greedy(20)) { _ in
      count += 1
      if count == 3 { generator.stop() }
    }
    #expect(generation.ending == .stopped && generation.statistics.generatedTokenCount == 3)
    try generator.reset()
    var options = greedy(20)
    options.echoesPrompt = true
    var pieces: [String] = []
    let stopped = try generator.generate("A lighthouse stood at the end", options) {
      pieces.append($0)
      generator.stop()
    }
    #expect(stopped.ending == .stopped && stopped.statistics.generatedTokenCount == 0 && pieces.count == 1)
    #expect(generator.position < stopped.statistics.promptTokenCount)
  }

  @Test func anotherThreadStopsAGenerationAfterTheToken() throws {
    nonisolated(unsafe) let generator = try TextFixtures.generator("decoder")
    let (wanted, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let stopper = Thread {
      wanted.wait()
      generator.stop()
      done.signal()
    }
    stopper.start()
    var count = 0
    let generation = try generator.generate("A lighthouse stood", greedy(20)) { _ in
      count += 1
      guard count == 4 else { return }
      wanted.signal()
      done.wait()
    }
    #expect(generation.ending == .stopped && generation.statistics.generatedTokenCount == 4)
    try expectsFreshText(generator)
  }

  /// A stop while a prompt is read, one token at a time: the call ends before the prompt does.
  @Test func anotherThreadStopsAPromptAfterTheChunk() throws {
    nonisolated(unsafe) let session = try TokenSession(try TextFixtures.model("decoder"), chunkLimit: 1)
    let prompt = (0..<45).map { $0 % 50 }
    var endsWithin = 0
    for attempt in 0..<20_000 where endsWithin < 3 {
      try session.reset()
      session.begin()
      let (started, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      nonisolated(unsafe) var stopped = ContinuousClock.now
      let stopper = Thread {
        started.wait()
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .microseconds(attempt % 40 * 20) {}
        stopped = .now
        session.stop()
        done.signal()
      }
      stopper.start()
      started.signal()
      try session.read(prompt)
      let end = ContinuousClock.now
      done.wait()
      guard session.position > 0, session.position < prompt.count else { continue }
      endsWithin += 1
      #expect(end - stopped < .seconds(1))
    }
    #expect(endsWithin > 0)
  }

  /// After a reset, text is that of a new generator.
  private func expectsFreshText(_ generator: TextGenerator) throws {
    try generator.reset()
    let continuation = try #require(try TextFixtures.continuations().first)
    var text = ""
    try generator.generate(continuation.prompt, greedy(continuation.generated_ids.count)) { text += $0 }
    #expect(text == continuation.text)
  }

  /// Each loads the file itself, so that neither their caches nor their plans are shared.
  @Test(arguments: ["decoder", "decoder-pair", "decoder-float16"]) func generatorsOfOneFileRunInTwoThreads(form: String) throws {
    let continuations = try TextFixtures.continuations()
    func texts(_ generator: TextGenerator) throws -> [String] {
      try continuations.map { continuation in
        var text = ""
        try generator.generate(continuation.prompt, greedy(12)) { text += $0 }
        try generator.reset()
        return text
      }
    }
    let expected = try texts(try TextFixtures.generator(form))
    nonisolated(unsafe) var found = [[String]](repeating: [], count: 2)
    let lock = NSLock()
    let done = DispatchSemaphore(value: 0)
    for number in 0..<2 {
      nonisolated(unsafe) let generator = try TextFixtures.generator(form)
      nonisolated(unsafe) let work = texts
      Thread {
        let own = (try? (0..<5).flatMap { _ in try work(generator) }) ?? []
        lock.withLock { found[number] = own }
        done.signal()
      }.start()
    }
    for _ in 0..<2 { done.wait() }
    let repeated = (0..<5).flatMap { _ in expected }
    #expect(lock.withLock { found } == [repeated, repeated])
  }

  @Test func aFailedCallLeavesThePosition() throws {
    let generator = try TextFixtures.generator("decoder")
    try generator.generate("A lighthouse", greedy(3)) { _ in }
    let position = generator.position
    #expect(throws: GenerationError.self) { try generator.generate("The keeper", greedy(0)) { _ in } }
    #expect(throws: GenerationError.self) { try generator.generate(String(repeating: "x ", count: 60), greedy(1)) { _ in } }
    #expect(throws: GenerationError.self) { try generator.generate("", greedy(1)) { _ in } }
    struct Unwanted: Error {}
    #expect(throws: Unwanted.self) { try generator.generate("The keeper", greedy(4)) { _ in throw Unwanted() } }
    #expect(generator.position == position)
  }

  @Test func modelsThatDoNotFitAreErrors() throws {
    #expect { try TextFixtures.model("decoder-bare") } throws: {
      ($0 as? GenerationError)?.field == "get_max_seq_len" && "\($0)".contains("decoder-bare.pte")
    }
    let small = try TextFixtures.generator("script-nan")
    #expect { try small.generate("b", greedy(12)) { _ in } } throws: { ($0 as? GenerationError)?.kind == .invalidLogits }
    #expect(small.position == 0)
    let folder = TextFixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("MartletTokenizersTests/Fixtures")
    let others = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let large = try #require(others.lazy.compactMap { try? Tokenizer(contentsOf: $0) }.first { $0.vocabularySize > 300 })
    #expect { try TextGenerator(try TextFixtures.model("decoder"), large) } throws: { ($0 as? GenerationError)?.field == "tokenizer" }
  }

  /// Methods of other models name the value that is wrong, what it is and what it should be.
  @Test(arguments: [
    ("ops/aten_add_out__0", "forward.input0: is float32[", "not a tensor of int64 or int32"),
    ("ops/aten_addmm_out__0", "forward.inputs: are 3 values", "not tokens and perhaps their positions"),
    ("ops/aten_topk_values__0", "forward.input0: is ", "not a tensor of int64 or int32"),
  ])
  func methodsOfOtherModelsAreErrors(name: String, start: String, reason: String) throws {
    let url = TextFixtures.folder.deletingLastPathComponent().appendingPathComponent("\(name)/model.pte")
    let signature = try #require(try Model(contentsOf: url).methods.first { $0.name == "forward" })
    let error = #expect(throws: GenerationError.self) { try DecoderMethod(signature, file: "m.pte") }
    #expect(error?.kind == .invalidModel && error?.file == "m.pte")
    let text = error?.description ?? ""
    #expect(text.hasPrefix("m.pte: " + start) && text.hasSuffix(reason), "\(text)")
  }

  @Test func decodingAllocatesNoPlan() throws {
    let session = try TokenSession(try TextFixtures.model("decoder"))
    try session.read([1, 2, 3])
    for token in 0..<30 { try session.read(token) }
    #expect(session.position == 33 && session.logits.values.count == 300)
  }
}
