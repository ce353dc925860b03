package import MartletGraph
import MartletTensor
import MartletVocabulary

/// The derivative of an LSTM: its steps as separate nodes, and their derivatives from the last to the first.
extension Recurrence {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    guard cell.kind == .lstm else { throw .unsupported("the derivative of \(name)") }
    var operands: [ValueID?] = []
    for index in 0..<8 { operands.append(node.optionalOperand(index)) }
    let first = node.differentiation.graph.nodes.count
    let results = try steps(operands, node)
    var seeds: [(value: ValueID, gradient: ValueID)] = []
    for case (let result, let gradient?) in zip(results, node.results) { seeds.append((result, gradient)) }
    let wanted = operands.indices.filter { node.wants($0) && operands[$0] != nil }
    let found: [ValueID?]
    do throws(GraphDifferentiation.Failure) {
      found = try node.differentiation.gradients(
        of: seeds, withRespectTo: wanted.compactMap { operands[$0] }, in: first..<node.differentiation.graph.nodes.count)
    } catch {
      throw .unsupported("\(error.node): \(error.reason)")
    }
    var gradients = [ValueID?](repeating: nil, count: node.operandCount)
    for (index, gradient) in zip(wanted, found) { gradients[index] = gradient }
    return gradients
  }

  /// The layer as nodes of other operators, with the layer's results.
  private func steps(_ operands: [ValueID?], _ node: NodeGradients) throws(OperatorError) -> [ValueID] {
    guard let x = operands[0], let weights = operands[3], let recursion = operands[4] else { throw .invalid("weights are missing") }
    let shape = try node.shape(of: x)
    let (count, batch, size) = (shape[0], shape[1], try node.shape(of: recursion)[1])
    guard count > 0, let rows = (Extent(count) * batch).value else { throw .unsupported("the derivative of no steps") }
    let inputs = try node.apply(
      MatMul(dtype: .float32), [try node.reshaped(x, [rows, shape[2]]), try node.transposed(weights), operands[5]])
    let matrix = try node.transposed(recursion)
    let peepholes = try operands[7].map { vector throws(OperatorError) in try parts(of: vector, axis: 0, count: 3, size: size, node) }
    func initial(_ operand: ValueID?) throws(OperatorError) -> ValueID? {
      guard let operand else { return nil }
      return try node.shape(of: operand)[0] == batch ? operand : node.sliced(operand, axis: 0, start: 0, count: batch)
    }
    var (hidden, memory) = (try initial(operands[1]), try initial(operands[2]))
    var sequence: [ValueID] = []
    for step in 0..<count {
      let position = isReversed ? count - 1 - step : step
      // In range: a row of a tensor.
      var sums = try node.sliced(inputs, axis: 0, start: position * batch, count: batch)
      if let hidden {
        let product = try node.apply(MatMul(dtype: .float32), [hidden, matrix, operands[6]])
        sums = try node.pointwise("gates", [sums, product]) { build, x in build.append(.binary(.add, x[0], x[1])) }
      } else if let bias = operands[6] {
        sums = try node.pointwise("gates", [sums, bias]) { build, x in build.append(.binary(.add, x[0], x[1])) }
      }
      let gates = try parts(of: sums, axis: 1, count: 4, size: size, node)
      (hidden, memory) = try update(gates, memory, peepholes, node)
      if let hidden { sequence.append(hidden) }
    }
    guard let hidden, let memory else { throw .invalid("there are no steps") }
    var states: [ValueID] = []
    for state in givesSequence ? sequence : [hidden] { states.append(try node.reshaped(state, [1, batch, size])) }
    if givesSequence, isReversed, !keepsStepOrder { states.reverse() }
    let all = states.count == 1 ? states[0] : try node.apply(Concat(axis: 0, dtype: .float32), states)
    return [all, hidden, memory]
  }

  /// The state after a step from the sums of its gates.
  private func update(
    _ gates: [ValueID], _ memory: ValueID?, _ peepholes: [ValueID]?, _ node: NodeGradients
  ) throws(OperatorError) -> (hidden: ValueID, memory: ValueID) {
    let cell = cell
    func gate(_ index: Int, peephole: Int, _ memory: ValueID?) throws(OperatorError) -> ValueID {
      guard let memory, let peepholes else { return try node.pointwise("gate", [gates[index]]) { $0.append(cell.gateActivation, $1[0]) } }
      return try node.pointwise("gate", [gates[index], memory, peepholes[peephole]]) { build, x in
        let sum = build.append(.binary(.add, x[0], build.append(.binary(.mul, x[1], x[2]))))
        build.append(cell.gateActivation, sum)
      }
    }
    let input = try gate(0, peephole: 0, memory)
    let new = try node.pointwise("gate", [gates[3]]) { $0.append(cell.cellActivation, $1[0]) }
    var next: ValueID
    if let memory {
      let forget =
        cell.couplesForgetGate
        ? try node.pointwise("forget", [input]) { build, x in build.append(.binary(.sub, build.number(1), x[0])) }
        : try gate(1, peephole: 1, memory)
      next = try node.pointwise("memory", [input, new, forget, memory]) { build, x in
        let (gained, kept) = (build.append(.binary(.mul, x[0], x[1])), build.append(.binary(.mul, x[2], x[3])))
        build.append(.binary(.add, kept, gained))
      }
    } else {
      next = try node.pointwise("memory", [input, new]) { build, x in build.append(.binary(.mul, x[0], x[1])) }
    }
    if let clip = cell.clip {
      next = try node.pointwise("clip", [next]) { $0.append(RecurrentActivation(.clamp, alpha: -clip, beta: clip), $1[0]) }
    }
    let output = try gate(2, peephole: 2, next)
    let shown = try node.pointwise("state", [next]) { $0.append(cell.activation, $1[0]) }
    return (try node.pointwise("state", [output, shown]) { build, x in build.append(.binary(.mul, x[0], x[1])) }, next)
  }

  private func parts(
    of value: ValueID, axis: Int, count: Int, size: Int, _ node: NodeGradients
  ) throws(OperatorError) -> [ValueID] {
    var result: [ValueID] = []
    // In range: positions on an axis.
    for index in 0..<count { result.append(try node.sliced(value, axis: axis, start: index * size, count: size)) }
    return result
  }
}

extension PointwiseProgram {
  /// Appends the function of a register. A linear one is a product with 1, so that the result is an instruction of its own.
  fileprivate mutating func append(_ activation: RecurrentActivation, _ x: Int) {
    let (alpha, beta) = (Double(activation.alpha), Double(activation.beta))
    switch activation.kind {
    case .linear: append(.binary(.mul, x, number(1)))
    case .sigmoid: append(.unary(.sigmoid, x))
    case .tanh: append(.unary(.tanh, x))
    case .relu: append(.unary(.relu, x))
    case .clamp:
      let low = number(alpha)
      append(.ternary(.clamp, x, low, number(beta)))
    case .hardSigmoid:
      let line = append(.binary(.add, append(.binary(.mul, x, number(alpha))), number(beta)))
      let low = number(0)
      append(.ternary(.clamp, line, low, number(1)))
    case .scaledTanh: append(.binary(.mul, append(.unary(.tanh, append(.binary(.mul, x, number(beta))))), number(alpha)))
    }
  }
}
