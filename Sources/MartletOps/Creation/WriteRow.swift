package import MartletGraph
import MartletTensor

/// Replaces the slice of operand 0 at `index` along the first axis by operand 1. Operand 2 is the index.
/// - Shapes: operand 1 has operand 0's shape without the first axis. If `grows`, the result has `index + 1` slices, otherwise as many as
///   operand 0.
/// - DTypes: all; both operands have the same dtype.
/// - Sources: `executorch_prim::et_copy_index.tensor`, which collects the results of a loop's iterations.
package struct WriteRow: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("rows", .state, .any), .init("row", .data, .any), .init("index", .number, .any),
    ], accuracy: .exact)

  package var grows: Bool
  package var name: String { "write_row" }

  package init(grows: Bool) { self.grows = grows }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let row = try operands.tensor(1)
    let index = try operands.int(.operand(2))
    guard x.rank == row.rank + 1, x.dtype == row.dtype, Array(x.shape.dropFirst()) == row.shape else {
      throw .invalid("\(row) is not a slice of \(x)")
    }
    guard index >= 0, index < x.shape[0] || (grows && index == x.shape[0]) else {
      throw .invalid("index \(index) is out of range for an axis of extent \(x.shape[0])")
    }
    return [.tensor(TensorType(x.dtype, [grows ? index + 1 : x.shape[0]] + row.shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacing: 0, by: grows ? nil : operands.extent(0, axis: 0))
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let x = node.input(0)
    guard let index = node.int(.operand(2)).known else { throw .invalid("the index must be known") }
    let kept = grows ? index : output.shape[0]
    if x != output, kept > 0 {
      node.builder.emitCopy(
        from: x.sliced(axis: 0, start: 0, count: kept, step: 1), to: output.sliced(axis: 0, start: 0, count: kept, step: 1),
        source: node.source)
    }
    node.builder.emitCopy(from: node.input(1), to: output.selected(axis: 0, index: index), source: node.source)
  }
}
