package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// The quantised product of a quantised image and a real factor for each channel, as at the end of squeeze-and-excitation.
/// - Operands: `x` [N, C, H, W] or [N, H, W, C], int8; `factors`, float32, of the same rank, with extents of 1 except along the channels and
///   possibly the images.
/// - Accuracy: the product in float32, rounded to the nearest integer, ties to even.
/// - Sources: `quantized_decomposed` operators around `aten::mul`; XNNPACK's products of quantised and real tensors.
package struct QuantizedScale: PlannedOperator {
  package static let contract = OperatorContract(
    [.init("x", .data, .int8), .init("factors", .data, .float32)], accuracy: .quantizationStep)

  package var input: IntegerRange
  package var output: IntegerRange
  /// The axis of the channels, 1 or 3.
  package var axis: Int
  package var name: String { "quantized_scale" }

  package init(_ input: IntegerRange, to output: IntegerRange, axis: Int) {
    self.input = input
    self.output = output
    self.axis = axis
  }

  /// The axis of the channels if `factors` are certain to be one for each channel of the images `x`.
  package static func axis(of factors: TensorSignature, in x: TensorSignature) -> Int? {
    [1, 3].first { isAxis($0, of: factors, in: x) }
  }

  private static func isAxis(_ axis: Int, of factors: TensorSignature, in x: TensorSignature) -> Bool {
    guard factors.rank == 4, x.rank == 4, factors.isFixed, factors.dimensions[axis] == x.dimensions[axis] else { return false }
    return (0..<4).allSatisfy { other in
      other == axis || factors.dimensions[other] == .fixed(1) || (other == 0 && factors.dimensions[0] == x.dimensions[0])
    }
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (x, factors) = (try operands.tensor(0), try operands.tensor(1))
    guard x.dtype == .int8, factors.dtype == .float32,
      Self.isAxis(axis, of: TensorSignature(factors), in: TensorSignature(x))
    else { throw .unsupported("\(name) of \(x) by \(factors)") }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package var inPlaceOperands: [Int] { [0] }

  package func outputOrder(_ node: NodePlan) -> [Int]? { order }

  /// Channels last.
  private var order: [Int] { axis == 1 ? [0, 2, 3, 1] : [0, 1, 2, 3] }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.outputs[0]
    let x = node.builder.materialize(node.input(0), order: order, dtype: .int8, source: node.source)
    node.emitDense(order: order) { result in
      let kernel = IntegerPointwise.scale(
        x, input, factors: node.contiguous(1), images: y.shape[0], channels: y.shape[axis], to: result, output)
      node.emit("\(name) \(y.shape)", flops: 3 * Double(y.elementCount), kernel)
    }
  }
}
