package import MartletGraph
import MartletKernels
package import MartletTensor

/// Cumulative sums along an axis.
/// - Shapes: any, unchanged. - DTypes: the real ones. Computed in the type of the result: float32, float16 and bfloat16 in float64,
///   integers in int64 with wrap-around.
/// - Sources: ATen `cumsum.out`; MIL `cumsum`.
package struct CumulativeSum: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .real)], accuracy: .lengthScaled)

  package var axis: Int
  /// Dtype of the result.
  package var dtype: DType
  /// Whether a sum excludes the element at its own position.
  package var isExclusive: Bool
  /// Whether sums accumulate from the end of the axis.
  package var isReversed: Bool
  package var name: String { "cumsum" }

  package init(axis: Int, dtype: DType, isExclusive: Bool = false, isReversed: Bool = false) {
    self.axis = axis
    self.dtype = dtype
    self.isExclusive = isExclusive
    self.isReversed = isReversed
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard Shape.normalizedAxis(axis, rank: x.rank) != nil else { throw .invalid("axis \(axis) does not fit rank \(x.rank)") }
    if x.dtype.isComplex || dtype.isComplex { throw .unsupported("cumsum of \(x.dtype) to \(dtype)") }
    return [.tensor(TensorType(dtype, x.shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let shape = node.operandType(0).shape
    guard let normal = Shape.normalizedAxis(axis, rank: shape.count) else { throw .invalid("axis \(axis)") }
    let type: DType
    switch dtype {
    case .float64: type = .float64
    case .float32, .float16, .bfloat16: type = .float32
    default: type = .int64
    }
    let source: TensorView
    if dtype == .bool {
      let truth = node.contiguous(0, as: .bool)
      source = node.builder.materialize(truth, order: Array(shape.indices), dtype: type, source: node.source)
    } else {
      source = node.contiguous(0, as: type)
    }
    let target = node.staging(0, as: type)
    node.emit(
      "cumsum \(shape)", flops: Double(target.elementCount), work: .single,
      RunningSum.kernel(
        outer: shape.prefix(normal).reduce(1, *), count: shape.isEmpty ? 1 : shape[normal],
        inner: shape.dropFirst(normal + 1).reduce(1, *), from: source, to: target, isExclusive: isExclusive,
        isReversed: isReversed))
    node.finish(0, from: target)
  }
}
