package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Quantises to int8: `clamp(round(x / scale) + zeroPoint)`, ties to even, NaN to the lowest value.
///
/// Equivalent to `Pointwise.quantize` with known parameters, but with a kernel of its own. Passes substitute it for quantisations that
/// cannot be fused with a neighbour.
/// - Operands: `x`. - DTypes: float32; the result is int8.
/// - Sources: XNNPACK's conversions to qint8; `quantized_decomposed::quantize_per_tensor`.
package struct QuantizeToInt8: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .float32)], accuracy: .quantizationStep)

  package var output: IntegerRange
  package var name: String { "quantize" }

  package init(_ output: IntegerRange) { self.output = output }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype == .float32 else { throw .unsupported("\(name) of \(x)") }
    return [.tensor(TensorType(.int8, x.shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.outputs[0]
    let order = y.denseOrder ?? Array(y.shape.indices)
    let x = node.builder.materialize(node.input(0), order: order, dtype: .float32, source: node.source)
    node.emitDense(order: order) { result in
      node.emit("\(name) \(y.shape)", flops: 5 * Double(y.elementCount), IntegerPointwise.quantize(x, to: result, output))
    }
  }
}
