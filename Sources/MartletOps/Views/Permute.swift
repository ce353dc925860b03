package import MartletGraph
package import MartletTensor

/// Permutes the axes: `y[i[axes[0]], i[axes[1]], …] = x[i]`.
/// - Shapes: any. - DTypes: all.
/// - Sources: ATen `permute_copy.out`, `transpose_copy.int_out`, `t_copy.out`; MIL `transpose`.
package struct Permute: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// For each axis of the result, the operand's axis; negative axes count from the end.
  package var axes: [Int]
  package var name: String { "permute" }

  package init(axes: [Int]) { self.axes = axes }

  private func normalized(rank: Int) throws(OperatorError) -> [Int] {
    var result: [Int] = []
    for axis in axes {
      guard let normal = Shape.normalizedAxis(axis, rank: rank), !result.contains(normal) else {
        throw .invalid("\(axes) is not a permutation of \(rank) axes")
      }
      result.append(normal)
    }
    guard result.count == rank else { throw .invalid("\(axes) is not a permutation of \(rank) axes") }
    return result
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let order = try normalized(rank: x.rank)
    return [.tensor(TensorType(x.dtype, order.map { x.shape[$0] }))]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0), axes.count == x.count else { return nil }
    return axes.map { axis in Shape.normalizedAxis(axis, rank: x.count).map { x[$0] } }
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    NarrowForm(narrowed: self, operands: Set(operands.indices), tied: Set(operands.indices))
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let view = node.input(0)
    return (try? normalized(rank: view.rank)).map { view.permuted($0) }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    throw .invalid("a permutation is always a view")
  }
}
