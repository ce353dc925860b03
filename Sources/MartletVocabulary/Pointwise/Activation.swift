/// A function applied to results before they are stored (`mk_activation` in `martlet_gemm.h`).
package struct Activation: Sendable, Hashable {
  package enum Kind: Int32, Sendable, Hashable {
    case none = 0
    case clamp, hardswish, hardsigmoid, leakyRelu, silu, sigmoid, tanh, geluErf, geluTanh, elu
  }

  package var kind: Kind
  package var low: Float
  package var high: Float

  package init(_ kind: Kind, low: Float? = nil, high: Float = 0) {
    self.kind = kind
    self.low = low ?? (kind == .hardswish ? -.infinity : 0)
    self.high = high
  }

  package static let none = Activation(.none)
  package static let relu = Activation(.clamp, low: 0, high: .infinity)
  /// Hard-swish that is 0 below `from`, which is at most -3. It differs from hard-swish only at -∞ and NaN, where it is also 0.
  package static func hardswish(from: Float) -> Activation { Activation(.hardswish, low: from) }
  package static func clamp(_ low: Float, _ high: Float) -> Activation { Activation(.clamp, low: low, high: high) }
}

extension Activation.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .none: "none"
    case .clamp: "clamp"
    case .hardswish: "hardswish"
    case .hardsigmoid: "hardsigmoid"
    case .leakyRelu: "leakyRelu"
    case .silu: "silu"
    case .sigmoid: "sigmoid"
    case .tanh: "tanh"
    case .geluErf: "geluErf"
    case .geluTanh: "geluTanh"
    case .elu: "elu"
    }
  }
}

extension Activation: CustomStringConvertible {
  package var description: String {
    switch kind {
    case .clamp: "clamp(\(low), \(high))"
    case .leakyRelu, .elu: "\(kind)(\(low))"
    case .hardswish where low > -.infinity: "\(kind)(from \(low))"
    default: "\(kind)"
    }
  }
}
