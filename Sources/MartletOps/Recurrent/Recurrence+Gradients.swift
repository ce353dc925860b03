package import MartletGraph
import MartletTensor
import MartletVocabulary

/// The derivative of an LSTM: the sums of all gates from the inputs and the states, as products over all steps, and their gradients by
/// `LSTMGradient`, from which those of inputs and weights are products again.
extension Recurrence {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    guard cell.kind == .lstm else { throw .unsupported("the derivative of \(name)") }
    let (x, weights, recursion) = (try node.operand(0), try node.operand(3), try node.operand(4))
    let (shape, size) = (try node.shape(of: x), try node.shape(of: recursion)[1])
    let (count, batch) = (shape[0], shape[1])
    guard count > 0, let rows = (Extent(count) * batch).value, let width = (Extent(size) * 4).value else {
      throw .unsupported("the derivative of no steps")
    }
    for operand in 1...2 where node.wants(operand) {
      guard let state = node.optionalOperand(operand), try node.shape(of: state)[0] == batch else {
        throw .unsupported("the derivative with respect to the states of more sequences than the inputs have")
      }
    }
    func initial(_ operand: Int) throws(OperatorError) -> ValueID? {
      guard let state = node.optionalOperand(operand) else { return nil }
      return try node.shape(of: state)[0] == batch ? state : node.sliced(state, axis: 0, start: 0, count: batch)
    }

    let inputs = try node.reshaped(x, [rows, shape[2]])
    let previous = try node.reshaped(try previousStates(node, try initial(1), [count, batch, size]), [rows, size])
    let sums = try node.pointwise(
      "gates",
      [
        try node.apply(MatMul(dtype: .float32), [inputs, try node.transposed(weights), node.optionalOperand(5)]),
        try node.apply(MatMul(dtype: .float32), [previous, try node.transposed(recursion), node.optionalOperand(6)]),
      ]
    ) { build, x in build.append(.binary(.add, x[0], x[1])) }

    var (states, hidden) = (node.results[0], node.results[1])
    if !givesSequence, let last = states {
      let last = try node.reshaped(last, [batch, size])
      hidden =
        try hidden.map { other throws(OperatorError) in
          try node.pointwise("add", [last, other]) { build, x in build.append(.binary(.add, x[0], x[1])) }
        } ?? last
      states = nil
    }
    let results = try node.differentiation.append(
      LSTMGradient(cell, isReversed: isReversed, keepsStepOrder: keepsStepOrder),
      [
        try node.reshaped(sums, [count, batch, width]), recursion, states, hidden, node.results[2], try initial(2), node.optionalOperand(7),
      ])

    let gradient = try node.reshaped(results[0], [rows, width])
    func product(_ a: ValueID, _ b: ValueID) throws(OperatorError) -> ValueID { try node.apply(MatMul(dtype: .float32), [a, b]) }
    var found = [ValueID?](repeating: nil, count: 8)
    if node.wants(0) { found[0] = try node.reshaped(try product(gradient, weights), shape) }
    if node.wants(1) { found[1] = results[1] }
    if node.wants(2) { found[2] = results[2] }
    if node.wants(3) { found[3] = try product(try node.transposed(gradient), inputs) }
    if node.wants(4) { found[4] = try product(try node.transposed(gradient), previous) }
    if node.wants(5) || node.wants(6) {
      let sum = try node.summed(gradient, toShape: [width])
      for operand in 5...6 where node.wants(operand) { found[operand] = sum }
    }
    if node.wants(7) { found[7] = results[3] }
    return try node.only(Array(found.prefix(node.operandCount)))
  }

  /// The states before each step, `[steps, batch, H]`, in the order of the inputs.
  private func previousStates(_ node: NodeGradients, _ initial: ValueID?, _ shape: [Int]) throws(OperatorError) -> ValueID {
    let (count, batch, size) = (shape[0], shape[1], shape[2])
    let first =
      try initial.map { state throws(OperatorError) in try node.reshaped(state, [1, batch, size]) }
      ?? node.differentiation.addConstant(Constant(HostTensor(zeros: .float32, shape: [1, batch, size])))
    if count == 1 { return first }
    var all = node.result(0)
    if !givesSequence || (isReversed && keepsStepOrder) {
      // The results do not have all states in the order of the inputs.
      let layer = Recurrence(cell, isReversed: isReversed, givesSequence: true)
      var operands: [ValueID?] = []
      for index in 0..<8 { operands.append(node.optionalOperand(index)) }
      all = try node.apply(layer, operands)
    }
    // In range: there are at least two steps.
    let others = try node.sliced(all, axis: 0, start: isReversed ? 1 : 0, count: count - 1)
    return try node.apply(Concat(axis: 0, dtype: .float32), isReversed ? [others, first] : [first, others])
  }
}
