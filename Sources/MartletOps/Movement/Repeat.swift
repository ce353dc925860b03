package import MartletGraph
import MartletKernels
package import MartletTensor

/// Repeats the operand along each axis.
/// - Shapes: any; counts in excess of the rank add leading axes.
/// - DTypes: all.
/// - Sources: ATen `repeat.out`; MIL `tile`.
package struct Repeat: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// Number of repetitions along each axis of the result.
  package var counts: [IntArgument]
  package var name: String { "repeat" }

  package init(counts: [IntArgument]) { self.counts = counts }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let counts = try operands.ints(counts)
    guard counts.count >= x.rank, !counts.contains(where: { $0 < 0 }) else {
      throw .invalid("counts \(counts) do not fit rank \(x.rank)")
    }
    let shape = Array(repeating: 1, count: counts.count - x.rank) + x.shape
    var result: [Int] = []
    for (count, extent) in zip(counts, shape) { result.append(try extentProduct(count, extent)) }
    return [.tensor(TensorType(x.dtype, result))]
  }

  package var traits: OperatorTraits { .movesElements.union(.isIdentityForEqualShapes) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0), counts.count >= x.count else { return nil }
    let missing = counts.count - x.count
    return counts.enumerated().map { axis, count in
      if axis < missing { return operands.extent(count) }
      return operands.extent(count) == .fixed(1) ? x[axis - missing] : nil
    }
  }

  /// The operand expanded to the rank of the result.
  private func source(_ node: NodePlan) -> TensorView {
    var x = node.input(0)
    let missing = counts.count - x.rank
    x.shape = Array(repeating: 1, count: missing) + x.shape
    x.strides = Array(repeating: 0, count: missing) + x.strides
    return x
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = source(node)
    let shape = node.outputType(0).shape
    // Repeating an axis of extent 1 is a broadcast.
    return shape.indices.allSatisfy { x.shape[$0] == 1 || x.shape[$0] == shape[$0] } ? x.broadcast(to: shape) : nil
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = source(node)
    let output = node.outputs[0]
    if output.isEmpty { return }
    var from = x
    var to = output
    from.shape = []
    from.strides = []
    to.shape = []
    to.strides = []
    for axis in output.shape.indices {
      let count = output.shape[axis] / x.shape[axis]
      from.shape += [count, x.shape[axis]]
      from.strides += [0, x.strides[axis]]
      to.shape += [count, x.shape[axis]]
      to.strides += [x.shape[axis] * output.strides[axis], output.strides[axis]]
    }
    guard from.shape.count(where: { $0 > 1 }) <= 16 else {
      throw .unsupported("repeats along \(counts.count) axes at once")
    }
    node.builder.emitCopy(from: from, to: to, source: node.source)
  }
}
