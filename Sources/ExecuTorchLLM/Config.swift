public import Foundation
import Martlet
import MartletTextGeneration

/// How text is generated.
///
/// ```swift
/// let config = Config {
///   $0.temperature = 0
///   $0.sequenceLength = 128
/// }
/// ```
public final class Config: NSObject, NSCopying {
  /// True, the default, if the callback gets the prompt as its first piece.
  public var isEchoEnabled = true
  /// The most tokens to generate; -1 for as many as fit.
  public var maximumNewTokens = -1
  /// True for a run that only warms up. It gives the same tokens.
  public var isWarming = false
  /// The most tokens of the conversation as a whole; -1 for as many as fit.
  public var sequenceLength = -1
  /// From 0, always the most likely token, to 1. Above 0, tokens are chosen among those that make up nine tenths of the probability; the
  /// first one after a prompt is the most likely one in any case.
  public var temperature = 0.8
  /// Number of tokens before the prompt that begin a text.
  public var bosCount = 0
  /// Number of tokens after the prompt that end a text.
  public var eosCount = 0

  public override init() { super.init() }

  /// Makes a configuration and has `block` change it.
  public convenience init(_ block: (Config) -> Void) {
    self.init()
    block(self)
  }

  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = Config()
    copy.isEchoEnabled = isEchoEnabled
    copy.maximumNewTokens = maximumNewTokens
    copy.isWarming = isWarming
    copy.sequenceLength = sequenceLength
    copy.temperature = temperature
    copy.bosCount = bosCount
    copy.eosCount = eosCount
    return copy
  }
}

extension Config {
  var options: TextGenerator.Options {
    var options = TextGenerator.Options()
    options.maximumTokenCount = maximumNewTokens == -1 ? nil : maximumNewTokens
    options.maximumLength = sequenceLength == -1 ? nil : sequenceLength
    options.sampling = Sampler.Settings(temperature: Float(temperature), topP: 0.9)
    options.echoesPrompt = isEchoEnabled
    options.startTokenCount = bosCount
    options.endTokenCount = eosCount
    options.choosesFirstTokenAsUpstream = true
    return options
  }
}
