import MartletGraph
import MartletTensor

extension NodePlan {
  /// The order of axes in which the first result lies, outermost first.
  func resultOrder() -> [Int] { outputs[0].denseOrder ?? Array(outputs[0].shape.indices) }

  /// The operand dense in `order`, converted to `dtype`.
  func dense(_ index: Int, as dtype: DType, inOrder order: [Int]) -> TensorView {
    builder.materialize(input(index), order: order, dtype: dtype, source: source)
  }

  /// A tensor of `dtype`, dense in `order`, to compute the first result in; call `finish` with it afterwards.
  func staging(as dtype: DType, inOrder order: [Int]) -> TensorView {
    let output = outputs[0]
    if output.dtype == dtype, output.isDense(inOrder: order) { return output }
    return builder.temporary(TensorType(dtype, output.shape), order: order)
  }

  /// An optional operand row-major and of `dtype`.
  func optionalParameter(_ index: Int, as dtype: DType) throws(OperatorError) -> TensorView? {
    has(index) ? try parameter(index, as: dtype) : nil
  }
}

/// The type in which a normalisation of floating-point elements computes: float64 for float64, else float32.
func normalizationType(_ dtypes: DType...) throws(OperatorError) -> DType {
  for dtype in dtypes where !dtype.isFloatingPoint { throw .unsupported("a normalisation of \(dtype)") }
  return dtypes.contains(.float64) ? .float64 : .float32
}
