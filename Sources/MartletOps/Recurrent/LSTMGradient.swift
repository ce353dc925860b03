package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// The derivative of the steps of an LSTM (`Recurrence`) with respect to the sums of its gates.
///
/// The states are recomputed from the sums; the gradients of inputs, weights and biases are products with result 0.
/// - Operands: 0 the sums of the gates before their activations, without peephole terms, `[steps, batch, 4 × H]` in the order of the
///   inputs; 1 the matrix of the recursion `[4 × H, H]`; the gradients 2 of the states after each step, `[steps, batch, H]`, 3 of the last
///   state and 4 of the last cell state, `[batch, H]`, each absent for zeros; 5 the initial cell state `[batch, H]`, absent for zeros;
///   6 the peephole weights `[3 × H]` (input, forget, output), optional.
/// - Results: the gradients of the sums, `[steps, batch, 4 × H]`; of the initial state and of the initial cell state, `[batch, H]`; with
///   operand 6 that of the peephole weights, `[3 × H]`.
/// - DTypes: float32.
/// - Accuracy: about 1e-6 per step, relative to the largest gradient. A gate that is limited passes no gradient at its limits.
/// - Sources: the chain rule applied to `RecurrentCell`; as ATen `lstm` differentiated.
package struct LSTMGradient: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("sums", .data, .float32), .init("hiddenWeights", .weight, .float32), .init("states", .data, .float32, isOptional: true),
      .init("hidden", .data, .float32, isOptional: true), .init("cell", .data, .float32, isOptional: true),
      .init("initialCell", .state, .float32, isOptional: true), .init("peephole", .parameter, .float32, isOptional: true),
    ], accuracy: .lengthScaled)

  package var cell: RecurrentCell
  /// Whether the sequence is processed from the last input to the first.
  package var isReversed: Bool
  /// Whether operand 2 of a reversed layer is in step order instead of input order.
  package var keepsStepOrder: Bool

  package var name: String { "lstm_gradient" }

  package init(_ cell: RecurrentCell, isReversed: Bool, keepsStepOrder: Bool) {
    self.cell = cell
    self.isReversed = isReversed
    self.keepsStepOrder = keepsStepOrder
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (sums, weights) = (try operands.tensor(0), try operands.tensor(1))
    guard cell.kind == .lstm, sums.dtype == .float32, sums.rank == 3, weights.dtype == .float32, weights.rank == 2 else {
      throw .invalid("sums \(sums) and hidden weights \(weights) are not those of an LSTM")
    }
    let (steps, batch, hidden) = (sums.shape[0], sums.shape[1], weights.shape[1])
    guard Extent(sums.shape[2]) == Extent(hidden) * 4, weights.shape[0] == sums.shape[2] else {
      throw .invalid("hidden weights \(weights.shape) do not fit the sums \(sums.shape)")
    }
    let state = TensorType(.float32, [batch, hidden])
    let expected = [sums, weights, TensorType(.float32, [steps, batch, hidden]), state, state, state]
    for (index, type) in expected.enumerated() {
      if let operand = operands.optionalTensor(index), operand != type { throw .invalid("operand \(index) is \(operand), not \(type)") }
    }
    var results = [OperandType.tensor(sums), .tensor(state), .tensor(state)]
    if let peephole = operands.optionalTensor(6) {
      guard peephole.dtype == .float32, peephole.rank == 1, Extent(peephole.shape[0]) == Extent(hidden) * 3 else {
        throw .invalid("peephole weights \(peephole) do not fit")
      }
      results.append(.tensor(peephole))
    }
    return results
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? { operands.shape(0) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let sums = node.operandType(0)
    let (steps, batch, hidden) = (sums.shape[0], sums.shape[1], node.operandType(1).shape[1])
    let gates = node.staging(0, as: .float32)
    node.builder.emitCopy(from: node.input(0), to: gates, source: node.source)
    func filled(_ view: TensorView, _ operand: Int) -> TensorView {
      if node.has(operand) {
        node.builder.emitCopy(from: node.input(operand), to: view, source: node.source)
      } else {
        node.emit("zeros", bytes: Double(view.byteCount), Fill.kernel(view) { _ in .double(0) })
      }
      return view
    }
    let (first, memory) = (filled(node.staging(1, as: .float32), 3), filled(node.staging(2, as: .float32), 4))
    let peepholeGradient = node.has(6) ? node.staging(3, as: .float32) : nil
    if steps > 0, batch > 0, hidden > 0 {
      let weights = node.temporary(.float32, [LSTMGradientSteps.packedCount(hidden: hidden)])
      node.emit("pack \(node.operandType(1).shape)", LSTMGradientSteps.packing(node.strided(1, as: .float32), into: weights))
      let state = [steps, batch, hidden]
      let layer = LSTMGradientSteps(
        cell, gates: gates, weights: weights, states: node.has(2) ? node.contiguous(2, as: .float32) : nil, hidden: first,
        memory: memory, initial: filled(node.temporary(.float32, [batch, hidden]), 5),
        peephole: try node.optionalParameter(6, as: .float32), peepholeGradient: peepholeGradient,
        scratch: (node.temporary(.float32, state), node.temporary(.float32, state), node.temporary(.float32, [batch, hidden])),
        isReversed: isReversed, keepsStepOrder: keepsStepOrder)
      node.emit(
        "\(name) \(steps) steps [\(batch), \(hidden)]", flops: 2 * Double(sums.elementCount) * Double(hidden), work: .depthwise,
        layer.kernel())
    } else if let peepholeGradient {
      node.emit("zeros", bytes: Double(peepholeGradient.byteCount), Fill.kernel(peepholeGradient) { _ in .double(0) })
    }
    for (index, result) in ([gates, first, memory] + [peepholeGradient].compactMap { $0 }).enumerated() {
      node.finish(index, from: result)
    }
  }
}
