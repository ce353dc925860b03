import ArgumentParser
import FoundationEssentials
import MartletBytes
import MartletSystem
import Martlet
import MartletTensor
import MartletTextGeneration
import MartletTokenizers

struct CompleteCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    abstract: "Continues text with a language model.",
    discussion: """
      Without a model, continues a story with the bundled one, which knows only short stories for children. Text goes to \
      standard output as it is made, figures go to standard error.

        martlet complete --prompt "Once upon a time"
        martlet complete llama.pte --tokenizer tokenizer.json --prompt "The capital of France is" --temperature 0
        cat question.txt | martlet complete llama.pte --tokenizer tokenizer.model --max-tokens 200

      MODEL is a program as ExecuTorch's LLM exporter writes it. The text ends where the model ends it, after --max-tokens, or \
      when the model's context is full. Ctrl-C ends it with status 130.
      """)

  @Argument(help: ArgumentHelp("The model (.pte); default: the bundled story model.", valueName: "model"))
  var path: String?

  @Option(
    help: ArgumentHelp(
      "The model's tokenizer: tokenizer.json, tekken.json, a SentencePiece, tiktoken or llama2.c file, or a folder with one.",
      valueName: "file"))
  var tokenizer: String?

  @Option(help: "The text to continue; default: standard input, without its last line break.")
  var prompt: String?

  @Option(help: ArgumentHelp("The most tokens to make.", valueName: "count"))
  var maxTokens: Int?

  @Option(help: "How far choices stray from the most likely token: 0 never does; default: 0.8, and 0.4 for the bundled model.")
  var temperature: Float?

  @Option(help: "Choose among the most likely tokens whose probabilities add up to this number (0...1); 1: among all.")
  var topP: Float = 0.9

  @Option(help: ArgumentHelp("Choose among this many of the most likely tokens; 0: among all.", valueName: "count"))
  var topK = 0

  @Option(help: "Makes the choices repeatable; default: another seed each time, which is shown.")
  var seed: UInt64?

  @Flag(help: "Print the prompt before its continuation.")
  var echo = false

  @Option(
    name: .customLong("data"), parsing: .singleValue,
    help: ArgumentHelp("A file with the program's external weights (.ptd); may be repeated.", valueName: "file"))
  var dataFiles: [String] = []

  @Option(help: "Threads to compute with; without it one for each processor that the process may use.")
  var threads: Int?

  @Option(help: Precision.help, transform: Precision.named)
  var precision = Precision.exact

  @Flag(help: "Print JSON at the end instead of text.")
  var json = false

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func validate() throws {
    if let maxTokens, maxTokens < 1 { throw ValidationError("--max-tokens must be at least 1, not \(maxTokens).") }
    if let temperature, !(temperature >= 0 && temperature.isFinite) {
      throw ValidationError("--temperature must be at least 0, not \(temperature).")
    }
    if !(topP > 0 && topP <= 1) { throw ValidationError("--top-p must be more than 0 and at most 1, not \(topP).") }
    if topK < 0 { throw ValidationError("--top-k must be at least 0, not \(topK).") }
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1, not \(threads).") }
    if path != nil, tokenizer == nil { throw ValidationError("Give the model's --tokenizer.") }
    if path == nil, tokenizer != nil { throw ValidationError("Give the model that --tokenizer belongs to.") }
  }

  func run() throws {
    let clock = ContinuousClock()
    var options = limits.begin(reading: files)
    options.threads = threads
    options.precision = precision
    options.dataFiles = dataFiles.map { URL(fileURLWithPath: $0) }
    let prompt = try readPrompt()
    let start = clock.now
    let modelPath = try path ?? Resources.path(of: "story.pte")
    try requireFile(modelPath)
    let tokenizer = try TokenizerFile.open(self.tokenizer ?? Resources.path(of: "story_tokenizer.json"))
    let model = try LanguageModel(contentsOf: URL(fileURLWithPath: modelPath), options: options)
    let seed = seed ?? .random(in: 0...UInt64(UInt32.max))
    let generator = try TextGenerator(model, tokenizer, seed: seed)
    let loadTime = clock.now - start

    let output = TextOutput(isKept: json, endings: generator.endTokens.map { tokenizer.decode([$0], skipsSpecialTokens: false) })
    let (statistics, ending) = try generate(generator, after: prompt, to: output)
    let report = CompletionReport(
      modelPath: modelPath, prompt: prompt, text: output.text, seed: seed, loadTime: loadTime, statistics: statistics, ending: ending,
      threads: model.model.threads, weights: WeightTraffic(of: model, options))
    if json {
      print(report.json.text)
    } else {
      try output.endLine()
      OutputDescriptor.write(report.lines + "\n", to: STDERR_FILENO)
    }
    if ending == .stopped { throw ExitCode(Interruption.exitStatus) }
  }

  private func readPrompt() throws -> String {
    var prompt = try self.prompt ?? StandardInput.text(as: "the text to continue with --prompt")
    if self.prompt == nil, prompt.last?.isNewline == true { prompt.removeLast() }
    if prompt.isEmpty { throw CommandFailure("the prompt is empty: there is nothing to continue") }
    return prompt
  }

  private func generate(_ generator: TextGenerator, after prompt: String, to output: TextOutput) throws
    -> (Generation.Statistics, Generation.Ending)
  {
    var settings = TextGenerator.Options()
    settings.maximumTokenCount = maxTokens
    settings.sampling = Sampler.Settings(temperature: temperature ?? (path == nil ? 0.4 : 0.8), topP: topP, topK: topK)
    let tokens = try tokens(of: prompt, generator)
    if echo { try output.write(prompt) }
    let cancellation = Cancellation.current
    let clock = ContinuousClock()
    let start = clock.now
    // The figures of a run that a signal ends with an error.
    var counted = Generation.Statistics()
    do {
      let generation = try generator.generate(tokens: tokens, settings) { piece in
        try output.write(piece)
        let time = clock.now - start
        if counted.generatedTokenCount == 0 { counted.firstTokenTime = time }
        counted.generatedTokenCount += 1
        counted.generationTime = time - counted.firstTokenTime
        if cancellation?.isCancelled == true { generator.stop() }
      }
      return (generation.statistics, generation.ending)
    } catch  where cancellation?.isCancelled == true {
      return (counted, .stopped)
    }
  }

  /// The prompt's tokens, behind the one that begins a text if the tokenizer adds it or the model names it.
  private func tokens(of prompt: String, _ generator: TextGenerator) throws -> [Int] {
    let tokenizer = generator.tokenizer
    let tokens = try tokenizer.promptTokens(prompt, startCount: tokenizer.startID == nil ? 0 : 1)
    guard let start = generator.model.metadata.startToken, tokens.first != start else { return tokens }
    return [start] + tokens
  }
}
