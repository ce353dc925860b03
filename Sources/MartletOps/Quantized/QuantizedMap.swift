package import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary

/// A function of each 8-bit value, given by a lookup table: activations, clamps and changes of scale between quantised tensors.
/// - Operands: `x`; constant `table` [256], where element i is the function of i - 128. - DTypes: int8.
/// - Sources: XNNPACK's quantised unary nodes; `quantized_decomposed` operators around unary ones.
package struct QuantizedMap: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .int8), .init("table", .parameter, .int8)], accuracy: .exact)

  package var label: String
  package var name: String { "quantized_\(label)" }

  package init(label: String) { self.label = label }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (x, table) = (try operands.tensor(0), try operands.tensor(1))
    guard x.dtype == .int8, table.dtype == .int8, table.shape == [256] else { throw .unsupported("\(name) of \(x) by \(table)") }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package var inPlaceOperands: [Int] { [0] }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.outputs[0]
    let order = y.denseOrder ?? Array(y.shape.indices)
    let x = node.builder.materialize(node.input(0), order: order, dtype: .int8, source: node.source)
    node.emitDense(order: order) { node.emit("\(name) \(y.shape)", IntegerPointwise.map(x, table: node.contiguous(1), to: $0)) }
  }
}
