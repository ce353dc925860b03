/// A function that a recurrent cell applies to a gate.
package struct RecurrentActivation: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case linear, sigmoid, tanh, relu
    /// `min(max(v, alpha), beta)`.
    case clamp
    /// `min(max(alpha × v + beta, 0), 1)`.
    case hardSigmoid
    /// `alpha × tanh(beta × v)`.
    case scaledTanh
  }

  package var kind: Kind
  package var alpha: Float
  package var beta: Float

  package init(_ kind: Kind, alpha: Float = 1, beta: Float = 1) {
    self.kind = kind
    self.alpha = alpha
    self.beta = beta
  }

  package static let linear = RecurrentActivation(.linear)
  package static let sigmoid = RecurrentActivation(.sigmoid)
  package static let tanh = RecurrentActivation(.tanh)
  package static let relu = RecurrentActivation(.relu)
}

/// The step of a recurrent layer.
package struct RecurrentCell: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// One gate: `h = activation(a)`.
    case plain
    /// Gates reset, new, update: `h = (1 − z) n + z h`, where the matrix of `n` is applied to `r h`.
    case gru
    /// As `gru`, but `n = activation(a + r (U h + b))`: the reset gate is applied after the matrix.
    case gruResetAfter
    /// Gates input, forget, output, cell: `c = f c + i g`, `h = o activation(c)`.
    case lstm
  }

  package var kind: Kind
  /// Activation of the reset, update, input, forget and output gates.
  package var gateActivation: RecurrentActivation
  /// Activation of an LSTM's cell gate.
  package var cellActivation: RecurrentActivation
  /// Activation of the new value: an LSTM's cell state before the output gate, a GRU's candidate, a plain cell's sum.
  package var activation: RecurrentActivation
  /// An LSTM's cell state is clamped to this magnitude.
  package var clip: Float?
  /// True if an LSTM's forget gate is one minus the input gate.
  package var couplesForgetGate: Bool

  package init(
    _ kind: Kind, gateActivation: RecurrentActivation = .sigmoid, cellActivation: RecurrentActivation = .tanh,
    activation: RecurrentActivation = .tanh, clip: Float? = nil, couplesForgetGate: Bool = false
  ) {
    self.kind = kind
    self.gateActivation = gateActivation
    self.cellActivation = cellActivation
    self.activation = activation
    self.clip = clip
    self.couplesForgetGate = couplesForgetGate
  }

  package var gateCount: Int {
    switch kind {
    case .plain: 1
    case .gru, .gruResetAfter: 3
    case .lstm: 4
    }
  }
}
