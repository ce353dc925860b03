package import MartletGraph
import MartletKernels
package import MartletTensor
import MartletVocabulary

/// `a * sigmoid(b)`, where `a` and `b` are the halves of the operand along `axis`.
/// - Shapes: the extent of `axis` is even; the result has half of it.
/// - DTypes: floating-point; float16 and bfloat16 are computed in float32.
/// - Accuracy: that of `sigmoid`, see `martlet_pointwise.h`.
/// - Sources: ATen `glu.out`.
package struct GatedLinearUnit: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .ulp)

  /// Negative axes count from the end.
  package var axis: Int
  /// Dtype of the result.
  package var dtype: DType
  package var name: String { "glu" }

  package init(axis: Int, dtype: DType) {
    self.axis = axis
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint else { throw .unsupported("glu of \(x.dtype)") }
    guard x.rank > 0, let axis = Shape.normalizedAxis(axis, rank: x.rank) else {
      throw .invalid("axis \(axis) does not fit rank \(x.rank)")
    }
    guard x.shape[axis] % 2 == 0 else { throw .invalid("an odd extent of \(x.shape[axis]) cannot be halved") }
    var shape = x.shape
    shape[axis] /= 2
    return [.tensor(TensorType(dtype, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacing: axis, by: nil)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    guard let axis = Shape.normalizedAxis(axis, rank: x.rank), let type = ComputeType(for: x.dtype) else {
      throw .invalid("axis \(axis) does not fit rank \(x.rank)")
    }
    let half = x.shape[axis] / 2
    let halves = [0, half].map { PointwiseOperand.tensor(x.sliced(axis: axis, start: $0, count: half, step: 1)) }
    var program = PointwiseProgram()
    let a = program.append(.load(operand: 0, as: type))
    let b = program.append(.load(operand: 1, as: type))
    let gate = program.append(.unary(.sigmoid, b))
    program.append(.binary(.mul, a, gate))
    let kernel = PointwiseKernel(program, operands: halves, output: node.outputs[0])
    let scratch = node.workerScratch(byteCount: kernel.scratchByteCount)
    node.emit("glu \(node.outputs[0].shape)", flops: Double(2 * node.outputs[0].elementCount), kernel.kernel(scratch: scratch))
  }
}
