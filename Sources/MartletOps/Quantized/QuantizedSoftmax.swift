import MartletSystem
package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Quantised softmax of quantised values along the last axis.
/// - Operands: `x` of rank at least 1; constant `exponentials` [256], float32: `exp(-scale * i)` for the scale of `x`.
/// - DTypes: int8.
/// - Accuracy: computed in float32 and rounded once.
/// - Sources: `quantized_decomposed` operators around `aten::_softmax`.
package struct QuantizedSoftmax: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .int8), .init("exponentials", .parameter, .float32),
    ], accuracy: .quantizationStep)

  package var output: IntegerRange
  package var name: String { "quantized_softmax" }

  package init(output: IntegerRange) { self.output = output }

  /// Elements of the operand `exponentials` for a scale.
  package static func exponentials(scale: Float) -> [Float] { (0..<256).map { Float(exp(-Double(scale) * Double($0))) } }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.rank > 0, x.dtype == .int8, try operands.tensor(1) == TensorType(.float32, [256]) else { throw .unsupported("\(name) of \(x)") }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.staging(0, as: .int8)
    if y.isEmpty { return }
    let rows = y.elementCount / y.shape[y.rank - 1]
    node.emit(
      "\(name) \(y.shape)",
      IntegerPointwise.softmax(node.contiguous(0), rows: rows, exponentials: node.contiguous(1), to: y, output))
    node.finish(0, from: y)
  }
}
