package import Martlet

/// How a method of a language model takes tokens and gives logits, read from its declaration.
package struct DecoderMethod: Sendable, Hashable {
  /// The second input.
  package enum Positions: Sendable, Hashable {
    /// None: the method has no cache and takes all tokens at each call.
    case none
    /// One number: the position of the first token.
    case first
    /// The position of every token.
    case each
  }

  package let name: String
  package let positions: Positions
  /// Element types of the tokens and of the positions.
  package let tokenType: DType
  package let positionType: DType
  /// Tokens of one call: 1 up to this number, or exactly this number if `isFixed`.
  package let tokenLimit: Int
  package let isFixed: Bool
  /// Number of logits for a position; nil if the file does not say.
  package let logitCount: Int?

  /// - Throws: `GenerationError` if the method is not of this kind.
  package init(_ signature: MethodSignature, file: String) throws(GenerationError) {
    func fault(_ field: String, _ reason: String) -> GenerationError {
      GenerationError(.invalidModel, file: file, field: "\(signature.name).\(field)", reason)
    }
    name = signature.name
    guard (1...2).contains(signature.inputs.count) else {
      throw fault("inputs", "are \(signature.inputs.count) values, not tokens and perhaps their positions")
    }
    func integers(_ input: ValueSignature) throws(GenerationError) -> (DType, shape: [Int], isDynamic: Bool) {
      guard case .tensor(let type, let shape, let isDynamic) = input.kind, [.int64, .int32].contains(type) else {
        throw fault(input.name, "is \(input.kind.text), not a tensor of int64 or int32")
      }
      return (type.dtype, shape, isDynamic.contains(true))
    }
    let tokens = try integers(signature.inputs[0])
    guard tokens.shape.count == 2, tokens.isDynamic || tokens.shape[0] == 1 else {
      throw fault(signature.inputs[0].name, "is \(signature.inputs[0].kind.text), not [1, n]")
    }
    tokenType = tokens.0
    let width = tokens.shape[1] < 0 ? Int(Int32.max) : tokens.shape[1]
    guard width > 0 else { throw fault(signature.inputs[0].name, "takes no token") }
    tokenLimit = width
    isFixed = !tokens.isDynamic
    if signature.inputs.count == 2 {
      let position = try integers(signature.inputs[1])
      guard position.shape.count == 1 else {
        throw fault(signature.inputs[1].name, "is \(signature.inputs[1].kind.text), not [1] or [n]")
      }
      positionType = position.0
      positions = position.shape[0] == 1 ? .first : .each
    } else {
      positionType = .int64
      positions = .none
    }
    guard signature.outputs.count == 1, case .tensor(let type, let shape, _) = signature.outputs[0].kind else {
      throw fault("outputs", "are \(signature.outputs.map(\.kind.text)), not one tensor of logits")
    }
    guard [.float32, .float16, .bfloat16].contains(type), (1...3).contains(shape.count) else {
      throw fault(
        signature.outputs[0].name, "is \(signature.outputs[0].kind.text), not logits [1, V] or [1, n, V] of float32, float16 or bfloat16")
    }
    logitCount = shape.last.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The number of tokens that a call takes of those that are left; nil if it cannot take any.
  /// - Parameter limit: the most that the caller wants.
  package func chunk(of count: Int, limit: Int) -> Int? {
    if isFixed { return tokenLimit <= min(count, limit) ? tokenLimit : nil }
    return min(count, limit, tokenLimit)
  }
}
