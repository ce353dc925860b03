import MartletTensor

/// Layers that compute each element of the result from elements at the same place.
extension EspressoReader {
  func activation(_ layer: EspressoLayer) throws(EspressoFailure) -> (type: String, operation: NetworkOperation) {
    let alpha = try layer.float("alpha", default: 0)
    let beta = try layer.float("beta", default: 0)
    let mode = try layer.int("mode")
    let activation: NetworkActivation
    switch mode {
    case 0: activation = .relu
    case 1: activation = .tanh
    case 2: activation = .leakyReLU(alpha: alpha)
    case 3: activation = .sigmoid
    case 5: activation = .scaledTanh(alpha: alpha, beta: beta)
    case 6: activation = .linear(alpha: alpha, beta: beta)
    case 7: activation = .hardSigmoid(alpha: alpha, beta: beta)
    case 8: activation = .elu(alpha: alpha)
    case 9: activation = .thresholdedReLU(alpha: alpha)
    case 10: activation = .softplus
    case 12: activation = .softsign
    case 19: return ("gelu", .gelu(.exact))
    case 20: return ("erf", .function(.erf))
    case 21: return ("gelu", .gelu(.tanh))
    case 22: return ("gelu", .gelu(.sigmoid))
    default: throw .unsupported("activations of the mode \(mode) are not supported in compiled networks")
    }
    return ("activation", .activation(activation))
  }

  func elementwise(_ layer: EspressoLayer) throws(EspressoFailure) -> (type: String, operation: NetworkOperation) {
    let code = try layer.int("operation")
    let alpha = try layer.float("alpha", default: code == 0 && layer.inputs.count == 1 ? 0 : 1)
    let beta = try layer.float("beta", default: 0)
    // Blobs broadcast in either case; a rank of its own has each blob.
    _ = layer.has("nd_mode")
    func unsupported() -> EspressoFailure {
      .unsupported("elementwise layers of the operation \(code) with \(layer.inputs.count) inputs are not supported in compiled networks")
    }
    guard code == 119 || beta == 0 else { throw .unsupported("the layer has beta \(beta)") }
    switch layer.inputs.count {
    case 1:
      guard let result = try unary(code, alpha, beta, epsilon: try layer.float("eps", default: 0)) else { throw unsupported() }
      return result
    case 2...:
      guard let result = Self.combined(code, inputCount: layer.inputs.count) else { throw unsupported() }
      guard alpha == 1 else { throw .unsupported("the layer has alpha \(alpha)") }
      return result
    default: throw layer.damaged("bottom", "names no blob")
    }
  }

  /// Codes with one input, for which public descriptions agree.
  private func unary(
    _ code: Int, _ alpha: Float, _ beta: Float, epsilon: Float
  ) throws(EspressoFailure) -> (type: String, operation: NetworkOperation)? {
    func function(_ unary: NetworkUnary) -> (String, NetworkOperation) {
      ("unary", .unary(unary, alpha: alpha, epsilon: epsilon, scale: 1, shift: 0))
    }
    switch code {
    case 0, 2: return ("add", .accumulate(.add, constant: alpha))
    case 1, 3: return ("multiply", .accumulate(.multiply, constant: alpha))
    case 10: return function(.inverse)
    case 11: return function(.sqrt)
    case 12: return function(.rsqrt)
    case 13: return function(.power)
    case 24: return function(.abs)
    case 26: return function(.log)
    case 27: return function(.exp)
    case 119:
      guard alpha <= beta else { throw .unsupported("the layer clips to values from \(alpha) to \(beta)") }
      return ("clip", .clip(lower: alpha, upper: beta))
    default: return Self.functions[code].map { ($0.rawValue, .function($0)) }
    }
  }

  private static let functions: [Int: NetworkFunction] = [
    35: .exp2, 37: .round, 38: .sign, 114: .cos, 115: .sin, 117: .floor, 118: .ceil, 121: .tan, 122: .cosh, 123: .sinh, 124: .tanh,
    125: .acos, 126: .asin, 127: .atan, 128: .acosh, 129: .asinh, 130: .atanh,
  ]

  /// Codes with several inputs.
  private static func combined(_ code: Int, inputCount: Int) -> (type: String, operation: NetworkOperation)? {
    switch (code, inputCount) {
    case (0, _): ("add", .accumulate(.add, constant: 0))
    case (1, _): ("multiply", .accumulate(.multiply, constant: 1))
    case (22, _): ("min", .accumulate(.min, constant: 0))
    case (23, _): ("max", .accumulate(.max, constant: 0))
    case (13, 2): ("powBroadcastable", .binary(.power))
    case (33, 2): ("subtractBroadcastable", .binary(.subtract))
    case (36, 2): ("modBroadcastable", .binary(.modulo))
    case (102, 2): ("divideBroadcastable", .binary(.divide))
    case (1021, 2): ("floorDivBroadcastable", .binary(.floorDivide))
    case (100, 2): ("equal", .compare(.equal, constant: 0))
    case (107, 2): ("notEqual", .compare(.notEqual, constant: 0))
    case (101, 3): ("whereBroadcastable", .select)
    default: nil
    }
  }
}
