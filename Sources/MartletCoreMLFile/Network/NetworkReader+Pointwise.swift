import MartletBytes
import MartletTensor

extension NetworkReader {
  /// Layers that compute each element of the result from elements at the same place; nil for others.
  func pointwise(_ parameters: SpecNeuralNetworkLayer.OneOf_Layer) throws(FileError) -> NetworkOperation? {
    switch parameters {
    case .unary(let source):
      return .unary(
        try unary(source.type), alpha: source.alpha, epsilon: source.epsilon.or(1e-6), scale: source.scale.or(1), shift: source.shift)
    case .add(let source): return .accumulate(.add, constant: source.alpha)
    case .multiply(let source): return .accumulate(.multiply, constant: source.alpha)
    case .average: return .accumulate(.average, constant: 0)
    case .max: return .accumulate(.max, constant: 0)
    case .min: return .accumulate(.min, constant: 0)
    case .dot(let source): return .dotProduct(isCosine: source.cosineSimilarity)
    case .clip(let source):
      guard source.minVal <= source.maxVal else { throw error("minVal", "\(source.minVal) is above maxVal, \(source.maxVal)") }
      return .clip(lower: source.minVal, upper: source.maxVal)
    case .clampedReLu(let source): return .activation(.clampedReLU(alpha: source.alpha, beta: source.beta))
    case .ceil: return .function(.ceil)
    case .floor: return .function(.floor)
    case .sign: return .function(.sign)
    case .round: return .function(.round)
    case .exp2: return .function(.exp2)
    case .sin: return .function(.sin)
    case .cos: return .function(.cos)
    case .tan: return .function(.tan)
    case .asin: return .function(.asin)
    case .acos: return .function(.acos)
    case .atan: return .function(.atan)
    case .sinh: return .function(.sinh)
    case .cosh: return .function(.cosh)
    case .tanh: return .function(.tanh)
    case .asinh: return .function(.asinh)
    case .acosh: return .function(.acosh)
    case .atanh: return .function(.atanh)
    case .erf: return .function(.erf)
    case .gelu(let source):
      switch source.mode {
      case .exact: return .gelu(.exact)
      case .tanhApproximation: return .gelu(.tanh)
      case .sigmoidApproximation: return .gelu(.sigmoid)
      case .UNRECOGNIZED(let value): throw error("mode", "\(value) is not a mode of GELU")
      }
    case .equal(let source): return .compare(.equal, constant: source.alpha)
    case .notEqual(let source): return .compare(.notEqual, constant: source.alpha)
    case .lessThan(let source): return .compare(.less, constant: source.alpha)
    case .lessEqual(let source): return .compare(.lessEqual, constant: source.alpha)
    case .greaterThan(let source): return .compare(.greater, constant: source.alpha)
    case .greaterEqual(let source): return .compare(.greaterEqual, constant: source.alpha)
    case .logicalAnd: return .logical(.and)
    case .logicalOr: return .logical(.or)
    case .logicalXor: return .logical(.xor)
    case .logicalNot: return .logicalNot
    case .addBroadcastable: return .binary(.add)
    case .subtractBroadcastable: return .binary(.subtract)
    case .multiplyBroadcastable: return .binary(.multiply)
    case .divideBroadcastable: return .binary(.divide)
    case .floorDivBroadcastable: return .binary(.floorDivide)
    case .modBroadcastable: return .binary(.modulo)
    case .powBroadcastable: return .binary(.power)
    case .maxBroadcastable: return .binary(.max)
    case .minBroadcastable: return .binary(.min)
    case .whereBroadcastable: return .select
    default: return nil
    }
  }

  private func unary(_ type: SpecUnaryFunctionLayerParams.Operation) throws(FileError) -> NetworkUnary {
    switch type {
    case .sqrt: .sqrt
    case .rsqrt: .rsqrt
    case .inverse: .inverse
    case .power: .power
    case .exp: .exp
    case .log: .log
    case .abs: .abs
    case .threshold: .threshold
    case .UNRECOGNIZED(let value): throw error("type", "\(value) is not a function")
    }
  }

  func activation(_ source: SpecActivationParams, _ field: String) throws(FileError) -> NetworkActivation {
    switch source.nonlinearityType {
    case .linear(let linear)?: return .linear(alpha: linear.alpha, beta: linear.beta)
    case .reLu?: return .relu
    case .leakyReLu(let leaky)?: return .leakyReLU(alpha: leaky.alpha)
    case .thresholdedReLu(let thresholded)?: return .thresholdedReLU(alpha: thresholded.alpha)
    case .preLu(let parametric)?: return .parametricReLU(try weights(parametric.alpha, field + ".alpha", count: nil))
    case .tanh?: return .tanh
    case .scaledTanh(let scaled)?: return .scaledTanh(alpha: scaled.alpha, beta: scaled.beta)
    case .sigmoid?: return .sigmoid
    case .sigmoidHard(let hard)?: return .hardSigmoid(alpha: hard.alpha, beta: hard.beta)
    case .elu(let elu)?: return .elu(alpha: elu.alpha)
    case .softsign?: return .softsign
    case .softplus?: return .softplus
    case .parametricSoftplus(let parametric)?:
      let alpha = try weights(parametric.alpha, field + ".alpha", count: nil)
      return .parametricSoftplus(
        alpha: alpha, beta: try weights(parametric.beta, field + ".beta", count: Extent(alpha.elementCount)))
    case nil: throw error(field, "has no function, or one that is not known")
    }
  }

  /// Reductions, also those that give positions; nil for other layers.
  func reduction(_ parameters: SpecNeuralNetworkLayer.OneOf_Layer) throws(FileError) -> NetworkOperation? {
    func reduce(_ reduction: NetworkReduction, _ axes: [Int64], _ keepsAxes: Bool, _ all: Bool) throws(FileError) -> NetworkOperation {
      .reduce(reduction, axes: all ? nil : try axesOfLayer(axes), keepsAxes: keepsAxes)
    }
    switch parameters {
    case .reduce(let source):
      return .reduceOld(try oldReduction(source.mode), epsilon: source.epsilon.or(1e-6), try oldAxes(source.axis))
    case .reduceL1(let source): return try reduce(.l1, source.axes, source.keepDims, source.reduceAll)
    case .reduceL2(let source): return try reduce(.l2, source.axes, source.keepDims, source.reduceAll)
    case .reduceMax(let source): return try reduce(.max, source.axes, source.keepDims, source.reduceAll)
    case .reduceMin(let source): return try reduce(.min, source.axes, source.keepDims, source.reduceAll)
    case .reduceSum(let source): return try reduce(.sum, source.axes, source.keepDims, source.reduceAll)
    case .reduceProd(let source): return try reduce(.product, source.axes, source.keepDims, source.reduceAll)
    case .reduceMean(let source): return try reduce(.average, source.axes, source.keepDims, source.reduceAll)
    case .reduceLogSum(let source): return try reduce(.logSum, source.axes, source.keepDims, source.reduceAll)
    case .reduceSumSquare(let source): return try reduce(.sumSquare, source.axes, source.keepDims, source.reduceAll)
    case .reduceLogSumExp(let source): return try reduce(.logSumExp, source.axes, source.keepDims, source.reduceAll)
    case .argMax(let source): return .argument(isMaximum: true, axis: try int(source.axis, "axis"), keepsAxis: !source.removeDim)
    case .argMin(let source): return .argument(isMaximum: false, axis: try int(source.axis, "axis"), keepsAxis: !source.removeDim)
    case .topK(let source):
      // 0 if the number is an input.
      return .topK(
        axis: try int(source.axis, "axis"), count: source.k == 0 ? nil : try extent(source.k, "K"), isSmallest: source.useBottomK)
    case .argSort(let source):
      guard source.axis >= 0 else { throw error("axis", "\(source.axis) is negative, which this layer does not allow") }
      return .argSort(axis: try int(source.axis, "axis"), isDescending: source.descending)
    case .cumSum(let source):
      return .cumulativeSum(axis: try int(source.axis, "axis"), isExclusive: source.excludeFinalSum, isReversed: source.reverse)
    case .nonMaximumSuppression(let source):
      return .boxSuppression(
        overlap: source.iouThreshold, score: source.scoreThreshold, count: try int(source.maxBoxes, "maxBoxes"),
        isPerClass: source.perClassSuppression)
    default: return nil
    }
  }

  /// Axes that are named at most once.
  func axesOfLayer(_ axes: [Int64]) throws(FileError) -> [Int] {
    guard !axes.isEmpty else { throw error("axes", "are missing") }
    guard Set(axes).count == axes.count else { throw error("axes", "\(axes) name an axis twice") }
    return try ints(axes, "axes")
  }

  private func oldReduction(_ mode: SpecReduceLayerParams.ReduceOperation) throws(FileError) -> NetworkReduction {
    switch mode {
    case .sum: .sum
    case .avg: .average
    case .prod: .product
    case .logsum: .logSum
    case .sumsquare: .sumSquare
    case .l1: .l1
    case .l2: .l2
    case .max: .max
    case .min: .min
    case .argmax: .argMax
    case .UNRECOGNIZED(let value): throw error("mode", "\(value) is not a reduction")
    }
  }

  private func oldAxes(_ axis: SpecReduceLayerParams.ReduceAxis) throws(FileError) -> NetworkReduction.OldAxes {
    switch axis {
    case .chw: .chw
    case .hw: .hw
    case .c: .c
    case .h: .h
    case .w: .w
    case .UNRECOGNIZED(let value): throw error("axis", "\(value) is not a choice of axes")
    }
  }
}
