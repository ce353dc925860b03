package import MartletGraph
import MartletKernels
package import MartletTensor

/// Variance along some axes and, optionally, the mean.
///
/// The sum of squared deviations is divided by `max(count - correction, 0)`.
/// - Results: the variance; the mean if `hasMean`.
/// - Shapes: any. - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Special values: NaN for an empty range or if an element is NaN; a divisor of 0 gives NaN or infinity.
/// - Accuracy: two passes, a few ulp.
/// - Sources: ATen `var.out`, `var.correction_out`, `var_mean.correction_out`.
package struct Variance: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .lengthScaled)

  package var axes: ReducedAxes
  package var correction: Double
  package var hasMean: Bool
  /// Dtype of the results.
  package var dtype: DType
  package var name: String { hasMean ? "variance_mean" : "variance" }

  package init(axes: [Int]?, keepsAxes: Bool, correction: Double, hasMean: Bool, dtype: DType) {
    self.axes = ReducedAxes(axes, keepsAxes: keepsAxes)
    self.correction = correction
    self.hasMean = hasMean
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint, dtype.isFloatingPoint else { throw .unsupported("\(name) of \(x.dtype) to \(dtype)") }
    let result = OperandType.tensor(TensorType(dtype, try axes.reducing(x.shape)))
    return hasMean ? [result, result] : [result]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    axes.reducing(operands.shape(0))
  }

  package var givingFirstResult: (any PlannedOperator)? {
    guard hasMean else { return nil }
    var result = self
    result.hasMean = false
    return result
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let view = node.input(0)
    let reduced = try axes.normalized(rank: view.rank)
    let type: DType = view.dtype == .float64 || dtype == .float64 ? .float64 : .float32
    let order = view.shape.indices.filter { !reduced.contains($0) } + reduced
    let source = node.builder.materialize(view, order: order, dtype: type, source: node.source)
    let count = reduced.reduce(1) { $0 * view.shape[$1] }
    let variance = node.staging(0, as: type)
    let mean = hasMean ? node.staging(1, as: type) : nil
    node.emit(
      "\(name) \(view.shape)", flops: Double(4 * view.elementCount),
      Moments.kernel(
        rows: variance.elementCount, count: count, from: source, correction: correction, mean: mean, variance: variance))
    node.finish(0, from: variance)
    if let mean { node.finish(1, from: mean) }
  }
}
