package import MartletGraph
import MartletKernels
import MartletTensor

/// Computes scale and zero point for the values of a tensor, or of each row along its last axis.
/// - Results: scales, float64, and zero points, int64. Their shape is [1, …] (`rank` axes) for a tensor, otherwise the operand's shape
///   with last extent 1.
/// - DTypes: floating point, converted to float32.
/// - Sources: `quantized_decomposed::choose_qparams.Tensor_out`, `choose_qparams_per_token_asymmetric.out`.
package struct ChooseQuantization: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .ulp)

  package enum Grouping: Sendable, Hashable {
    case tensor(rank: Int)
    case rows
  }

  package var grouping: Grouping
  package var lowest: Int64
  package var highest: Int64
  package var name: String { "choose_quantization" }

  package init(_ grouping: Grouping, range: ClosedRange<Int64>) {
    self.grouping = grouping
    lowest = range.lowerBound
    highest = range.upperBound
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint else { throw .unsupported("\(name) of \(x.dtype)") }
    guard lowest < highest else { throw .invalid("the range \(lowest)...\(highest) is empty") }
    let shape: [Int]
    switch grouping {
    case .tensor(let rank):
      guard x.elementCount > 0 else { throw .invalid("\(x.shape) has no values to choose a range from") }
      shape = Array(repeating: 1, count: rank)
    case .rows:
      guard let last = x.shape.last, last > 0 else { throw .invalid("\(x.shape) has no values along the last axis") }
      shape = x.shape.dropLast() + [1]
    }
    return [.tensor(TensorType(.float64, shape)), .tensor(TensorType(.int64, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    switch grouping {
    case .tensor(let rank): Array(repeating: .fixed(1), count: max(rank, 0))
    case .rows: operands.shape(0, replacingLast: [.fixed(1)])
    }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0, as: .float32)
    let scales = node.staging(0, as: .float64)
    let zeroPoints = node.staging(1, as: .int64)
    let rows = scales.elementCount
    if rows == 0 { return }
    node.emit(
      "\(name) \(x.shape)", flops: Double(2 * x.elementCount),
      QuantizationChoice.kernel(
        rows: rows, count: x.elementCount / rows, range: lowest...highest, from: x, scales: scales, zeroPoints: zeroPoints))
    node.finish(0, from: scales)
    node.finish(1, from: zeroPoints)
  }
}
