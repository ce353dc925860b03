package import MartletGraph
import MartletKernels
import MartletTensor

/// `x / sqrt(mean(x²) + epsilon) * weight` over the last axis.
/// - Operands: `x`; optional `weight` with the extent of the last axis.
/// - Shapes: any of rank at least 1. - DTypes: float16 and bfloat16 are computed in float32 and rounded once.
/// - Special values: rows of zeros give NaN if epsilon is 0.
/// - Accuracy: that of the sum (`martlet_reduction.h`) and a few roundings.
/// - Sources: recognised in programs.
package struct RMSNorm: PlannedOperator {
  package static let contract = OperatorContract(
    [.init("x", .data, .half), .init("weight", .parameter, .half, isOptional: true)], accuracy: .lengthScaled)

  package var epsilon: Double
  package var name: String { "rms_norm" }

  package init(epsilon: Double) { self.epsilon = epsilon }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let types = [x.dtype] + (operands.optionalTensor(1).map { [$0.dtype] } ?? [])
    guard types.allSatisfy({ [.float32, .float16, .bfloat16].contains($0) }) else { throw .unsupported("\(name) of \(x)") }
    guard let count = x.shape.last else { throw .invalid("\(name) needs an axis") }
    if let weight = operands.optionalTensor(1), weight.shape != [count] {
      throw .invalid("a weight \(weight.shape) does not fit \(x.shape)")
    }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? { operands.shape(0) }

  package var inPlaceOperands: [Int] { [0] }
  package func packs(operand: Int) -> Bool { operand == 1 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0, as: .float32)
    let y = node.staging(0, as: .float32)
    let count = x.shape[x.rank - 1]
    node.emit(
      "\(name) \(x.shape)", flops: Double(4 * x.elementCount),
      RowNormalization.rmsNorm(
        rows: x.shape.dropLast().reduce(1, *), count: count, x: x, gamma: try node.optionalParameter(1, as: .float32), epsilon: epsilon,
        y: y))
    node.finish(0, from: y)
  }
}
