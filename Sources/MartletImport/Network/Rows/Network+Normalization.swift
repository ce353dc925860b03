import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Softmax and normalisations.
extension NetworkCall {
  func softmax(axis: Int) throws {
    let input = try input()
    if axis == -3, try rank(input) > 3 {
      let image = try image(input)
      return try set(image: try applied(Softmax(axis: 1, dtype: .float32), [image]), like: input)
    }
    try set(try applied(Softmax(axis: try self.axis(axis, of: input), dtype: .float32), [input]))
  }

  /// Statistics of the channels, stored or computed: for each image of a batch, or for all together.
  func normalize(_ norm: NetworkBatchNorm) throws {
    let input = try input()
    let x = try image(input)
    let shape = [norm.channels]
    let (gamma, beta) = (try weights(norm.gamma, shape: shape), try weights(norm.beta, shape: shape))
    let epsilon = Double(norm.epsilon)
    let result: ValueID
    if norm.isInstanceNorm {
      result = try applied(GroupNorm(groups: norm.channels, epsilon: epsilon), [x, gamma, beta])
    } else if let mean = norm.mean, let variance = norm.variance {
      result = try applied(
        BatchNorm(epsilon: epsilon), [x, gamma, beta, try weights(mean, shape: shape), try weights(variance, shape: shape)])
    } else {
      result = try applied(BatchStatisticsNorm(epsilon: epsilon), [x, gamma, beta])
    }
    try set(image: result, like: input)
  }

  /// Over the height and width of each channel, or over all channels together.
  func normalize(acrossChannels: Bool, normalizesVariance: Bool, epsilon: Float) throws {
    let input = try input()
    let x = try image(input)
    let count = acrossChannels ? 3 : 2
    if normalizesVariance {
      return try set(image: try applied(LayerNorm(axisCount: count, epsilon: Double(epsilon)), [x, nil, nil]), like: input)
    }
    let mean = try applied(Reduce(.mean, axes: Array(4 - count..<4), keepsAxes: true, dtype: .float32), [x])
    try set(image: try pointwise("center", [x, mean]) { build, x in build.binary(.sub, x[0], x[1]) }, like: input)
  }

  /// Over the last three axes.
  func normalize(epsilon: Float) throws {
    let input = try input()
    try set(image: try applied(L2Norm(axes: [-3, -2, -1], epsilon: Double(epsilon)), [try image(input)]), like: input)
  }

  func normalize(_ shape: [Int], epsilon: Float, _ gamma: NetworkWeights, _ beta: NetworkWeights) throws {
    let operands = [try input(), try weights(gamma, shape: shape), try weights(beta, shape: shape)]
    try set(try applied(LayerNorm(axisCount: shape.count, epsilon: Double(epsilon)), operands))
  }

  func normalize(alpha: Float, beta: Float, size: Int, k: Float) throws {
    let input = try input()
    let op = LocalResponseNorm(axis: 1, size: size, alpha: Double(alpha), beta: Double(beta), offset: Double(k))
    try set(image: try applied(op, [try image(input)]), like: input)
  }
}
