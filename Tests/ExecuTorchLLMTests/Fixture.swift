import ExecuTorchLLM

/// The models of Oracles/make_text_fixtures.py.
enum Fixture {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/text")

  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  static func runner(_ model: String) -> TextRunner {
    TextRunner(modelPath: path(model + ".pte"), tokenizerPath: path("tokenizer.json"))
  }

  /// Calls `body`, which must throw, and returns its error.
  static func error(_ body: () throws -> Void) -> NSError? {
    do {
      try body()
      return nil
    } catch {
      return error as NSError
    }
  }
}

extension TextRunner {
  /// The pieces of a call, without echo and at temperature 0 unless `block` changes that.
  func pieces(_ prompt: String, _ block: (Config) -> Void = { _ in }) throws -> [String] {
    var pieces: [String] = []
    let config = Config {
      $0.isEchoEnabled = false
      $0.temperature = 0
      block($0)
    }
    try generate(prompt, config) { pieces.append($0) }
    return pieces
  }
}
