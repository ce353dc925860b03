import Martlet
import Synchronization

/// A conversation with a language model in tokens: what the model has read, and the logits of what comes next.
///
/// One thread at a time may use a session, except for `stop()`. A model has one session at a time, because the cache is the model's.
package final class TokenSession {
  package let model: LanguageModel
  /// The number of tokens that the model has read.
  package private(set) var position = 0
  /// The logits after the last token that the model has read.
  package private(set) var logits = Logits()
  /// The tokens of the last prompt and what followed, if the model keeps no cache.
  private var history: [Int] = []
  private var single = [0]
  private let prefillCall: DecoderCall
  private let decodeCall: DecoderCall
  private let chunkLimit: Int
  private let stopping = StopFlag()

  /// Loads the model's methods.
  /// - Parameter chunkLimit: the most tokens of a prompt that the model reads at once; nil for as many as it takes.
  package init(_ model: LanguageModel, chunkLimit: Int? = nil) throws {
    self.model = model
    self.chunkLimit = min(chunkLimit ?? .max, model.metadata.maximumSequenceLength)
    prefillCall = try DecoderCall(model.model, model.prefill)
    decodeCall = model.decode == model.prefill ? prefillCall : try DecoderCall(model.model, model.decode)
  }

  // MARK: Reading

  /// Reads a prompt, in chunks that the model takes. `stop()` takes effect between two of them.
  ///
  /// A model without a cache forgets what it has read before.
  /// - Throws: `GenerationError` if the tokens do not fit the context, and the errors of runs. The position is then where reading ended.
  package func read(_ tokens: [Int]) throws {
    try checkRoom(tokens.count)
    if model.hasNoCache {
      history = tokens
      try computeHistory()
      position += tokens.count
      return
    }
    var rest = tokens[...]
    while !rest.isEmpty, !isStopping {
      let call = prefillCall.method.chunk(of: rest.count, limit: chunkLimit) == nil ? decodeCall : prefillCall
      let count = call.method.chunk(of: rest.count, limit: chunkLimit) ?? 1
      try compute(rest.prefix(count), call)
      position += count
      rest = rest.dropFirst(count)
    }
  }

  /// Reads one token more.
  package func read(_ token: Int) throws {
    try checkRoom(1)
    if model.hasNoCache {
      history.append(token)
      try computeHistory()
    } else {
      single[0] = token
      try compute(single[...], decodeCall)
    }
    position += 1
  }

  /// Positions of the context that are taken: none where they are used again.
  var takenCount: Int { model.metadata.reusesPositions ? 0 : position }

  private func checkRoom(_ count: Int) throws(GenerationError) {
    let context = model.metadata.maximumContextLength
    guard count > 0 else { throw GenerationError(.invalidArgument, "there is no token to read") }
    guard count <= context - takenCount else {
      throw GenerationError(
        .invalidArgument, file: model.model.name, "\(count) tokens at position \(position) do not fit a context of \(context)")
    }
  }

  private func computeHistory() throws {
    guard let count = prefillCall.method.chunk(of: history.count, limit: .max), count == history.count else {
      throw GenerationError(
        .invalidArgument, file: model.model.name, field: prefillCall.method.name,
        "takes \(prefillCall.method.tokenLimit) tokens, not \(history.count)")
    }
    try compute(history[...], prefillCall)
  }

  private func compute(_ tokens: ArraySlice<Int>, _ call: DecoderCall) throws {
    let (storage, type) = try call.run(tokens, at: position)
    try logits.load(storage, type)
  }

  // MARK: Control

  /// Ends what another thread has this session do after the current token, or the current chunk of a prompt.
  package func stop() { stopping.isSet.store(true, ordering: .relaxed) }

  /// True if `stop()` has been called since `begin()`.
  package var isStopping: Bool { stopping.isSet.load(ordering: .relaxed) }

  /// Makes earlier calls of `stop()` have no effect.
  package func begin() { stopping.isSet.store(false, ordering: .relaxed) }

  /// Calls `body` and goes back to the position before if it fails.
  package func undoing<Result>(_ body: () throws -> Result) throws -> Result {
    let start = position
    do {
      return try body()
    } catch {
      position = start
      throw error
    }
  }

  /// Forgets everything that the model has read.
  package func reset() throws {
    position = 0
    history = []
    try model.model.resetState()
  }
}

/// A flag that threads share.
private final class StopFlag: Sendable {
  let isSet = Atomic(false)
}
