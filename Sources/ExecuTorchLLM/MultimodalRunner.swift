import ExecuTorch
public import Foundation

/// Continues text, images and audio with a language model in a file. So far it takes text only.
public final class MultimodalRunner: NSObject {
  private let runner: Runner

  /// - Parameters:
  ///   - modelPath: the program, a `.pte` file. Nothing is read before it is loaded.
  ///   - tokenizerPath: a tokenizer, as for `TextRunner`.
  public init(modelPath: String, tokenizerPath: String) {
    runner = Runner(modelPath: modelPath, tokenizerPath: tokenizerPath)
    super.init()
  }

  public func isLoaded() -> Bool { runner.isLoaded }

  /// Loads model and tokenizer, unless they are.
  public func load() throws { try runner.load() }

  /// Continues the conversation by inputs and what the model says to them.
  /// - Throws: besides what `TextRunner.generate` throws, `.notSupported` (16) for an image or audio.
  public func generate(_ inputs: [MultimodalInput], _ config: Config, tokenCallback: ((String) -> Void)? = nil) throws {
    try load()
    guard !inputs.isEmpty else { throw failure(.invalidArgument, "there are no inputs") }
    let texts = inputs.compactMap(\.text)
    guard texts.count == inputs.count else { throw failure(.notSupported, "images and audio are not supported yet") }
    try runner.generate(texts.joined(), config, tokenCallback)
  }

  /// Ends the present call after the current token, or after the part of the prompt that the model is reading. Any thread may call this.
  public func stop() { runner.stop() }

  /// Forgets the conversation; during a call, when that has ended.
  public func reset() { runner.reset() }
}
