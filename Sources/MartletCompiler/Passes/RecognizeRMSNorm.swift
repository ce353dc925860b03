package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Replaces `x * rsqrt(mean(x * x) + epsilon)` over the last axis, written as four or five nodes, by one node, together with a following
/// multiplication by a constant weight.
///
/// Runs before pointwise fusion, which would merge the steps with their neighbours.
package struct RecognizeRMSNorm: GraphPass {
  package let name = "recognize-rms-norm"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Reduce.self), graph.applies(Pointwise.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, op) = editor.node(at: position, applying: Pointwise.self), op.dtype == .float32,
        let replacement = norm(node, op, editor) ?? weighted(node, op, editor)
      else { continue }
      editor.replace(position, with: replacement)
    }
    return editor.finish(into: &graph)
  }

  /// The operands of a plain function of two float32 tensors.
  private func operands(_ function: BinaryFunction, _ node: Node, _ op: Pointwise, _ editor: GraphEditor) -> (ValueID, ValueID)? {
    guard case .binary(function, let a, let b)? = op.program.instructions.last,
      op.program.instructions.allSatisfy({ if case .load(_, let type) = $0 { type == .float32 } else { true } }),
      case .load(let first, _) = op.program.instructions[a], case .load(let second, _) = op.program.instructions[b],
      op.program.instructions.count == (a == b ? 2 : 3), let x = node.inputs[first], let y = node.inputs[second],
      editor.dtype(x) == .float32, editor.dtype(y) == .float32
    else { return nil }
    return (editor.resolve(x), editor.resolve(y))
  }

  /// `x * r` or `x / r` with the reciprocal or the root mean square of x.
  private func norm(_ node: Node, _ op: Pointwise, _ editor: GraphEditor) -> Node? {
    var candidates: [(x: ValueID, root: ValueID, function: UnaryFunction)] = []
    if let (a, b) = operands(.mul, node, op, editor) { candidates = [(a, b, .rsqrt), (b, a, .rsqrt)] }
    if let (a, b) = operands(.div, node, op, editor) { candidates = [(a, b, .sqrt)] }
    for (x, root, function) in candidates {
      guard let shape = editor.signature(x), shape.rank > 0, shape == editor.signature(node.outputs[0]),
        let epsilon = epsilon(root, function, of: x, editor)
      else { continue }
      var result = node
      result.op = RMSNorm(epsilon: epsilon)
      result.inputs = [x, nil]
      return result
    }
    return nil
  }

  /// The epsilon if `value` is `function(mean(x * x) + epsilon)` over the last axis, which is kept.
  private func epsilon(_ value: ValueID, _ function: UnaryFunction, of x: ValueID, _ editor: GraphEditor) -> Double? {
    guard let (_, root) = editor.producer(of: value), let rootOp = root.op(as: Pointwise.self), rootOp.dtype == .float32,
      case .unary(function, let argument)? = rootOp.program.instructions.last
    else { return nil }
    var sum: ValueID?
    var epsilon: Double?
    if case .load(let operand, .float32) = rootOp.program.instructions[argument], rootOp.program.instructions.count == 2 {
      // The sum is a node of its own.
      guard let (_, node) = editor.producer(of: root.inputs[operand]), let op = node.op(as: Pointwise.self), op.dtype == .float32,
        let found = shifted(node, op, op.program.instructions.count - 1, editor)
      else { return nil }
      (sum, epsilon) = found
    } else if let found = shifted(root, rootOp, argument, editor) {
      (sum, epsilon) = found
    }
    guard let epsilon, epsilon >= 0, let (_, node) = editor.producer(of: sum), let mean = node.op(as: Reduce.self), mean.function == .mean,
      mean.dtype == .float32, mean.axes.keepsAxes, let rank = editor.signature(x)?.rank,
      // In range: a rank.
      let axes = mean.axes.axes, axes == [-1] || axes == [rank - 1],
      let (_, square) = editor.producer(of: node.inputs[0]), let squareOp = square.op(as: Pointwise.self),
      isSquare(square, squareOp, of: x, editor)
    else { return nil }
    return epsilon
  }

  /// The operand and the literal of a sum in register `register`, which is computed by two loads or a load and a literal.
  private func shifted(_ node: Node, _ op: Pointwise, _ register: Int, _ editor: GraphEditor) -> (ValueID, Double)? {
    guard case .binary(.add, let a, let b) = op.program.instructions[register] else { return nil }
    func literal(_ register: Int) -> Double? {
      switch op.program.instructions[register] {
      case .literal(let scalar, .float32): scalar.doubleValue
      case .scalar(let operand, .float32): editor.scalar(node.inputs[operand])?.doubleValue
      case .load(let operand, .float32): editor.constant(node.inputs[operand])?.scalarValue?.doubleValue
      default: nil
      }
    }
    for (value, other) in [(a, b), (b, a)] {
      guard case .load(let operand, .float32) = op.program.instructions[value], let x = node.inputs[operand],
        editor.dtype(x) == .float32, let number = literal(other)
      else { continue }
      return (x, number)
    }
    return nil
  }

  private func isSquare(_ node: Node, _ op: Pointwise, of x: ValueID, _ editor: GraphEditor) -> Bool {
    guard op.dtype == .float32 else { return false }
    if let (a, b) = operands(.mul, node, op, editor) { return a == x && b == x }
    guard node.inputs.count == 1, node.inputs[0].map({ editor.resolve($0) }) == x, editor.dtype(x) == .float32 else { return false }
    switch op.program.instructions.last {
    case .binary(.pow, let base, let power)?:
      guard case .load(_, .float32) = op.program.instructions[base], case .literal(let two, _) = op.program.instructions[power] else {
        return false
      }
      return op.program.instructions.count == 3 && two.doubleValue == 2
    case .unary(.square, let base)?:
      guard case .load(_, .float32) = op.program.instructions[base] else { return false }
      return op.program.instructions.count == 2
    default: return false
    }
  }

  /// The product of a normalised value with a constant along its last axis.
  private func weighted(_ node: Node, _ op: Pointwise, _ editor: GraphEditor) -> Node? {
    guard let (a, b) = operands(.mul, node, op, editor) else { return nil }
    for (value, factor) in [(a, b), (b, a)] {
      guard let (_, inner) = editor.producer(of: value), let norm = inner.op(as: RMSNorm.self), inner.inputs[1] == nil,
        editor.useCount(value) == 1, let weight = editor.constant(factor), let type = editor.signature(value),
        type == editor.signature(node.outputs[0]), type.dimensions.last == .fixed(weight.type.elementCount),
        weight.type.shape == [weight.type.elementCount]
      else { continue }
      var result = node
      result.op = norm
      result.inputs = [inner.inputs[0], factor]
      result.origins = inner.origins.joined(with: node.origins)
      result.source = "\(inner.source), \(node.source)"
      return result
    }
    return nil
  }
}
