package import MartletGraph
import MartletKernels
import MartletTensor

/// `(x - mean) / sqrt(variance + epsilon) * weight + bias` over the last axes.
/// - Operands: `x`; optional `weight` and `bias` with the shape of the normalised axes.
/// - Results: `y`; with `hasStatistics` also mean and `1 / sqrt(variance + epsilon)`, with extent 1 along the normalised axes.
/// - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Sources: ATen `native_layer_norm.out`; MIL `layer_norm`.
package struct LayerNorm: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .floating), .init("weight", .parameter, .floating, isOptional: true),
      .init("bias", .parameter, .floating, isOptional: true),
    ], accuracy: .lengthScaled)

  /// Number of trailing axes that are normalised together.
  package var axisCount: Int
  package var epsilon: Double
  package var hasStatistics: Bool
  package var name: String { "layer_norm" }

  package init(axisCount: Int, epsilon: Double, hasStatistics: Bool = false) {
    self.axisCount = axisCount
    self.epsilon = epsilon
    self.hasStatistics = hasStatistics
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    _ = try normalizationType(x.dtype)
    guard axisCount >= 0, axisCount <= x.rank else { throw .invalid("\(x.shape) does not have \(axisCount) axes to normalise") }
    let normalized = Array(x.shape.suffix(axisCount))
    for index in 1...2 {
      guard let parameter = operands.optionalTensor(index) else { continue }
      guard parameter.shape == normalized else { throw .invalid("a parameter \(parameter.shape) does not fit the axes \(normalized)") }
      _ = try normalizationType(parameter.dtype)
    }
    let result = OperandType.tensor(x)
    if !hasStatistics { return [result] }
    let statistics = x.shape.dropLast(axisCount) + Array(repeating: 1, count: axisCount)
    return [result, .tensor(TensorType(x.dtype, Array(statistics))), .tensor(TensorType(x.dtype, Array(statistics)))]
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
    if !hasStatistics, type == .float32, node.operandType(0).dtype != .float32 { return try planHalf(node) }
    let x = node.contiguous(0, as: type)
    let gamma = try node.optionalParameter(1, as: type)
    let beta = try node.optionalParameter(2, as: type)
    let y = node.staging(0, as: type)
    let mean = hasStatistics ? node.staging(1, as: type) : nil
    let rstd = hasStatistics ? node.staging(2, as: type) : nil
    node.emit(
      "layer_norm \(x.shape)", flops: Double(8 * x.elementCount),
      RowNormalization.layerNorm(
        rows: x.shape.dropLast(axisCount).reduce(1, *), count: x.shape.suffix(axisCount).reduce(1, *), x: x, gamma: gamma,
        beta: beta, epsilon: epsilon, y: y, mean: mean, rstd: rstd))
    node.finish(0, from: y)
    if let mean { node.finish(1, from: mean) }
    if let rstd { node.finish(2, from: rstd) }
  }

  /// Plans the kernel whose input and output are float16 or bfloat16.
  private func planHalf(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0)
    let y = node.staging(0, as: x.dtype)
    let count = x.shape.suffix(axisCount).reduce(1, *)
    node.emit(
      "layer_norm \(x.shape)", flops: Double(8 * x.elementCount),
      RowNormalization.halfLayerNorm(
        rows: x.shape.dropLast(axisCount).reduce(1, *), count: count, x: x, gamma: try node.optionalParameter(1, as: .float32),
        beta: try node.optionalParameter(2, as: .float32), epsilon: epsilon, y: y,
        scratch: node.workerScratch(byteCount: RowNormalization.halfScratchCount(count) * 4)))
    node.finish(0, from: y)
  }
}
