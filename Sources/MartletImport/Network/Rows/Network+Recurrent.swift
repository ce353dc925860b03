import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Recurrent layers on sequences [Seq, Batch, C, 1, 1]. Their states are [1, Batch, C, 1, 1].
extension NetworkCall {
  func add(_ layer: NetworkRecurrent) throws {
    let cell = RecurrentCell(.plain, activation: layer.activation.recurrent(isClipped: true))
    let shapes = (inputs: [layer.outputSize, layer.inputSize], hidden: [layer.outputSize, layer.outputSize])
    let weights = RecurrentWeights(
      input: try weights(layer.weights, shape: shapes.inputs), hidden: try weights(layer.recursion, shape: shapes.hidden),
      inputBias: try layer.bias.map { try self.weights($0, shape: [layer.outputSize]) })
    try recur(cell, givesSequence: layer.givesSequence, isReversed: layer.isReversed, weights, size: layer.outputSize)
  }

  func add(_ layer: NetworkGRU) throws {
    let cell = RecurrentCell(
      .gru, gateActivation: layer.gateActivation.recurrent(isClipped: true),
      activation: layer.outputActivation.recurrent(isClipped: true))
    let gates: [RecurrentGate: NetworkGate] = [.update: layer.update, .reset: layer.reset, .new: layer.output]
    let weights = try weights(gates, for: .gru, inputSize: layer.inputSize, outputSize: layer.outputSize)
    try recur(cell, givesSequence: layer.givesSequence, isReversed: layer.isReversed, weights, size: layer.outputSize)
  }

  func add(_ layer: NetworkLSTM) throws {
    func weights(_ direction: NetworkLSTM.Direction) throws -> RecurrentWeights {
      let gates: [RecurrentGate: NetworkGate] = [
        .input: direction.input, .forget: direction.forget, .output: direction.output, .cell: direction.cell,
      ]
      return try self.weights(gates, for: .lstm, inputSize: layer.inputSize, outputSize: layer.outputSize)
    }
    guard let backward = layer.backward else {
      return try recur(
        layer.cell(layer.forward), givesSequence: layer.givesSequence, isReversed: layer.isReversed, try weights(layer.forward),
        size: layer.outputSize)
    }
    let x = try sequence(try input())
    var results: [[ValueID]] = []
    for (position, direction) in [layer.forward, backward].enumerated() {
      let op = Recurrence(layer.cell(direction), isReversed: position > 0, givesSequence: layer.givesSequence)
      results.append(
        try recurrence(
          op, x, hidden: try state(2 * position + 1, size: layer.outputSize), memory: try state(2 * position + 2, size: layer.outputSize),
          try weights(direction)))
    }
    try set(try spread(try applied(Concat(axis: 2, dtype: .float32), [results[0][0], results[1][0]])))
    for (position, value) in (results[0].dropFirst() + results[1].dropFirst()).enumerated() {
      try setState(value, output: position + 1)
    }
  }

  /// Appends one direction of a layer, whose inputs after the first are its initial states.
  private func recur(
    _ cell: RecurrentCell, givesSequence: Bool, isReversed: Bool, _ weights: RecurrentWeights, size: Int
  ) throws {
    // The states of a reversed layer are in the order of the steps. Derivatives need the states of all steps, in the order of the inputs.
    let isTrained = importer.changingWeights != nil && !givesSequence
    let op = Recurrence(cell, isReversed: isReversed, keepsStepOrder: !isTrained, givesSequence: givesSequence || isTrained)
    let results = try recurrence(
      op, try sequence(try input()), hidden: try state(1, size: size), memory: cell.kind == .lstm ? try state(2, size: size) : nil, weights)
    try set(try spread(isTrained ? try unsqueezed(results[1], axis: 0) : results[0]))
    for (position, value) in results.dropFirst().enumerated() { try setState(value, output: position + 1) }
  }

  // MARK: Shapes

  /// [Seq, Batch, C] of a blob [Seq, Batch, C, 1, 1].
  private func sequence(_ blob: ValueID) throws -> ValueID {
    let extents = try extents(of: blob)
    switch extents.count {
    case 5: return try reshaped(blob, [extents[0], extents[1], try product(of: blob, axes: 2..<5)])
    case 3: return blob
    default: throw CallError("a sequence has rank 5, not \(extents.count)")
    }
  }

  /// [Seq, Batch, C, 1, 1] of the states of all steps.
  private func spread(_ states: ValueID) throws -> ValueID {
    try rank(try input()) == 3 ? states : try unsqueezed(states, trailing: 2)
  }

  /// An initial state as [Batch, C]; nil for zeros.
  private func state(_ position: Int, size: Int) throws -> ValueID? {
    guard let blob = try optionalInput(position) else { return nil }
    return try reshaped(blob, [GraphNumber(-1), GraphNumber(size)])
  }

  private func setState(_ state: ValueID, output position: Int) throws {
    guard position < layer.outputs.count else { return }
    let row = try unsqueezed(state, axis: 0)
    try set(try rank(try input()) == 3 ? row : try unsqueezed(row, trailing: 2), output: position)
  }

  // MARK: Weights

  private func weights(
    _ gates: [RecurrentGate: NetworkGate], for kind: RecurrentCell.Kind, inputSize: Int, outputSize: Int
  ) throws -> RecurrentWeights {
    func stacked(_ part: (RecurrentGate, NetworkGate) throws -> ValueID?) throws -> ValueID? {
      var parts: [RecurrentGate: ValueID] = [:]
      for gate in kind.gates {
        guard let weights = gates[gate], let value = try part(gate, weights) else { return nil }
        parts[gate] = value
      }
      return try self.stacked(parts, for: kind)
    }
    let size = [outputSize]
    let zeros = Constant(HostTensor(zeros: .float32, shape: size))
    guard let input = try stacked({ _, gate in try weights(gate.weights, shape: [outputSize, inputSize]) }),
      let hidden = try stacked({ _, gate in try weights(gate.recursion, shape: [outputSize, outputSize]) })
    else { throw CallError("the weights of a gate are missing") }
    var result = RecurrentWeights(input: input, hidden: hidden)
    // A coupled forget gate has no bias of its own.
    if gates.values.contains(where: { $0.bias != nil }) {
      result.inputBias = try stacked { _, gate in try gate.bias.map { try weights($0, shape: size) } ?? builder.addConstant(zeros) }
    }
    let peepholes = try [RecurrentGate.input, .forget, .output].map { gate in
      try gates[gate]?.peephole.map { try weights($0, shape: size) }
    }
    if peepholes.contains(where: { $0 != nil }) {
      let parts = peepholes.map { $0 ?? builder.addConstant(zeros) }
      result.peephole = try applied(Concat(axis: 0, dtype: .float32), parts)
    }
    return result
  }
}

extension NetworkLSTM {
  fileprivate func cell(_ direction: Direction) -> RecurrentCell {
    RecurrentCell(
      .lstm, gateActivation: direction.gateActivation.recurrent(isClipped: true),
      cellActivation: direction.inputActivation.recurrent(isClipped: true),
      activation: direction.outputActivation.recurrent(isClipped: false), clip: clip, couplesForgetGate: isCoupled)
  }
}

extension NetworkActivation {
  /// The function of a recurrent layer. A linear one has no parameters.
  /// - Parameter isClipped: true if its argument is limited to -50 … 50, which only the functions without limits show.
  fileprivate func recurrent(isClipped: Bool) -> RecurrentActivation {
    switch self {
    case .sigmoid: .sigmoid
    case .tanh: .tanh
    case .relu: isClipped ? RecurrentActivation(.clamp, alpha: 0, beta: 50) : .relu
    // Without parameters they have the standard ones, as in coremltools' tests.
    case .scaledTanh(let alpha, let beta):
      alpha == 0 && beta == 0 ? .tanh : RecurrentActivation(.scaledTanh, alpha: alpha, beta: beta)
    case .hardSigmoid(let alpha, let beta):
      alpha == 0 && beta == 0
        ? RecurrentActivation(.hardSigmoid, alpha: 0.2, beta: 0.5) : RecurrentActivation(.hardSigmoid, alpha: alpha, beta: beta)
    default: isClipped ? RecurrentActivation(.clamp, alpha: -50, beta: 50) : .linear
    }
  }
}
