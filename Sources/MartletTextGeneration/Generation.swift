/// How a generation ended, with counts and times.
package struct Generation: Sendable {
  package enum Ending: Sendable {
    /// The model gave a token that ends a text.
    case endToken
    /// No more tokens were asked for, or fit the context.
    case limit
    /// `stop()` was called.
    case stopped
  }

  /// Counts and times of a generation.
  package struct Statistics: Sendable {
    /// Tokens that the prompt has.
    package var promptTokenCount = 0
    /// Tokens that came after it, the end token included.
    package var generatedTokenCount = 0
    /// Time spent on tokenizing the prompt.
    package var encodingTime = Duration.zero
    /// Time that the model took to read the prompt.
    package var promptTime = Duration.zero
    /// Time from the call to the first token.
    package var firstTokenTime = Duration.zero
    /// Time from the first token to the last one, without that of the caller's function.
    package var generationTime = Duration.zero
    /// The part of it spent on choosing tokens.
    package var samplingTime = Duration.zero

    package init() {}

    /// Tokens of the prompt that the model read in a second; 0 if that took no time.
    package var promptRate: Double { rate(promptTokenCount, promptTime) }
    /// Tokens after the first one that came in a second.
    package var generationRate: Double { rate(max(generatedTokenCount - 1, 0), generationTime) }

    private func rate(_ count: Int, _ time: Duration) -> Double {
      let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
      return seconds > 0 ? Double(count) / seconds : 0
    }
  }

  package var statistics = Statistics()
  package var ending = Ending.limit
}
