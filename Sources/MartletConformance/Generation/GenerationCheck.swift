import MartletBytes
import FoundationEssentials
import MartletSystem
import Martlet
import MartletMedia
import MartletTextGeneration
import MartletTokenizers

/// Compares what a language model says with what is recorded beside its case: continuations, texts of tokens, conversations.
struct GenerationCheck {
  let recorded: RecordedCase
  let options: ModelOptions

  /// Differences between logits up to this one are noise.
  private var noise: Double { max(recorded.tolerance.absolute, 1e-4) }

  func failures() -> [CaseFailure] {
    do {
      var failures: [CaseFailure] = []
      if let record = try GenerationRecord(folder: recorded.folder) { failures += try check(record) }
      if let record = try RunnerRecord(folder: recorded.folder) { failures += try check(record) }
      return failures
    } catch let error as CaseFailure {
      return [error]
    } catch let error as JSONValue.ParseError {
      return [CaseFailure(.malformedCase, "\(error)")]
    } catch {
      return [CaseFailure(.run, place: "generation", "\(error)")]
    }
  }

  private func model(_ path: String) throws -> LanguageModel {
    try LanguageModel(contentsOf: URL(fileURLWithPath: path), options: options)
  }

  /// The tokenizer of a record, in the case's folder or the one above.
  private func tokenizer(_ name: String) throws -> (Tokenizer, URL) {
    let folder = URL(fileURLWithPath: recorded.folder)
    let places = [folder, folder.deletingLastPathComponent()].map { $0.appendingPathComponent(name) }
    guard let place = places.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
      throw CaseFailure(.malformedCase, place: "generation", "there is no \(name) beside the case or in the folder above")
    }
    return (try Tokenizer(contentsOf: place), place)
  }

  // MARK: Continuations

  private func check(_ record: GenerationRecord) throws -> [CaseFailure] {
    let model = try model(recorded.modelPath)
    var failures: [CaseFailure] = []
    var tokenizer: Tokenizer?
    if let name = record.tokenizer {
      let (found, place) = try self.tokenizer(name)
      tokenizer = found
      failures += try checkTokenizers(beside: place)
    }
    for (chunkLimit, way) in [(nil, "at once"), (3, "in chunks"), (1, "one by one")] as [(Int?, String)] {
      let session = try TokenSession(model, chunkLimit: chunkLimit)
      for (index, continuation) in record.continuations.enumerated() {
        let place = "generation \(index), prompt \(way)"
        guard let prompt = try promptTokens(continuation, record, tokenizer, model) else { continue }
        try session.reset()
        var sampler = Sampler()
        try session.read(prompt)
        for position in 0..<continuation.certainCount(noise) {
          let token = try sampler.sample(session.logits, Sampler.Settings())
          guard token == continuation.tokens[position] else {
            failures.append(CaseFailure(.values, place: place, "token \(position) is \(token), expected \(continuation.tokens[position])"))
            break
          }
          if position + 1 < continuation.certainCount(noise) { try session.read(token) }
        }
      }
    }
    if let tokenizer {
      for (index, continuation) in record.continuations.enumerated() {
        let place = "generation \(index)"
        if let expected = continuation.text {
          // Some references leave out special tokens.
          let texts = [true, false].map { skipsSpecialTokens in
            var decoder = tokenizer.makeIncrementalDecoder(
              skipsSpecialTokens: skipsSpecialTokens, following: continuation.promptTokens ?? [])
            return continuation.tokens.map { decoder.append($0) }.joined() + decoder.finish()
          }
          if !texts.contains(expected) {
            failures.append(CaseFailure(.values, place: place, "the text is \"\(texts[1])\", expected \"\(expected)\""))
          }
        }
        if let prompt = continuation.prompt, let expected = continuation.promptTokens {
          let tokens = try tokenizer.promptTokens(prompt)
          let start = model.metadata.startToken.map { [$0] } ?? []
          if ![tokens, start + tokens].contains(expected) {
            failures.append(CaseFailure(.values, place: place, "the prompt has the tokens \(tokens), expected \(expected)"))
          }
        }
      }
    }
    return failures
  }

  private func promptTokens(
    _ continuation: GenerationRecord.Continuation, _ record: GenerationRecord, _ tokenizer: Tokenizer?, _ model: LanguageModel
  ) throws -> [Int]? {
    if let tokens = continuation.promptTokens { return tokens }
    guard let prompt = continuation.prompt, let tokenizer else { return nil }
    let start = record.addsStartToken ? model.metadata.startToken.map { [$0] } ?? [] : []
    return try start + tokenizer.promptTokens(prompt)
  }

  /// Checks the tokenizers in a folder whose texts and tokens are recorded in `NAME_cases.json`.
  private func checkTokenizers(beside file: URL) throws -> [CaseFailure] {
    let folder = file.deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var failures: [CaseFailure] = []
    for name in names where name.hasPrefix("tokenizer") && name.hasSuffix("_cases.json") {
      let stem = name.dropLast("_cases.json".count)
      guard let file = names.first(where: { ["\(stem).json", "\(stem).model"].contains($0) }) else { continue }
      let tokenizer = try Tokenizer(contentsOf: folder.appendingPathComponent(file))
      let json = try JSONValue(parsing: FileContents.read(path: folder.appendingPathComponent(name).path))
      for (index, item) in (json.items ?? []).enumerated() {
        guard let text = item["text"]?.string, let ids = item["ids"]?.integers else { continue }
        let tokens = try tokenizer.promptTokens(text)
        if tokens != ids { failures.append(CaseFailure(.values, place: "\(name)[\(index)]", "tokens \(tokens), expected \(ids)")) }
        if let expected = item["decoded"]?.string, tokenizer.decode(ids) != expected {
          failures.append(CaseFailure(.values, place: "\(name)[\(index)]", "text \"\(tokenizer.decode(ids))\", expected \"\(expected)\""))
        }
      }
    }
    return failures
  }

  // MARK: Conversations

  private func check(_ record: RunnerRecord) throws -> [CaseFailure] {
    guard let name = record.tokenizer else { throw CaseFailure(.malformedCase, place: "runner_cases.json", "tokenizer is missing") }
    let tokenizer = try tokenizer(name).0
    var models: [String: LanguageModel] = [:]
    var failures: [CaseFailure] = []
    for (number, conversation) in record.conversations.enumerated() {
      let path = conversation.model.map { "\(recorded.folder)/\($0)" } ?? recorded.modelPath
      let model = try models[path] ?? self.model(path)
      models[path] = model
      let generator = try TextGenerator(model, tokenizer)
      try generator.reset()
      for (index, step) in conversation.steps.enumerated() {
        guard case .call(let call) = step else {
          try generator.reset()
          continue
        }
        if let fault = fault(call, generator) {
          failures.append(CaseFailure(.values, place: "conversation \(number), call \(index)", fault))
          break
        }
      }
    }
    return failures
  }

  /// What is wrong with a call; nil if nothing is.
  private func fault(_ call: RunnerRecord.Call, _ generator: TextGenerator) -> String? {
    var pieces: [String] = []
    var failure: String?
    do {
      try generator.generate(call.prompt, call.options) {
        pieces.append($0)
        if pieces.count == call.stopCount { generator.stop() }
      }
    } catch {
      failure = "\(error)"
    }
    guard (failure != nil) == call.fails else { return failure ?? "an error was expected" }
    if let margin = call.leastMargin, margin <= noise { return nil }
    let text = pieces.joined()
    if let expected = call.pieces, expected != pieces { return "\(pieces), expected \(expected)" }
    if let expected = call.text, ![text, call.prompt + text].contains(expected), text != call.prompt + expected {
      return "\"\(text)\", expected \"\(expected)\""
    }
    return nil
  }
}
