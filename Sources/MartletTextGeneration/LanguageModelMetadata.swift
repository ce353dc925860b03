import MartletSystem
package import Martlet

/// Values of a language model's constant methods, with ExecuTorch's defaults for those that are missing.
package struct LanguageModelMetadata: Sendable, Hashable {
  /// `get_max_seq_len`, which every model must have: the most tokens of one call.
  package var maximumSequenceLength: Int
  /// `get_max_context_len`: positions that a conversation may use; by default `maximumSequenceLength`.
  package var maximumContextLength: Int
  /// `use_kv_cache`.
  package var usesCache = true
  /// `use_sdpa_with_kv_cache`.
  package var usesAttentionOperator = false
  /// `enable_dynamic_shape`: whether one call may take several tokens.
  package var hasDynamicShape = false
  /// `get_bos_id`: the token that begins a text.
  package var startToken: Int?
  /// `get_eos_ids`: the tokens that end a text; nil if the model has no such method.
  package var endTokens: [Int]?
  /// `get_vocab_size`.
  package var vocabularySize: Int?
  /// `get_n_layers`.
  package var layerCount: Int?

  /// Reads the constant methods of a program.
  /// - Throws: `GenerationError` if `get_max_seq_len` is missing or a value is not what it should be.
  package init(_ model: Model) throws {
    let names = Set(model.methods.map(\.name))
    func values(_ method: String) throws -> [Int]? {
      guard names.contains(method) else { return nil }
      return try model.constants(of: method)
    }
    func value(_ method: String) throws -> Int? {
      guard let values = try values(method) else { return nil }
      guard values.count == 1 else {
        throw GenerationError(.invalidModel, file: model.name, field: method, "gives \(values.count) values, not one")
      }
      return values[0]
    }
    func length(_ method: String) throws -> Int? {
      guard let length = try value(method) else { return nil }
      guard length > 0, length <= Int(Int32.max) else {
        throw GenerationError(.invalidModel, file: model.name, field: method, "is \(length)")
      }
      return length
    }
    guard let maximumSequenceLength = try length("get_max_seq_len") else {
      throw GenerationError(.invalidModel, file: model.name, field: "get_max_seq_len", "is missing")
    }
    self.maximumSequenceLength = maximumSequenceLength
    maximumContextLength = try length("get_max_context_len") ?? maximumSequenceLength
    if let value = try value("use_kv_cache") { usesCache = value != 0 }
    if let value = try value("use_sdpa_with_kv_cache") { usesAttentionOperator = value != 0 }
    if let value = try value("enable_dynamic_shape") { hasDynamicShape = value != 0 }
    startToken = try value("get_bos_id")
    endTokens = try values("get_eos_ids")
    vocabularySize = try length("get_vocab_size")
    layerCount = try value("get_n_layers")
  }

  /// True if positions beyond the context are reused, so that a conversation never fills it: models of a sliding window are exported with
  /// a sequence length below that of the context.
  package var reusesPositions: Bool { maximumSequenceLength < maximumContextLength }
}

extension Model {
  /// The numbers that a constant method returns; truth values are 0 and 1.
  fileprivate func constants(of method: String) throws -> [Int] {
    func fault(_ reason: String) -> GenerationError { GenerationError(.invalidModel, file: name, field: method, reason) }
    guard let declaration = programMethod(method), declaration.inputs.isEmpty else { throw fault("is not a constant method") }
    return try declaration.outputs.map { output in
      switch output {
      case .int(let value): return Int(clamping: value)
      case .bool(let value): return value ? 1 : 0
      case .double(let value):
        guard let integer = Int(exactly: value) else { throw fault("gives \(value), which is no integer") }
        return integer
      case .tensor, .string, .none: throw fault("gives a value that is no number")
      }
    }
  }
}
