import CoreML
import Testing

/// Code as clients write it: language models' sampling, encoders, schedulers of diffusion models. Expected numbers come from NumPy.
struct TensorClientTests {
  /// Numbers like a model's weights.
  private func weights(_ shape: Int..., seed: Int, scale: Float = 1) -> MLTensor {
    let count = shape.elementCount
    return MLTensor(shape: shape, scalars: (0..<count).map { Float(sin(Double($0) * 0.7 + Double(seed) * 1.3) * Double(scale)) })
  }

  // MARK: Sampling

  private let logits = MLTensor(shape: [1, 8], scalars: [1.0, 3.0, -0.5, 2.5, 0.0, 2.9, -2.0, 1.5])

  private func warped(_ temperature: Float) -> MLTensor { logits / temperature }

  @Test func `temperature`() async {
    #expect(
      await matches(
        warped(0.7), [1, 8], [1.428571, 4.285714, -0.714286, 3.571429, 0, 4.142857, -2.857143, 2.142857], tolerance: 1e-6))
  }

  @Test func `only the most probable tokens`() async {
    func topK(_ scores: MLTensor, _ k: Int) -> MLTensor {
      let threshold = scores.topK(k).values[..., (k - 1)...]
      return scores.replacing(with: MLTensor(repeating: -.infinity, shape: scores.shape), where: scores .< threshold)
    }
    #expect(
      await matches(
        topK(warped(0.7), 4), [1, 8],
        [-.infinity, 4.285714, -.infinity, 3.571429, -.infinity, 4.142857, -.infinity, 2.142857], tolerance: 1e-6))
  }

  @Test func `tokens of the smallest set with a probability`() async {
    func topP(_ scores: MLTensor, _ p: Float, minimum: Int) -> MLTensor {
      let order = scores.argsort(alongAxis: -1, descendingOrder: true)
      let inverse = order.argsort(alongAxis: -1)
      let sorted = scores.gathering(atIndices: order, alongAxis: -1)
      let probabilities = sorted.softmax(alongAxis: -1)
      let before = probabilities.cumulativeSum(alongAxis: -1) - probabilities
      let count = scores.shape[scores.rank - 1]
      let positions = MLTensor(rangeFrom: Int32(0), to: Int32(count), by: 1, scalarType: Int32.self).cast(to: Float.self)
      let removed = (positions .>= Float(minimum)) .& (before .> p)
      let filter = MLTensor(repeating: -Float.infinity, shape: sorted.shape, scalarType: Float.self)
      let filtered = sorted.replacing(with: filter, where: removed)
      return filtered.gathering(atIndices: inverse, alongAxis: -1).reshaped(to: scores.shape)
    }
    let expected: [Double] = [-.infinity, 4.285714, -.infinity, 3.571429, -.infinity, 4.142857, -.infinity, -.infinity]
    #expect(await matches(topP(warped(0.7), 0.8, minimum: 1), [1, 8], expected, tolerance: 1e-6))
    // At least so many stay.
    #expect(await matches((topP(warped(0.7), 0, minimum: 5) .> -1000).cast(to: Int32.self).sum(), [], [5]))
  }

  @Test func `tokens not much less probable than the best`() async {
    func minP(_ scores: MLTensor, _ p: Float) -> MLTensor {
      let probabilities = scores.softmax(alongAxis: -1)
      let removed = probabilities .< probabilities.max(alongAxes: [-1], keepRank: true) * p
      let zeros = MLTensor(repeating: Int32(0), shape: removed.shape, scalarType: Int32.self)
      let flags = zeros.replacing(with: MLTensor(repeating: Int32(1), shape: removed.shape), where: removed)
      // The best one stays whatever p is.
      let kept = flags.replacing(atIndices: probabilities.topK(1).indices, with: Int32(0), alongAxis: -1) .!= zeros
      return scores.replacing(with: -Float.infinity, where: kept)
    }
    let expected: [Double] = [-.infinity, 4.285714, -.infinity, 3.571429, -.infinity, 4.142857, -.infinity, -.infinity]
    #expect(await matches(minP(warped(0.7), 0.2), [1, 8], expected, tolerance: 1e-6))
    #expect(await matches((minP(warped(0.7), 2) .> -1000).cast(to: Int32.self).sum(), [], [1]))
  }

  @Test func `repetitions are penalised`() async {
    func penalised(_ scores: MLTensor, _ tokens: MLTensor, _ penalty: Float) -> MLTensor {
      let seen = scores.gathering(atIndices: tokens, alongAxis: -1).reshaped(to: tokens.shape)
      let negative = (seen .< 0.0).cast(to: Float.self)
      let changed = negative * (seen * penalty) + (1.0 - negative) * (seen / penalty)
      return scores.replacing(with: changed, atIndices: tokens, alongAxis: -1)
    }
    let tokens = MLTensor(shape: [1, 3], scalars: [Int32(1), 2, 5], scalarType: Int32.self)
    #expect(
      await matches(penalised(logits, tokens, 1.3), [1, 8], [1, 2.307692, -0.65, 2.5, 0, 2.230769, -2, 1.5], Float.self, tolerance: 1e-6))
  }

  @Test func `multinomial sampling by running sums`() async {
    func sample(_ scores: MLTensor, _ random: MLTensor) -> MLTensor {
      let sums = scores.softmax(alongAxis: -1).cumulativeSum(alongAxis: -1)
      let limit = sums.scalarType == Float.self ? random : random.cast(to: sums.scalarType)
      var indexed = sums
      indexed += (sums .< limit) * 1000.0
      let index = indexed.argmin(alongAxis: -1).reshaped(to: [1, 1])
      return index.scalarType == Int32.self ? index : index.cast(to: Int32.self)
    }
    for (random, token) in zip([0.01, 0.3, 0.5, 0.7, 0.9, 0.995] as [Float], [0, 1, 3, 5, 5, 7] as [Double]) {
      #expect(await matches(sample(warped(0.7), MLTensor(shape: [1, 1], scalars: [random])), [1, 1], [token], Int32.self))
      // Scores of another type.
      #expect(await matches(sample(warped(0.7).cast(to: Float16.self), MLTensor(shape: [1, 1], scalars: [random])), [1, 1], [token]))
    }
    // As often as their probabilities say.
    var counts = [0, 0]
    for _ in 0..<200 {
      let scores = MLTensor(shape: [1, 2], scalars: [Float(log(0.25)), Float(log(0.75))])
      let token = await sample(scores, MLTensor(randomUniform: [1, 1], in: 0..<1, scalarType: Float.self)).shapedArray(of: Int32.self)
      counts[Int(token.scalars[0])] += 1
    }
    #expect(counts[0] > 20 && counts[1] > 100)
  }

  @Test func `tokens are appended until the end`() async {
    var tokens = MLTensor(shape: [1, 2], scalars: [Int32(3), 1], scalarType: Int32.self)
    for _ in 0..<6 {
      let last = tokens[nil, -1].cast(to: Float.self)
      let scores = -((MLTensor(rangeFrom: Float(0), to: 8, by: 1) - (last + 1)).abs())
      tokens = MLTensor(concatenating: [tokens, scores.argmax(alongAxis: -1).reshaped(to: [1, 1])], alongAxis: -1)
    }
    #expect(await matches(tokens, [1, 8], [3, 1, 2, 3, 4, 5, 6, 7], Int32.self))
  }

  // MARK: Encoders

  private typealias Layer = @Sendable (MLTensor) -> MLTensor

  private func linear(_ weight: MLTensor, _ bias: MLTensor) -> Layer { { $0.matmul(weight.transposed()) + bias } }

  private func layerNorm(_ weight: MLTensor, _ bias: MLTensor, epsilon: Float = 1e-5) -> Layer {
    { x in
      let shifted = x - x.mean(alongAxes: -1, keepRank: true)
      let variance = shifted.squared().mean(alongAxes: -1, keepRank: true)
      return shifted * (variance + epsilon).rsqrt() * weight + bias
    }
  }

  private func bert(_ ids: MLTensor, types: MLTensor, mask: MLTensor) -> MLTensor {
    let (hidden, heads) = (8, 2)
    let norm = layerNorm(1 + weights(8, seed: 4, scale: 0.1), weights(8, seed: 5, scale: 0.1))
    let length = ids.shape[1]
    let positions = MLTensor(Int32(0)..<Int32(length)).expandingShape(at: 0)
    var x = weights(11, 8, seed: 1).gathering(atIndices: ids, alongAxis: 0)
    x = x + weights(4, 8, seed: 2, scale: 0.5).gathering(atIndices: positions, alongAxis: 0)
    x = norm(x + weights(2, 8, seed: 3, scale: 0.25).gathering(atIndices: types, alongAxis: 0))
    let additive = (1.0 - mask.expandingShape(at: 1, 1)) * -10000.0
    func split(_ x: MLTensor) -> MLTensor { x.reshaped(to: [1, length, heads, hidden / heads]).transposed(permutation: 0, 2, 1, 3) }
    for layer in 0..<2 {
      let base = 10 * layer
      let parts = (0..<3).map { part in
        split(linear(weights(8, 8, seed: base + 6 + part, scale: 0.5), weights(8, seed: base + 9 + part, scale: 0.1))(x))
      }
      let scores = parts[0].matmul(parts[1].transposed(permutation: 0, 1, 3, 2)) / Float(hidden / heads).squareRoot() + additive
      let context = scores.softmax(alongAxis: -1).matmul(parts[2]).transposed(permutation: [0, 2, 1, 3]).reshaped(to: [1, length, hidden])
      x = norm(x + linear(weights(8, 8, seed: base + 12, scale: 0.5), weights(8, seed: base + 13, scale: 0.1))(context))
      let inner = linear(weights(16, 8, seed: base + 14, scale: 0.5), weights(16, seed: base + 15, scale: 0.1))(x)
      let activated = 0.5 * inner * (1 + (sqrt(2 / Float.pi) * (inner + 0.044715 * inner.pow(3))).tanh())
      x = norm(x + linear(weights(8, 16, seed: base + 16, scale: 0.5), weights(8, seed: base + 17, scale: 0.1))(activated))
    }
    return x
  }

  @Test func `a BERT encoder with mean pooling`() async {
    let ids = MLTensor(shape: [1, 4], scalars: [2, 7, 1, 10] as [Int32])
    let types = MLTensor(shape: [1, 4], scalars: [0, 0, 1, 1] as [Int32])
    let mask = MLTensor(shape: [1, 4], scalars: [1, 1, 1, 0])
    let states = bert(ids, types: types, mask: mask)
    #expect(
      await matches(
        states, [1, 4, 8],
        [
          -1.355509, -0.298555, 1.176063, 0.663649, -1.096364, -0.953401, 0.765237, 1.135034, -1.559177, -0.036407, 1.260487, 0.194084,
          -1.226572, -0.467427, 1.026125, 0.857956, -1.515658, 0.346556, 1.191459, -0.345472, -1.366818, -0.0505, 1.261932, 0.501733,
          -1.534086, 0.285936, 1.210101, -0.261218, -1.35207, -0.116503, 1.232155, 0.563272,
        ], Float.self, tolerance: 2e-5))
    let pooled = (states * mask.expandingShape(at: 2)).sum(alongAxes: 1) / mask.sum(alongAxes: 1, keepRank: true)
    let norm = pooled.squared().sum(alongAxes: -1, keepRank: true).squareRoot()
    let embedding = pooled / pointwiseMax(norm, MLTensor(Float(1e-9)))
    #expect(
      await matches(
        embedding, [1, 8], [-0.552164, 0.001445, 0.452167, 0.063844, -0.459862, -0.183375, 0.380539, 0.310923], tolerance: 2e-5))
    // Half precision stays close.
    let half = await states.cast(to: Float16.self).softmax().sum(alongAxes: -1).numbers()
    #expect(half.allSatisfy { abs($0 - 1) < 4e-3 })
  }

  @Test func `rotary positions`() async {
    let x = weights(1, 3, 6, seed: 50)
    let frequencies = (-MLTensor(rangeFrom: Float(0), to: 3, by: 1) * (log(Float(10_000)) / 3)).exp()
    let angles = MLTensor(rangeFrom: Float(0), to: 3, by: 1).reshaped(to: [-1, 1]) * frequencies.reshaped(to: [1, -1])
    let (first, second) = (x[..., 0..<3], x[..., 3...])
    let rotated = MLTensor(
      concatenating: [first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], alongAxis: -1)
    #expect(
      await matches(
        rotated, [1, 3, 6],
        [
          0.826829, 0.270051, -0.413736, -0.902937, -0.967472, -0.57699, -0.641846, 0.69426, 0.99724, 0.512971, 0.286345, -0.426838,
          0.286323, -1.025547, -0.567469, -0.869773, 0.626222, 0.995183,
        ], tolerance: 1e-5))
  }

  @Test func `a causal mask, and documents ranked by similarity`() async {
    func causalMask<Scalar: MLTensorScalar>(_ length: Int32, as type: Scalar.Type = Float.self) -> MLTensor {
      let positions = MLTensor(0..<length)
      return (positions.expandingShape(at: 1) .< positions.expandingShape(at: 0)).cast(to: type) * -1e9
    }
    #expect(await matches(causalMask(3), [3, 3], [0, -1e9, -1e9, 0, 0, -1e9, 0, 0, 0], Float.self))
    #expect(causalMask(2, as: MLTensor([Float16(1)]).scalarType).has(Float16.self))
    let (query, documents) = (weights(1, 5, seed: 60), weights(4, 5, seed: 61))
    func norm(_ x: MLTensor) -> MLTensor { x.squared().sum(alongAxes: 1).squareRoot() }
    let similarities = query.matmul(documents.transposed()) / (norm(query) * norm(documents))
    #expect(await matches(similarities, [1, 4], [0.164157, 0.191639, -0.502713, 0.75072], tolerance: 1e-5))
    let (best, indices) = similarities.squeezingShape(at: 0).topK(2)
    #expect(await matches(best, [2], [0.75072, 0.191639], tolerance: 1e-5))
    #expect(await matches(indices, [2], [3, 1], Int32.self))
  }

  // MARK: Diffusion

  @Test func `schedulers of diffusion models`() async {
    let betas = MLTensor(linearSpaceFrom: Float(0.00085).squareRoot(), through: Float(0.012).squareRoot(), count: 1000).squared()
    let alphas = (1 - betas).cumulativeProduct()
    let chosen = alphas.gathering(atIndices: MLTensor([0, 1, 500, 999] as [Int32]), alongAxis: 0)
    #expect(await matches(chosen, [4], [0.99915, 0.998296, 0.276333, 0.00466], tolerance: 3e-5))
    // A step of DDIM.
    let (sample, noise) = (weights(1, 2, 2, 2, seed: 31), weights(1, 2, 2, 2, seed: 32, scale: 0.8))
    let (alpha, previous) = (alphas[801], alphas[601])
    let original = (sample - (1 - alpha).squareRoot() * noise) / alpha.squareRoot()
    let step = previous.squareRoot() * original + (1 - previous).squareRoot() * noise
    #expect(
      await matches(
        step, [1, 2, 2, 2], [1.702021, 0.571434, -0.827907, -1.837871, -1.983455, -1.196189, 0.153663, 1.431245], tolerance: 1e-4))
    // Guidance, on both halves of a batch.
    let both = MLTensor(concatenating: [weights(1, 2, 2, 2, seed: 33), weights(1, 2, 2, 2, seed: 34)])
    let halves = both.split(count: 2)
    let guided = halves[0] + 7.5 * (halves[1] - halves[0])
    #expect(
      await matches(
        guided, [1, 2, 2, 2], [7.359653, 8.381402, 5.461247, -0.027418, -5.503187, -8.390722, -7.331969, -2.824877], tolerance: 1e-5))
    // Of several steps.
    let outputs = (0..<4).map { weights(4, seed: 40 + $0) }
    let factors: [Float] = [-9, 37, -59, 55]
    let blended = zip(outputs, factors).map { $0 * $1 }.reduce(MLTensor(zeros: [4], scalarType: Float.self), +) / Float(24)
    #expect(await matches(blended, [4], [0.695223, 1.344399, 1.361284, 0.737935], tolerance: 1e-5))
    // Latents from a seed.
    let latents = MLTensor(randomNormal: [1, 4, 8, 8], seed: 93, scalarType: Float.self) * 14.6
    #expect(latents.shape == [1, 4, 8, 8])
    #expect(await latents.abs().max().numbers()[0] < 14.6 * 6)
  }
}
