package import MartletGraph
import MartletKernels
import MartletTensor

/// Coordinates of the nonzero elements in row-major order, one row for each.
/// - Shapes: any; the result is `[count, rank]`, where the count depends on the data.
/// - DTypes: all; the result is int64.
/// - Sources: ATen `nonzero.out`; masks as indices of `index.Tensor_out` and `index_put.out`; MIL `non_zero`.
package struct NonZero: PlannedOperator {
  package static let contract = OperatorContract([.init("mask", .data, .any), .init("x", .data, .any, isOptional: true)], accuracy: .exact)

  /// If not nil, operand 1 is a tensor indexed by the mask from this axis on. Its extents there must match the mask.
  package var indexedAxis: Int?
  package var name: String { "nonzero" }

  package init(indexedAxis: Int? = nil) { self.indexedAxis = indexedAxis }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let mask = try operands.tensor(0)
    if let indexedAxis {
      let x = try operands.tensor(1)
      guard Array(x.shape.dropFirst(indexedAxis).prefix(mask.rank)) == mask.shape else {
        throw .invalid("a mask \(mask.shape) does not fit the axes from \(indexedAxis) of \(x.shape)")
      }
    }
    return [.bounded(TensorType(.int64, [mask.elementCount, mask.rank]), dynamicAxes: [0])]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0).map { [nil, .fixed($0.count)] }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let mask = node.contiguous(0, as: .bool)
    node.emit("nonzero \(mask.shape)", evenIfEmpty: true, Masking.coordinates(mask, to: node.outputs[0], slot: node.outputSlots[0]))
  }
}
