package import MartletGraph
package import MartletTensor

/// Reverses the operand along some axes.
/// - Shapes: any. - DTypes: all.
/// - Layout: follows the operand.
/// - Sources: ATen `flip.out`; MIL `reverse`.
package struct Flip: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var axes: [Int]
  package var name: String { "flip" }

  package init(axes: [Int]) { self.axes = axes }

  private func normalized(rank: Int) throws(OperatorError) -> Set<Int> {
    var result: Set<Int> = []
    for axis in axes {
      guard result.insert(try normalAxis(axis, rank: rank)).inserted else { throw .invalid("\(axes) lists an axis twice") }
    }
    return result
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    _ = try normalized(rank: x.rank)
    return [.tensor(x)]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = node.input(0)
    guard let axes = try? normalized(rank: x.rank), x.rank == 0 || axes.allSatisfy({ x.shape[$0] == 1 }) else { return nil }
    return x
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    var source = node.input(0)
    if source.isEmpty { return }
    for axis in try normalized(rank: source.rank) {
      source.offset += (source.shape[axis] - 1) * source.strides[axis]
      source.strides[axis] = -source.strides[axis]
    }
    node.builder.emitCopy(from: source, to: node.outputs[0], source: node.source)
  }
}
