import MartletGraph
import MartletTensor

extension NodePlan {
  /// Axis order of the first result in memory, outermost first.
  func resultOrder() -> [Int] { outputs[0].denseOrder ?? Array(outputs[0].shape.indices) }

  /// The operand, dense in `order`, converted to `dtype`.
  func dense(_ index: Int, as dtype: DType, inOrder order: [Int]) -> TensorView {
    builder.materialize(input(index), order: order, dtype: dtype, source: source)
  }

  /// A tensor of `dtype`, dense in `order`, for computing the first result. Call `finish` with it afterwards.
  func staging(as dtype: DType, inOrder order: [Int]) -> TensorView {
    let output = outputs[0]
    if output.dtype == dtype, output.isDense(inOrder: order) { return output }
    return builder.temporary(TensorType(dtype, output.shape), order: order)
  }

  /// An optional operand, row-major, converted to `dtype`.
  func optionalParameter(_ index: Int, as dtype: DType) throws(OperatorError) -> TensorView? {
    has(index) ? try parameter(index, as: dtype) : nil
  }
}

/// The type in which a normalisation is computed: float64 for float64, otherwise float32.
func normalizationType(_ dtypes: DType...) throws(OperatorError) -> DType {
  for dtype in dtypes where !dtype.isFloatingPoint { throw .unsupported("a normalisation of \(dtype)") }
  return dtypes.contains(.float64) ? .float64 : .float32
}
