package import FoundationEssentials
package import Martlet

/// A program that continues tokens: its file, what it says about itself, and the methods that compute logits.
package struct LanguageModel: Sendable {
  package let model: Model
  package let metadata: LanguageModelMetadata
  /// The method for prompts, and the one for single tokens; the same unless the program has two.
  package let prefill: DecoderMethod
  package let decode: DecoderMethod

  /// Opens a program. Its methods are loaded with the first session.
  /// - Parameter options: as for any model; methods share their states if the program has two for tokens.
  /// - Throws: `GenerationError` for a program that is no language model, and `MartletError`.
  package init(contentsOf url: URL, options: ModelOptions = ModelOptions()) throws {
    var model = try Model(contentsOf: url, options: options)
    if model.prefillAndDecode != nil, !options.sharesStateBetweenMethods {
      var options = options
      options.sharesStateBetweenMethods = true
      model = try Model(contentsOf: url, options: options)
    }
    try self.init(model)
  }

  /// - Parameter model: a program whose methods share their states if it has `prefill` and `decode`.
  package init(_ model: Model) throws {
    self.model = model
    guard model.program != nil else {
      throw GenerationError(.invalidModel, file: model.name, "is not an ExecuTorch program")
    }
    metadata = try LanguageModelMetadata(model)
    let pair = model.prefillAndDecode ?? (prefill: "forward", decode: "forward")
    func method(_ name: String) throws -> DecoderMethod {
      guard let signature = model.methods.first(where: { $0.name == name }) else {
        throw GenerationError(.invalidModel, file: model.name, field: name, "is missing")
      }
      return try DecoderMethod(signature, file: model.name)
    }
    prefill = try method(pair.prefill)
    decode = pair.decode == pair.prefill ? prefill : try method(pair.decode)
    if decode.positions != .none, decode.isFixed, decode.tokenLimit != 1 {
      throw GenerationError(
        .invalidModel, file: model.name, field: decode.name, "takes \(decode.tokenLimit) tokens at once, and never one")
    }
  }

  /// True if the model keeps no cache, so that each call takes all tokens.
  package var hasNoCache: Bool { decode.positions == .none }

  /// The number of logits for a position, if the file says.
  package var logitCount: Int? { decode.logitCount ?? prefill.logitCount }
}

extension Model {
  /// The methods of a program that has two of them in place of `forward`.
  fileprivate var prefillAndDecode: (prefill: String, decode: String)? {
    let names = Set(methods.map(\.name))
    return !names.contains("forward") && names.isSuperset(of: ["prefill", "decode"]) ? ("prefill", "decode") : nil
  }
}
