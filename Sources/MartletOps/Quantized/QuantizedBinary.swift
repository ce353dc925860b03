package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// The quantised sum, difference or product of two quantised tensors.
/// - Operands: `a` and `b` with equal shapes. - DTypes: int8.
/// - Accuracy: as stated by `rounding`.
/// - Sources: XNNPACK's quantised binary nodes; `quantized_decomposed` operators around `aten::add`, `aten::mul`.
package struct QuantizedBinary: PlannedOperator {
  package static let contract = OperatorContract([.init("a", .data, .int8), .init("b", .data, .int8)], accuracy: .quantizationStep)

  package var function: IntegerPointwise.Binary
  package var a: IntegerRange
  package var b: IntegerRange
  package var output: IntegerRange
  package var rounding: IntegerPointwise.Rounding
  package var name: String { "quantized_\(function.rawValue)" }

  package init(
    _ function: IntegerPointwise.Binary, a: IntegerRange, b: IntegerRange, output: IntegerRange,
    rounding: IntegerPointwise.Rounding
  ) {
    self.function = function
    self.a = a
    self.b = b
    self.output = output
    self.rounding = rounding
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (a, b) = (try operands.tensor(0), try operands.tensor(1))
    guard a.dtype == .int8, a == b else { throw .unsupported("\(name) of \(a) and \(b)") }
    return [.tensor(a)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package var inPlaceOperands: [Int] { [0, 1] }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.outputs[0]
    let order = y.denseOrder ?? Array(y.shape.indices)
    let a = node.builder.materialize(node.input(0), order: order, dtype: .int8, source: node.source)
    let b = node.builder.materialize(node.input(1), order: order, dtype: .int8, source: node.source)
    node.emitDense(order: order) { result in
      node.emit(
        "\(name) \(y.shape)", flops: 3 * Double(y.elementCount),
        IntegerPointwise.binary(function, a, self.a, b, self.b, to: result, output, rounding: rounding))
    }
  }
}
