package import MartletGraph
package import MartletTensor

/// Complex numbers as pairs of reals: a new last axis holds the real and imaginary parts.
/// - Shapes: any. - DTypes: complex64 to float32, complex128 to float64.
/// - Sources: ATen `view_as_real_copy.out`.
package struct ViewAsReal: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .complex)], accuracy: .exact)

  package var name: String { "view_as_real" }

  package init() {}

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isComplex else { throw .invalid("\(x.dtype) is not complex") }
    return [.tensor(TensorType(x.dtype == .complex64 ? .float32 : .float64, x.shape + [2]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, appending: .fixed(2))
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = node.input(0)
    let type = node.outputType(0)
    return TensorView(
      buffer: x.buffer, offset: 2 * x.offset, dtype: type.dtype, shape: type.shape, strides: x.strides.map { 2 * $0 } + [1])
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    throw .invalid("the parts of complex numbers are always a view")
  }
}
