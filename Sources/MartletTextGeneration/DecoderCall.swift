package import Martlet

/// Runs a method of a language model, again and again in the same memory.
///
/// Warm calls with the same number of tokens set no input: they write numbers where the inputs lie.
@safe
package final class DecoderCall {
  package let method: DecoderMethod
  private let invocation: Invocation
  private var tokens: TensorStorage
  private var positions: TensorStorage
  private var logits: TensorStorage?
  private var logitType: TensorType?
  /// The number of tokens that the inputs have been set to.
  private var tokenCount = 0

  /// Loads the method.
  package init(_ model: Model, _ method: DecoderMethod) throws {
    self.method = method
    try model.load(method: method.name)
    invocation = try model.makeInvocation(of: method.name)
    tokens = TensorStorage(zeroedByteCount: method.tokenType.byteCount)
    positions = TensorStorage(zeroedByteCount: method.positionType.byteCount)
  }

  /// Plans that calls of this object have made so far.
  package var plansMade: Int { invocation.plansMade }

  /// Computes the logits of tokens.
  /// - Parameter position: that of the first token.
  /// - Returns: the memory of the logits, valid until the next run, and their type.
  /// - Throws: the errors of runs.
  package func run(_ ids: ArraySlice<Int>, at position: Int) throws -> (TensorStorage, TensorType) {
    if ids.count * method.tokenType.byteCount > tokens.byteCount {
      tokenCount = 0
      tokens = try TensorStorage.zeroed(allocating: ids.count * method.tokenType.byteCount)
      positions = try TensorStorage.zeroed(allocating: ids.count * method.positionType.byteCount)
    }
    for (index, id) in ids.enumerated() { store(id, in: tokens, method.tokenType, at: index) }
    switch method.positions {
    case .none: break
    case .first: store(position, in: positions, method.positionType, at: 0)
    case .each: for index in 0..<ids.count { store(position + index, in: positions, method.positionType, at: index) }
    }
    if tokenCount != ids.count {
      tokenCount = 0
      try invocation.setInput(0, to: TensorType(method.tokenType, [1, ids.count]), in: tokens)
      switch method.positions {
      case .none: break
      case .first: try invocation.setInput(1, to: TensorType(method.positionType, [1]), in: positions)
      case .each: try invocation.setInput(1, to: TensorType(method.positionType, [ids.count]), in: positions)
      }
      tokenCount = ids.count
    }
    try invocation.run { _, type in
      logitType = type
      if let logits, logits.byteCount >= type.byteCount { return logits }
      let storage = try TensorStorage(allocating: type.byteCount)
      logits = storage
      return storage
    }
    guard let logits, let logitType else { preconditionFailure("a method with one output ran without asking for its memory") }
    return (logits, logitType)
  }

  private func store(_ value: Int, in storage: TensorStorage, _ dtype: DType, at index: Int) {
    if dtype == .int32 {
      unsafe storage.pointer.storeBytes(of: Int32(clamping: value), toByteOffset: index * 4, as: Int32.self)
    } else {
      unsafe storage.pointer.storeBytes(of: Int64(value), toByteOffset: index * 8, as: Int64.self)
    }
  }
}
