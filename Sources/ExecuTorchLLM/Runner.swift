import ExecuTorch
import Foundation
import Martlet
import MartletTextGeneration

/// The common part of the two runners: files, and the generator, which is made of them when it is needed.
final class Runner {
  private struct State {
    var generator: TextGenerator?
    var isGenerating = false
    /// True if the conversation is to be forgotten when the present call ends.
    var resetsAfterwards = false
  }

  private let modelPath: String
  private let tokenizerPath: String
  private let specialTokens: [String]
  private let state = Guarded(State())

  init(modelPath: String, tokenizerPath: String, specialTokens: [String] = []) {
    self.modelPath = modelPath
    self.tokenizerPath = tokenizerPath
    self.specialTokens = specialTokens
  }

  var isLoaded: Bool { state.withLock { $0.generator != nil } }

  func load() throws { try state.withLock { _ = try loaded(&$0) } }

  private func loaded(_ state: inout State) throws -> TextGenerator {
    if let generator = state.generator { return generator }
    guard specialTokens.count != 1 else {
      throw creationFailure(
        GenerationError(.invalidArgument, field: "specialTokens", "there is one, which cannot both begin and end a text"))
    }
    let parts: TextGenerator.Parts
    do {
      parts = try TextGenerator.Parts(
        model: URL(fileURLWithPath: modelPath), tokenizer: URL(fileURLWithPath: tokenizerPath), specialTokens: specialTokens)
    } catch {
      throw creationFailure(error)
    }
    do {
      let generator = try TextGenerator(parts)
      state.generator = generator
      return generator
    } catch {
      throw failure(error)
    }
  }

  func generate(_ prompt: String, _ config: Config, _ callback: ((String) -> Void)?) throws {
    let generator = try state.withLock { state in
      guard !state.isGenerating else { throw failure(.invalidState, "the runner is generating") }
      let generator = try loaded(&state)
      state.isGenerating = true
      return generator
    }
    defer { finish(generator) }
    do {
      let generation = try generator.generate(prompt, config.options) { callback?($0) }
      let statistics = generation.statistics
      MartletLog.Log.info(
        "\(statistics.promptTokenCount) tokens of a prompt read, \(statistics.promptRate) a second; "
          + "\(statistics.generatedTokenCount) generated, \(statistics.generationRate) a second; "
          + "the first after \(statistics.firstTokenTime)")
    } catch {
      throw failure(error)
    }
  }

  private func finish(_ generator: TextGenerator) {
    state.withLock { state in
      state.isGenerating = false
      guard state.resetsAfterwards else { return }
      state.resetsAfterwards = false
      forget(generator)
    }
  }

  private func forget(_ generator: TextGenerator) {
    do {
      try generator.reset()
    } catch {
      MartletLog.Log.error("a conversation cannot be forgotten: \(error)")
    }
  }

  func stop() { state.withLock { $0.generator }?.stop() }

  func reset() {
    state.withLock { state in
      guard let generator = state.generator else { return }
      if state.isGenerating {
        state.resetsAfterwards = true
      } else {
        forget(generator)
      }
    }
  }
}
