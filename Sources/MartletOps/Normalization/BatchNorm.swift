package import MartletGraph
import MartletKernels
package import MartletTensor
import MartletVocabulary

/// `(x - mean) / sqrt(variance + epsilon) * weight + bias` with given statistics for each channel.
/// - Operands: `x` [N, C, …]; optional `weight` and `bias`; `mean` and `variance`; all [C].
/// - Layout: follows `x`, row-major or channels-last.
/// - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Accuracy: computed as `x * scale + shift` with factors rounded once.
/// - Sources: ATen `_native_batch_norm_legit_no_training.out`; MIL `batch_norm`.
package struct BatchNorm: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .floating), .init("weight", .parameter, .floating, isOptional: true),
      .init("bias", .parameter, .floating, isOptional: true), .init("mean", .parameter, .floating),
      .init("variance", .parameter, .floating),
    ], accuracy: .ulp)

  package var epsilon: Double
  package var name: String { "batch_norm" }

  package init(epsilon: Double) { self.epsilon = epsilon }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    _ = try normalizationType(x.dtype)
    guard x.rank >= 2 else { throw .invalid("\(x.shape) has no channels") }
    for index in 1...4 {
      guard let parameter = index < 3 ? operands.optionalTensor(index) : try operands.tensor(index) else { continue }
      guard parameter.shape == [x.shape[1]] else { throw .invalid("a parameter \(parameter.shape) does not fit \(x.shape[1]) channels") }
      _ = try normalizationType(parameter.dtype)
    }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package var inPlaceOperands: [Int] { [0] }
  package func packs(operand: Int) -> Bool { operand > 0 }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).channelsLastOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let type = try normalizationType(node.operandType(0).dtype)
    let order = node.resultOrder()
    let x = node.dense(0, as: type, inOrder: order)
    let y = node.staging(as: type, inOrder: order)
    let channels = x.shape[1]
    let factors = node.temporary(type, [2, channels])
    node.emit(
      "batch_norm factors", bytes: Double(6 * channels * type.byteCount),
      ChannelNormalization.factors(
        channels: channels, gamma: try node.optionalParameter(1, as: type), beta: try node.optionalParameter(2, as: type),
        mean: try node.parameter(3, as: type), variance: try node.parameter(4, as: type), epsilon: epsilon,
        factors: factors))
    node.emitScaleShift(x, factors: factors, y, label: "batch_norm \(x.shape)")
    node.finish(0, from: y)
  }
}

/// Batch normalisation with the statistics of the batch itself.
/// - Operands: `x` [N, C, …]; optional `weight` and `bias` [C].
/// - Results: `y`; mean and `1 / sqrt(variance + epsilon)` of every channel, [C].
/// - Layout: follows `x`, row-major or channels-last.
/// - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Sources: ATen `_native_batch_norm_legit.no_stats_out`, `_native_batch_norm_legit.out`.
package struct BatchStatisticsNorm: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .floating), .init("weight", .parameter, .floating, isOptional: true),
      .init("bias", .parameter, .floating, isOptional: true),
    ], accuracy: .lengthScaled)

  package var epsilon: Double
  package var name: String { "batch_statistics_norm" }

  package init(epsilon: Double) { self.epsilon = epsilon }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    _ = try normalizationType(x.dtype)
    guard x.rank >= 2 else { throw .invalid("\(x.shape) has no channels") }
    for index in 1...2 {
      guard let parameter = operands.optionalTensor(index) else { continue }
      guard parameter.shape == [x.shape[1]] else { throw .invalid("a parameter \(parameter.shape) does not fit \(x.shape[1]) channels") }
      _ = try normalizationType(parameter.dtype)
    }
    let statistics = OperandType.tensor(TensorType(x.dtype, [x.shape[1]]))
    return [.tensor(x), statistics, statistics]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func packs(operand: Int) -> Bool { operand > 0 }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).channelsLastOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let type = try normalizationType(node.operandType(0).dtype)
    let order = node.resultOrder()
    let x = node.dense(0, as: type, inOrder: order)
    let y = node.staging(as: type, inOrder: order)
    let channels = x.shape[1]
    let byChannel = node.dense(0, as: type, inOrder: [1, 0] + Array(2..<x.rank))
    let count = channels == 0 ? 0 : x.elementCount / channels
    let mean = node.staging(1, as: type)
    let rstd = node.staging(2, as: type)
    let variance = node.temporary(type, [channels])
    node.emit(
      "batch statistics \(x.shape)", flops: Double(4 * x.elementCount),
      Moments.kernel(rows: channels, count: count, from: byChannel, correction: 0, mean: mean, variance: variance))
    node.emit(
      "batch deviation", bytes: Double(2 * channels * type.byteCount),
      ChannelNormalization.inverseDeviation(channels: channels, variance: variance, epsilon: epsilon, to: rstd))
    let factors = node.temporary(type, [2, channels])
    node.emit(
      "batch_norm factors", bytes: Double(6 * channels * type.byteCount),
      ChannelNormalization.factors(
        channels: channels, gamma: try node.optionalParameter(1, as: type), beta: try node.optionalParameter(2, as: type),
        mean: mean, variance: variance, epsilon: epsilon, factors: factors))
    node.emitScaleShift(x, factors: factors, y, label: "batch_norm \(x.shape)")
    node.finish(0, from: y)
    node.finish(1, from: mean)
    node.finish(2, from: rstd)
  }
}

extension Pointwise {
  /// `(1 - momentum) * x + momentum * y`: updates running statistics from those of a batch. - Sources: batch normalisation.
  package static func movingAverage(momentum: Double, dtype: DType) -> Pointwise {
    let type: ComputeType = dtype == .float64 ? .float64 : .float32
    var program = PointwiseProgram()
    let old = program.append(.load(operand: 0, as: type))
    let kept = program.append(.binary(.mul, old, program.append(.literal(.double(1 - momentum), as: type))))
    let new = program.append(.load(operand: 1, as: type))
    let gained = program.append(.binary(.mul, new, program.append(.literal(.double(momentum), as: type))))
    program.append(.binary(.add, kept, gained))
    return Pointwise(program, dtype: dtype, label: "moving_average")
  }
}

extension NodePlan {
  /// `y = x * scale + shift` per channel, for row-major or channels-last tensors of equal layout.
  fileprivate func emitScaleShift(_ x: TensorView, factors: TensorView, _ y: TensorView, label: String) {
    let channels = x.shape[1]
    let rest = channels == 0 ? 0 : x.elementCount / channels
    let inner = x.isContiguous ? Extent.product(x.shape.dropFirst(2)).clamped : 1
    emit(
      label, flops: 2 * Double(x.elementCount),
      ChannelNormalization.scaleShift(
        outer: inner == 0 ? 0 : rest / inner, channels: channels, inner: inner, x: x, factors: factors, y: y))
  }
}
