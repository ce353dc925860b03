package import MartletGraph
import MartletKernels
import MartletTensor

/// `(x - mean) / sqrt(variance + epsilon) * weight + bias` over groups of channels and all spatial positions.
/// - Operands: `x` [N, C, …]; optional `weight` and `bias` [C].
/// - Results: `y`; with `hasStatistics` also mean and `1 / sqrt(variance + epsilon)`, [N, groups].
/// - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Sources: ATen `native_group_norm.out`; MIL `instance_norm`.
package struct GroupNorm: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .floating), .init("weight", .parameter, .floating, isOptional: true),
      .init("bias", .parameter, .floating, isOptional: true),
    ], accuracy: .lengthScaled)

  package var groups: Int
  package var epsilon: Double
  package var hasStatistics: Bool
  package var name: String { "group_norm" }

  package init(groups: Int, epsilon: Double, hasStatistics: Bool = false) {
    self.groups = groups
    self.epsilon = epsilon
    self.hasStatistics = hasStatistics
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    _ = try normalizationType(x.dtype)
    guard x.rank >= 2, groups > 0, x.shape[1] % groups == 0 else {
      throw .invalid("the channels of \(x.shape) cannot be split into \(groups) groups")
    }
    for index in 1...2 {
      guard let parameter = operands.optionalTensor(index) else { continue }
      guard parameter.shape == [x.shape[1]] else { throw .invalid("a parameter \(parameter.shape) does not fit \(x.shape[1]) channels") }
      _ = try normalizationType(parameter.dtype)
    }
    let statistics = OperandType.tensor(TensorType(x.dtype, [x.shape[0], groups]))
    return hasStatistics ? [.tensor(x), statistics, statistics] : [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package var givingFirstResult: (any PlannedOperator)? {
    guard hasStatistics else { return nil }
    var result = self
    result.hasStatistics = false
    return result
  }

  package var inPlaceOperands: [Int] { [0] }
  package func packs(operand: Int) -> Bool { operand > 0 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let type = try normalizationType(node.operandType(0).dtype)
    let x = node.contiguous(0, as: type)
    let gamma = try node.optionalParameter(1, as: type)
    let beta = try node.optionalParameter(2, as: type)
    let y = node.staging(0, as: type)
    let mean = hasStatistics ? node.staging(1, as: type) : node.temporary(type, [x.shape[0], groups])
    let rstd = hasStatistics ? node.staging(2, as: type) : node.temporary(type, [x.shape[0], groups])
    node.emit(
      "group_norm \(x.shape)", flops: Double(8 * x.elementCount),
      ChannelNormalization.groupNorm(
        outer: x.shape[0], groups: groups, channels: x.shape[1] / groups, plane: x.shape.dropFirst(2).reduce(1, *), x: x,
        gamma: gamma, beta: beta, epsilon: epsilon, y: y, mean: mean, rstd: rstd))
    node.finish(0, from: y)
    if hasStatistics {
      node.finish(1, from: mean)
      node.finish(2, from: rstd)
    }
  }
}
