import MartletSystem
package import MartletGraph
import MartletKernels
package import MartletTensor

/// Independent random values, different in every run.
/// - Shapes: `shape`, or that of tensor operand 0.
/// - DTypes: floating point; `bernoulli` supports any real type. Computed in float64.
/// - Accuracy: uniform values have as many random bits as the significand of the dtype, so that values in `0 ..< 1` are not rounded and 1
///   is never reached.
/// - Sources: ATen `rand.out`, `randn.out`, `native_dropout.out`; MIL `random_uniform`, `random_normal`, `random_bernoulli`.
package struct RandomTensor: PlannedOperator {
  package static let contract = OperatorContract([.init("like", .data, .any, isOptional: true)], accuracy: .random)

  package enum Distribution: Sendable, Hashable {
    /// Uniform in `low ..< high`.
    case uniform(low: Double, high: Double)
    case normal(mean: Double, deviation: Double)
    /// 1 with the given probability, otherwise 0.
    case bernoulli(probability: Double)
  }

  package var distribution: Distribution
  /// Nil to use the shape of operand 0.
  package var shape: [IntArgument]?
  package var dtype: DType
  /// If given, every run draws the same values.
  package var seed: UInt64?
  package var name: String { "random" }
  package var isPure: Bool { false }

  package init(_ distribution: Distribution, shape: [IntArgument]?, dtype: DType, seed: UInt64? = nil) {
    self.distribution = distribution
    self.shape = shape
    self.dtype = dtype
    self.seed = seed
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    if case .bernoulli = distribution {
      if dtype.isComplex { throw .unsupported("random numbers of \(dtype)") }
    } else if !dtype.isFloatingPoint {
      throw .unsupported("random numbers of \(dtype)")
    }
    guard let shape else { return [.tensor(TensorType(dtype, try operands.tensor(0).shape))] }
    let extents = try operands.ints(shape)
    guard Shape.elementCount(extents) != nil else { throw .invalid("\(extents) is not a valid shape") }
    return [.tensor(TensorType(dtype, extents))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    shape.map { $0.map { operands.extent($0) } } ?? operands.shape(0)
  }

  /// Number of significand bits of the dtype.
  private var digits: Int {
    switch dtype {
    case .bfloat16: 8
    case .float16: 11
    case .float32: 24
    default: 53
    }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let count = node.outputs[0].elementCount
    let result = node.staging(0, as: .float64)
    let distribution = distribution
    let seed = seed
    let digits = digits
    node.emit("random \(node.outputs[0].shape)", flops: Double(16 * count), work: .single) { context in
      let generator = CounterGenerator(key: seed ?? UInt64.random(in: .min ... .max))
      let y = context.elements(result, as: Double.self)
      context.parallelRanges((count + 1) / 2, grain: 2048) { range, _ in
        for pair in range {
          let values = Self.draw(distribution, generator, pair, digits)
          y[2 * pair] = values[0]
          if 2 * pair + 1 < count { y[2 * pair + 1] = values[1] }
        }
      }
    }
    node.finish(0, from: result)
  }

  /// Values `2 * pair` and `2 * pair + 1` of the random stream.
  private static func draw(
    _ distribution: Distribution, _ generator: CounterGenerator, _ pair: Int, _ digits: Int
  ) -> SIMD2<Double> {
    let position = UInt64(clamping: pair)
    switch distribution {
    case .uniform(let low, let high):
      return low + generator.uniforms(at: position, digits: digits) * (high - low)
    case .normal(let mean, let deviation):
      // Box-Muller transform. 1 - u is never 0.
      let u = generator.uniforms(at: position, digits: 53)
      // In range: floating-point numbers.
      let radius = deviation * (-2 * log(1 - u[0])).squareRoot()
      let angle = 2 * Double.pi * u[1]
      // In range: floating-point numbers.
      return SIMD2(mean + radius * cos(angle), mean + radius * sin(angle))
    case .bernoulli(let probability):
      let u = generator.uniforms(at: position, digits: 53)
      return SIMD2(u[0] < probability ? 1 : 0, u[1] < probability ? 1 : 0)
    }
  }
}
