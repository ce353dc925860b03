package import MartletGraph
import MartletKernels
import MartletTensor

/// Indices of an axis, which fail the call unless the axis has them all.
/// - Operands: the indices.
/// - Results: the indices.
/// - Sources: inserted by a pass.
package struct CheckedIndices: PlannedOperator {
  package static let contract = OperatorContract([.init("indices", .indices, .index)], accuracy: .exact)

  /// Extent of the axis.
  package var extent: Int
  /// True if negative indices count from the end; otherwise they are out of range.
  package var allowsNegative: Bool
  package var name: String { "checked_indices" }

  package init(extent: Int, allowsNegative: Bool) {
    self.extent = extent
    self.allowsNegative = allowsNegative
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    [.tensor(try operands.tensor(0))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? { operands.shape(0) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let indices = node.contiguous(0, as: .int64)
    let range = IndexRange(extent: extent, allowsNegative: allowsNegative)
    node.emit(name) { context in
      let list = context.elements(indices, as: Int64.self)
      for position in 0..<indices.elementCount { _ = try range.position(list[position]) }
    }
    node.builder.emitCopy(from: node.input(0), to: node.outputs[0], source: node.source)
  }
}
