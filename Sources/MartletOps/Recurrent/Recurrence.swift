package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// A recurrent layer in one direction: plain, GRU or LSTM.
///
/// Computes `a = W x + b + U h + b'` for each gate; `RecurrentCell` defines how the gates update the state. The products of all inputs
/// with `W` are computed first, as one matrix product.
/// - Operands: 0 the inputs `[steps, batch, I]`; 1 the hidden state and 2 an LSTM's cell state, `[batch, H]`, absent for zeros. Of longer
///   states the leading rows are used: models converted from packed sequences have them; 3 `W` `[gates × H, I]`; 4 `U` `[gates × H, H]`;
///   5 the bias `b` and 6 the bias `b'`, `[gates × H]`, absent for zeros; 7 an LSTM's peephole weights `[3 × H]` (input, forget, output),
///   optional. `RecurrentCell` defines the order of the gates.
/// - Results: the states after each step, `[steps, batch, H]`, or after the last one, `[1, batch, H]`; the hidden state after the last
///   step `[batch, H]`; an LSTM's cell state after the last step `[batch, H]`.
/// - DTypes: float32, float16, bfloat16; computed in float32. Results have operand 0's dtype.
/// - Accuracy: about 1e-6 per step, relative to the largest state.
/// - Sources: MIL `lstm`, `gru`, `rnn`.
package struct Recurrence: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .half), .init("hidden", .state, .floating, isOptional: true), .init("cell", .state, .floating, isOptional: true),
      .init("inputWeights", .weight, .floating), .init("hiddenWeights", .weight, .floating),
      .init("inputBias", .parameter, .floating, isOptional: true), .init("hiddenBias", .parameter, .floating, isOptional: true),
      .init("peephole", .parameter, .floating, isOptional: true),
    ], accuracy: .lengthScaled)

  package var cell: RecurrentCell
  /// Whether the sequence is processed from the last input to the first.
  package var isReversed: Bool
  /// Whether the first result of a reversed layer is in step order instead of input order.
  package var keepsStepOrder: Bool
  /// Whether the first result contains the states after all steps.
  package var givesSequence: Bool

  package var name: String {
    switch cell.kind {
    case .plain: "rnn"
    case .gru, .gruResetAfter: "gru"
    case .lstm: "lstm"
    }
  }

  package init(_ cell: RecurrentCell, isReversed: Bool = false, keepsStepOrder: Bool = false, givesSequence: Bool) {
    self.cell = cell
    self.isReversed = isReversed
    self.keepsStepOrder = keepsStepOrder
    self.givesSequence = givesSequence
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let inputWeights = try operands.tensor(3)
    let weights = try operands.tensor(4)
    guard [.float32, .float16, .bfloat16].contains(x.dtype) else { throw .unsupported("a recurrent layer on \(x.dtype)") }
    for index in 1..<operands.count {
      if let type = operands.optionalTensor(index), ![.float32, .float16, .bfloat16, .float64].contains(type.dtype) {
        throw .unsupported("an operand \(index) of type \(type.dtype)")
      }
    }
    guard x.rank == 3, inputWeights.rank == 2, weights.rank == 2 else {
      throw .invalid("inputs \(x), input weights \(inputWeights) and hidden weights \(weights) do not fit")
    }
    let (steps, batch, hidden) = (x.shape[0], x.shape[1], weights.shape[1])
    guard let width = (Extent(hidden) * cell.gateCount).value, weights.shape[0] == width, inputWeights.shape == [width, x.shape[2]] else {
      throw .invalid("input and hidden weights \(inputWeights.shape), \(weights.shape) of \(cell.gateCount) gates do not fit \(x.shape)")
    }
    guard Shape.elementCount([steps, batch, max(width, x.shape[2], 1)]) != nil else { throw .invalid("\(x.shape) is too large") }
    for index in [1, 2] {
      guard let state = operands.optionalTensor(index) else { continue }
      guard state.rank == 2, state.shape[0] >= batch, state.shape[1] == hidden, index == 1 || cell.kind == .lstm else {
        throw .invalid("the state \(state.shape) in operand \(index) does not fit [\(batch), \(hidden)]")
      }
    }
    for index in [5, 6] {
      if let bias = operands.optionalTensor(index), bias.shape != [width] {
        throw .invalid("a bias \(bias.shape) does not fit \(width) gate elements")
      }
    }
    if let peephole = operands.optionalTensor(7) {
      guard cell.kind == .lstm, peephole.rank == 1, Extent(peephole.shape[0]) == Extent(hidden) * 3 else {
        throw .invalid("peephole weights \(peephole.shape) do not fit")
      }
    }
    let state = OperandType.tensor(TensorType(x.dtype, [batch, hidden]))
    let sequence = OperandType.tensor(TensorType(x.dtype, [givesSequence ? steps : 1, batch, hidden]))
    return cell.kind == .lstm ? [sequence, state, state] : [sequence, state]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0), x.count == 3 else { return nil }
    return [givesSequence ? x[0] : .fixed(1), x[1], operands.extent(4, axis: 1)]
  }

  package func packs(operand: Int) -> Bool { operand == 3 || operand == 4 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0, as: .float32)
    let (steps, batch) = (x.shape[0], x.shape[1])
    let hidden = node.operandType(4).shape[1]
    if batch == 0 || hidden == 0 { return }
    let width = cell.gateCount * hidden

    var states: [TensorView] = []
    for index in 0..<(cell.kind == .lstm ? 2 : 1) {
      let state = node.staging(1 + index, as: .float32)
      if node.has(1 + index) {
        let initial = node.input(1 + index).sliced(axis: 0, start: 0, count: batch, step: 1)
        node.builder.emitCopy(from: initial, to: state, source: node.source)
      } else {
        node.emit("zeros", bytes: Double(state.byteCount), Fill.kernel(state) { _ in .double(0) })
      }
      states.append(state)
    }

    let gates = node.temporary(.float32, [steps, batch, width])
    let sequence = givesSequence ? node.staging(0, as: .float32) : nil
    if steps > 0 {
      let rows = steps * batch
      let flat = x.reshaped([rows, x.shape[2]])!
      var product = MatrixProduct(a: flat, b: try inputWeights(node, width), c: gates.reshaped([rows, width])!)
      product.bias = try node.optionalParameter(5, as: .float32)
      node.emit(
        "\(name) inputs [\(rows), \(width)] k \(x.shape[2])", flops: product.flops, work: .product,
        product.kernel(scratch: node.scratch(product.scratch)))
      let layer = RecurrentSteps(
        cell, gates: gates, weights: try hiddenWeights(node, hidden), hiddenBias: try node.optionalParameter(6, as: .float32),
        peephole: try node.optionalParameter(7, as: .float32), hidden: states[0], memory: states.count > 1 ? states[1] : nil,
        scratch: cell.kind == .gru || cell.kind == .gruResetAfter ? node.temporary(.float32, [batch, hidden]) : nil,
        sequence: sequence, isReversed: isReversed, keepsStepOrder: keepsStepOrder)
      node.emit(
        "\(name) \(steps) steps [\(batch), \(hidden)]", flops: 2 * Double(rows) * Double(width) * Double(hidden), work: .depthwise,
        layer.kernel())
    }
    if let sequence {
      node.finish(0, from: sequence)
    } else {
      node.builder.emitCopy(from: states[0].reshaped([1, batch, hidden])!, to: node.outputs[0], source: node.source)
    }
    for (index, state) in states.enumerated() { node.finish(1 + index, from: state) }
  }

  private func inputWeights(_ node: NodePlan, _ width: Int) throws(OperatorError) -> MatrixProduct.RightSide {
    let type = node.operandType(3)
    let k = type.shape[1]
    guard let byteCount = (Extent(MatrixProduct.packedCount(k: k, n: width, for: .single)) * 4).value else {
      throw .invalid("weights \(type) are too large to be packed")
    }
    guard let constant = node.constant(3) else {
      let scratch = node.temporary(.float32, [max(byteCount / 4, 1)])
      return .strided(node.strided(3, as: .float32).permuted([1, 0]), scratch: scratch)
    }
    return .packed(
      try node.packed([constant], layout: "recurrent inputs", parameters: [width, k], byteCount: byteCount) {
        let bytes = try constant.bytesAtAnyAddress()
        let storage = try TensorStorage(allocating: byteCount)
        unsafe MatrixProduct.pack(
          bytes.pointer, type.dtype, kStride: constant.strides[1], nStride: constant.strides[0], k: k, n: width, for: .single,
          into: storage.pointer.assumingMemoryBound(to: Float.self))
        withExtendedLifetime(bytes.owner) {}
        return storage
      })
  }

  private func hiddenWeights(_ node: NodePlan, _ hidden: Int) throws(OperatorError) -> TensorView {
    let type = node.operandType(4)
    let gateCount = cell.gateCount
    guard let count = RecurrentSteps.packedCount(gateCount: gateCount, hidden: hidden), count <= Int.max / 4 else {
      throw .invalid("weights \(type) are too large to be packed")
    }
    guard let constant = node.constant(4) else {
      let weights = node.strided(4, as: .float32)
      let packed = node.temporary(.float32, [count])
      node.emit("pack \(type.shape)", RecurrentSteps.packing(weights, gateCount: gateCount, hidden: hidden, into: packed))
      return packed
    }
    return try node.packed([constant], layout: "recurrent steps", parameters: [gateCount, hidden], byteCount: count * 4) {
      let bytes = try constant.bytesAtAnyAddress()
      let storage = try TensorStorage(allocating: count * 4)
      unsafe RecurrentSteps.pack(
        bytes.pointer, type.dtype, strides: constant.strides, gateCount: gateCount, hidden: hidden,
        into: storage.pointer.assumingMemoryBound(to: Float.self))
      withExtendedLifetime(bytes.owner) {}
      return storage
    }
  }
}
