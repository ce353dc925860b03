import MartletBytes
import MartletTensor

extension NetworkReader {
  /// Layers that make constants or change shapes; nil for others.
  func shape(_ parameters: SpecNeuralNetworkLayer.OneOf_Layer) throws(FileError) -> NetworkOperation? {
    switch parameters {
    case .getShape: return .getShape
    case .fillLike(let source): return .fill(source.value, .like)
    case .fillStatic(let source): return .fill(source.value, .fixed(try targetShape(source.targetShape)))
    case .fillDynamic(let source): return .fill(source.value, .computed)
    case .rangeStatic(let source): return .range(start: source.startValue, end: source.endValue, step: source.stepSizeValue)
    case .rangeDynamic(let source): return .range(start: source.startValue, end: nil, step: source.stepSizeValue)
    case .randomNormalLike(let source): return .random(.normal(mean: source.mean, deviation: source.stdDev), seed: source.seed, .like)
    case .randomNormalStatic(let source):
      return .random(
        .normal(mean: source.mean, deviation: source.stdDev), seed: source.seed, .fixed(try targetShape(source.outputShape)))
    case .randomNormalDynamic(let source):
      return .random(.normal(mean: source.mean, deviation: source.stdDev), seed: source.seed, .computed)
    case .randomUniformLike(let source): return .random(try uniform(source.minVal, source.maxVal), seed: source.seed, .like)
    case .randomUniformStatic(let source):
      return .random(
        try uniform(source.minVal, source.maxVal), seed: source.seed, .fixed(try targetShape(source.outputShape)))
    case .randomUniformDynamic(let source):
      return .random(try uniform(source.minVal, source.maxVal), seed: source.seed, .computed)
    case .randomBernoulliLike(let source): return .random(try bernoulli(source.prob), seed: source.seed, .like)
    case .randomBernoulliStatic(let source):
      return .random(try bernoulli(source.prob), seed: source.seed, .fixed(try targetShape(source.outputShape)))
    case .randomBernoulliDynamic(let source): return .random(try bernoulli(source.prob), seed: source.seed, .computed)
    case .categoricalDistribution(let source):
      return .categorical(
        seed: source.seed, count: try extent(source.numSamples, "numSamples"), isLogits: source.isLogits, epsilon: source.eps.or(1e-10),
        temperature: source.temperature.or(1))
    case .oneHot(let source):
      // 0 if the size is an input.
      return .oneHot(
        size: source.oneHotVectorSize == 0 ? nil : try extent(source.oneHotVectorSize, "oneHotVectorSize"),
        axis: try int(source.axis, "axis"), on: source.onValue, off: source.offValue)
    case .broadcastToLike: return .broadcast(.like)
    case .broadcastToStatic(let source): return .broadcast(.fixed(try targetShape(source.targetShape)))
    case .broadcastToDynamic: return .broadcast(.computed)
    case .reshapeLike: return .reshape(.like)
    case .reshapeStatic(let source): return .reshape(.fixed(try openShape(source.targetShape)))
    case .reshapeDynamic: return .reshape(.computed)
    case .rankPreservingReshape(let source): return .rankPreservingReshape(try openShape(source.targetShape))
    case .reshape(let source):
      guard source.targetShape.count == 3 || source.targetShape.count == 4 else {
        throw error("targetShape", "has \(source.targetShape.count) extents instead of 3 or 4")
      }
      return .reshapeOld(
        shape: try source.targetShape.map { value throws(FileError) in try extent(value, "targetShape") },
        isChannelLast: try isChannelLast(source.mode))
    case .flatten(let source):
      switch source.mode {
      case .channelFirst: return .flatten(isChannelLast: false)
      case .channelLast: return .flatten(isChannelLast: true)
      case .UNRECOGNIZED(let value): throw error("mode", "\(value) is not an order")
      }
    case .flattenTo2D(let source): return .flattenTo2D(axis: try int(source.axis, "axis"))
    case .permute(let source): return .permuteOld(source.axis.isEmpty ? [0, 1, 2, 3] : try permutation(source.axis, "axis", count: 4))
    case .transpose(let source): return .transpose(try permutation(source.axes, "axes", count: source.axes.count))
    case .expandDims(let source): return .expandDims(try axesOfLayer(source.axes))
    case .squeeze(let source): return .squeeze(source.squeezeAll ? nil : try axesOfLayer(source.axes))
    default: return nil
    }
  }

  private func uniform(_ lower: Float, _ upper: Float) throws(FileError) -> NetworkRandom {
    guard lower <= upper else { throw error("minVal", "\(lower) is above maxVal, \(upper)") }
    return .uniform(lower: lower, upper: upper)
  }

  private func bernoulli(_ probability: Float) throws(FileError) -> NetworkRandom {
    guard (0...1).contains(probability) else { throw error("prob", "\(probability) is not a probability") }
    return .bernoulli(probability: probability)
  }

  private func targetShape(_ shape: [UInt64]) throws(FileError) -> [Int] {
    guard !shape.isEmpty else { throw error("targetShape", "is empty") }
    let shape = try extents(shape, "targetShape")
    guard Extent.product(shape).count != nil else { throw error("targetShape", "\(shape) has too many elements") }
    return shape
  }

  /// A shape in which -1 stands for an extent to infer, and 0 for that of the input.
  private func openShape(_ shape: [Int64]) throws(FileError) -> [Int] {
    guard !shape.isEmpty else { throw error("targetShape", "is empty") }
    guard shape.allSatisfy({ $0 >= -1 }), shape.count(where: { $0 == -1 }) <= 1 else {
      throw error("targetShape", "\(shape) is not a shape with at most one -1")
    }
    return try ints(shape, "targetShape")
  }

  private func isChannelLast(_ mode: SpecReshapeLayerParams.ReshapeOrder) throws(FileError) -> Bool {
    switch mode {
    case .channelFirst: false
    case .channelLast: true
    case .UNRECOGNIZED(let value): throw error("mode", "\(value) is not an order")
    }
  }

  private func permutation(_ axes: [UInt64], _ field: String, count: Int) throws(FileError) -> [Int] {
    let permutation = axes.compactMap { Int(exactly: $0) }
    guard !axes.isEmpty, permutation.count == count, permutation.sorted() == Array(0..<count) else {
      throw error(field, "\(axes) is not a permutation of \(count) axes")
    }
    return permutation
  }
}
