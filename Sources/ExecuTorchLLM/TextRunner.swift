public import Foundation

/// Continues text with a language model in a file.
///
/// ```swift
/// let runner = TextRunner(modelPath: "model.pte", tokenizerPath: "tokenizer.json")
/// try runner.generate("Once upon a time", Config { $0.maximumNewTokens = 100 }) { token in
///   print(token, terminator: "")
/// }
/// ```
///
/// A runner keeps its conversation: a call goes on where the last one ended, until `reset()`. One thread at a time may use it, except for
/// `stop()`. Runners of the same file are independent.
open class TextRunner: NSObject {
  private let runner: Runner

  /// - Parameters:
  ///   - modelPath: the program, a `.pte` file. Nothing is read before it is loaded.
  ///   - tokenizerPath: a tokenizer of Hugging Face, Mistral (`tekken.json`), tiktoken, SentencePiece or llama2.c.
  public convenience init(modelPath: String, tokenizerPath: String) {
    self.init(modelPath: modelPath, tokenizerPath: tokenizerPath, specialTokens: [])
  }

  /// - Parameter specialTokens: the special tokens of a tiktoken file, which does not name them: the first begins a text, the second ends
  ///   one. Llama 3's if there are none; a single one is an error when the runner is loaded.
  public init(modelPath: String, tokenizerPath: String, specialTokens: [String]) {
    runner = Runner(modelPath: modelPath, tokenizerPath: tokenizerPath, specialTokens: specialTokens)
    super.init()
  }

  open func isLoaded() -> Bool { runner.isLoaded }

  /// Loads model and tokenizer, unless they are.
  /// - Throws: an error of `ErrorDomain` with the code -1 if a runner cannot be made of the files, otherwise a code of ExecuTorch's runtime.
  open func load() throws { try runner.load() }

  /// Continues the conversation by a prompt and what the model says to it.
  ///
  /// As many tokens come as `config` and the model's context leave room for, or until one ends the text.
  /// - Parameter tokenCallback: gets each token's text, in order and on this thread: `""` while a character is not complete.
  /// - Throws: besides what `load()` throws, `.invalidArgument` (18) if there is no room or a setting is out of range and `.invalidState`
  ///   (2) for an empty prompt. The conversation is then what it was before.
  open func generate(_ prompt: String, _ config: Config, tokenCallback: ((String) -> Void)? = nil) throws {
    try load()
    try runner.generate(prompt, config, tokenCallback)
  }

  /// Ends the present call after the current token, or after the part of the prompt that the model is reading. Any thread may call this.
  open func stop() { runner.stop() }

  /// Forgets the conversation; during a call, when that has ended.
  open func reset() { runner.reset() }
}
