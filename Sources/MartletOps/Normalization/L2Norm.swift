package import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary

/// `x / sqrt(Σ x² + epsilon)`, where the sum runs over the elements along some axes.
/// - Shapes: any. - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Special values: with epsilon 0, zeros alone give NaN. If the sum of squares overflows, finite elements give 0 and infinities NaN.
/// - Accuracy: that of the sum (`martlet_reduction.h`) and a few roundings.
/// - Sources: MIL `l2_norm`; neural network layer `L2Normalize`. Both normalise over the last three axes.
package struct L2Norm: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .lengthScaled)

  /// Negative axes count from the end.
  package var axes: [Int]
  package var epsilon: Double
  package var name: String { "l2_norm" }

  package init(axes: [Int], epsilon: Double) {
    self.axes = axes
    self.epsilon = epsilon
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    _ = try normalizationType(x.dtype)
    _ = try ReducedAxes(axes, keepsAxes: true).normalized(rank: x.rank)
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package var inPlaceOperands: [Int] { [0] }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.outputs[0]
    if y.isEmpty { return }
    let x = node.operandType(0)
    let dtype = try normalizationType(x.dtype)
    let sum = Reduce(.sumSquares, axes: axes, keepsAxes: true, dtype: dtype)
    let squares = node.temporary(dtype, try sum.axes.reducing(x.shape))
    try sum.plan(node.part([node.operands[0]], to: squares))

    let type: ComputeType = dtype == .float64 ? .float64 : .float32
    var program = PointwiseProgram()
    let element = program.append(.load(operand: 0, as: type))
    let total = program.append(.load(operand: 1, as: type))
    let radicand = program.append(.binary(.add, total, program.append(.literal(.double(epsilon), as: type))))
    program.append(.binary(.mul, element, program.append(.unary(.rsqrt, radicand))))
    let kernel = PointwiseKernel(program, operands: [.tensor(node.input(0)), .tensor(squares)], output: y)
    let scratch = node.workerScratch(byteCount: kernel.scratchByteCount)
    node.emit("\(name) \(y.shape)", flops: Double(program.operationCount) * Double(y.elementCount), kernel.kernel(scratch: scratch))
  }
}
