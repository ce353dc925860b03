package import MartletGraph
package import MartletVocabulary
package import MartletOps
import MartletTensor

/// A part of a recurrent layer's weights. Formats stack the parts in different orders or store them separately.
package enum RecurrentGate: Sendable, Hashable {
  case input, forget, output, cell
  case reset, new, update
  /// The only part of a simple RNN layer.
  case sum
}

extension RecurrentCell.Kind {
  /// The order of the gates in operands of `Recurrence`.
  package var gates: [RecurrentGate] {
    switch self {
    case .plain: [.sum]
    case .gru, .gruResetAfter: [.reset, .new, .update]
    case .lstm: [.input, .forget, .output, .cell]
    }
  }
}

/// The weights of one direction of a recurrent layer, with gates in the order of `RecurrentCell.Kind.gates`.
package struct RecurrentWeights {
  /// `[gates × H, I]`.
  package var input: ValueID
  /// `[gates × H, H]`.
  package var hidden: ValueID
  /// `[gates × H]`.
  package var inputBias: ValueID?
  package var hiddenBias: ValueID?
  /// `[3 × H]`: input, forget, output.
  package var peephole: ValueID?

  package init(input: ValueID, hidden: ValueID, inputBias: ValueID? = nil, hiddenBias: ValueID? = nil, peephole: ValueID? = nil) {
    self.input = input
    self.hidden = hidden
    self.inputBias = inputBias
    self.hiddenBias = hiddenBias
    self.peephole = peephole
  }
}

extension GraphWriting {
  /// Stacks weights or biases that are stored separately for each gate, in the order of `kind`.
  package func stacked(_ parts: [RecurrentGate: ValueID], for kind: RecurrentCell.Kind) throws -> ValueID {
    let values = try kind.gates.map { gate in
      guard let part = parts[gate] else { throw CallError("the weights of the \(gate) gate are missing") }
      return part
    }
    if values.count == 1 { return values[0] }
    var signature = try signature(of: values[0])
    guard case .fixed(let extent)? = signature.dimensions.first else { throw CallError("a gate's weights are \(signature)") }
    let others = try values.dropFirst().map { try self.signature(of: $0) }
    guard others.allSatisfy({ $0 == signature }) else { throw CallError("the gates' weights are \(signature) and \(others)") }
    guard let rows = (Extent(extent) * values.count).value else { throw CallError("the gates' weights are \(signature)") }
    signature.dimensions[0] = .fixed(rows)
    return intermediate(Concat(axis: 0, dtype: signature.dtype), values, signature)
  }

  /// Reorders stacked weights or biases of all gates from the file's order to that of `kind`.
  package func reordered(_ stacked: ValueID, from order: [RecurrentGate], for kind: RecurrentCell.Kind) throws -> ValueID {
    if order == kind.gates { return stacked }
    let signature = try signature(of: stacked)
    guard Set(order) == Set(kind.gates), order.count == kind.gates.count, case .fixed(let extent)? = signature.dimensions.first,
      extent % order.count == 0
    else { throw CallError("\(signature) does not hold the weights of the gates \(order)") }
    let size = extent / order.count
    var parts: [RecurrentGate: ValueID] = [:]
    for (position, gate) in order.enumerated() {
      parts[gate] = try sliced(
        // In range: a position in the extent.
        [stacked], axis: 0, SliceRange(start: .constant(position * size), end: .count(.constant(size))))
    }
    return try self.stacked(parts, for: kind)
  }

  /// Appends one direction of a recurrent layer on `x`, `[steps, batch, I]`.
  /// - Returns: the states, the last state, and an LSTM's last cell state.
  package func recurrence(
    _ op: Recurrence, _ x: ValueID, hidden: ValueID?, memory: ValueID?, _ weights: RecurrentWeights
  ) throws -> [ValueID] {
    let signature = try signature(of: x)
    let extents = try self.signature(of: weights.hidden).dimensions
    guard signature.rank == 3, extents.count == 2 else {
      throw CallError("the inputs have rank \(signature.rank) and the hidden weights \(extents.count)")
    }
    let state = TensorSignature(dtype: signature.dtype, dimensions: [signature.dimensions[1], extents[1]])
    let states = TensorSignature(
      dtype: signature.dtype, dimensions: [op.givesSequence ? signature.dimensions[0] : .fixed(1)] + state.dimensions)
    return intermediates(
      op, [x, hidden, memory, weights.input, weights.hidden, weights.inputBias, weights.hiddenBias, weights.peephole],
      op.cell.kind == .lstm ? [states, state, state] : [states, state])
  }

  /// Appends both directions of a recurrent layer.
  ///
  /// - Parameters:
  ///   - hidden: the initial states of both directions, concatenated along axis 1, as are `memory` and the results.
  ///   - weights: forward, then backward.
  /// - Returns: the states, concatenated along axis 2, and the last states and an LSTM's last cell states, concatenated along axis 1.
  package func bidirectionalRecurrence(
    _ cell: RecurrentCell, givesSequence: Bool, _ x: ValueID, hidden: ValueID, memory: ValueID?, _ weights: [RecurrentWeights]
  ) throws -> [ValueID] {
    guard weights.count == 2, case .fixed(let width)? = try signature(of: weights[0].hidden).dimensions.last else {
      throw CallError("the hidden weights have no fixed width")
    }
    var halves: [[ValueID]] = []
    for (position, weights) in weights.enumerated() {
      // In range: the position is 0 or 1, and the extent is that of stored weights.
      let half = SliceRange(start: .constant(position * width), end: .count(.constant(width)))
      halves.append(
        try recurrence(
          Recurrence(cell, isReversed: position > 0, givesSequence: givesSequence), x,
          hidden: try sliced([hidden], axis: 1, half), memory: try memory.map { try sliced([$0], axis: 1, half) }, weights))
    }
    return try zip(halves[0], halves[1]).enumerated().map { position, pair in
      let axis = position == 0 ? 2 : 1
      var signature = try signature(of: pair.0)
      // In range: the extent is that of stored weights.
      signature.dimensions[axis] = .fixed(2 * width)
      return intermediate(Concat(axis: axis, dtype: signature.dtype), [pair.0, pair.1], signature)
    }
  }
}
