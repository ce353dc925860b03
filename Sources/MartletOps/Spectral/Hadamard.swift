package import MartletGraph
import MartletKernels
import MartletTensor

/// The orthonormal Walsh-Hadamard transform along the last axis.
/// - Shapes: any; the last extent is a power of two, or 28 times a power of two. In the latter case a line is treated as a matrix with 28
///   rows: the rows are transformed, and the columns are multiplied by a Hadamard matrix of order 28.
/// - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Sources: `llama::fast_hadamard_transform.out`.
package struct Hadamard: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .lengthScaled)

  package var name: String { "hadamard" }

  package init() {}

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint else { throw .unsupported("a Hadamard transform of \(x.dtype)") }
    if x.rank > 0, x.elementCount > 0, !HadamardTransform.takes(extent: x.shape[x.rank - 1]) {
      throw .invalid("a Hadamard transform does not support \(x.shape[x.rank - 1]) elements")
    }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let type: DType = node.operandType(0).dtype == .float64 ? .float64 : .float32
    let x = node.contiguous(0, as: type)
    if x.isEmpty { return }
    let y = node.staging(0, as: type)
    let extent = x.shape.last ?? 1
    node.emit(
      "hadamard \(x.shape)", HadamardTransform.kernel(rows: x.elementCount / extent, extent: extent, from: x, to: y))
    node.finish(0, from: y)
  }
}
