import MartletSystem
package import MartletGraph
import MartletKernels
package import MartletTensor

/// Draws random indices along the last axis of operand 0, with replacement.
/// - Shapes: `[…, K]` gives `[…, count]`; K must not be 0.
/// - DTypes: floating point; the result has `dtype`. Computed in float64.
/// - Errors: weights that are negative, not finite or all 0 fail the call.
/// - Sources: MIL `random_categorical`.
package struct RandomCategory: PlannedOperator {
  package static let contract = OperatorContract([.init("weights", .parameter, .floating)], accuracy: .random)

  /// Number of draws per row.
  package var count: IntArgument
  /// Whether operand 0 holds logarithms of unnormalised weights; otherwise it holds the weights.
  package var isLogarithmic: Bool
  package var dtype: DType
  /// If given, every run draws the same values.
  package var seed: UInt64?
  package var name: String { "random_category" }
  package var isPure: Bool { false }

  package init(count: IntArgument, isLogarithmic: Bool, dtype: DType, seed: UInt64? = nil) {
    self.count = count
    self.isLogarithmic = isLogarithmic
    self.dtype = dtype
    self.seed = seed
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint else { throw .unsupported("random_category of \(x.dtype)") }
    if dtype.isComplex || dtype == .bool { throw .unsupported("random indices of \(dtype)") }
    let count = try operands.int(count)
    guard x.rank > 0, x.shape[x.rank - 1] > 0, count >= 0 else { throw .invalid("\(count) draws from \(x.shape)") }
    return [.tensor(TensorType(dtype, x.shape.dropLast() + [count]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacingLast: [operands.extent(count)])
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let x = node.contiguous(0, as: .float64)
    let result = node.staging(0, as: .int64)
    let sums = node.temporary(.float64, x.shape)
    let (length, draws) = (x.shape[x.rank - 1], output.shape[output.rank - 1])
    let (isLogarithmic, seed) = (isLogarithmic, seed)
    node.emit("random_category \(output.shape)", flops: Double(30 * x.elementCount + 100 * output.elementCount), work: .single) { context in
      let generator = CounterGenerator(key: seed ?? UInt64.random(in: .min ... .max))
      let weights = context.elements(x, as: Double.self)
      let sums = context.elements(sums, as: Double.self)
      let y = context.elements(result, as: Int64.self)
      for row in 0..<x.elementCount / length {
        let start = row * length
        var largest = -Double.infinity
        for i in 0..<length { largest = max(largest, weights[start + i]) }
        var total = 0.0
        for i in 0..<length {
          let weight = isLogarithmic ? exp(weights[start + i] - largest) : weights[start + i]
          guard weight >= 0 else { throw KernelError("the weight \(weight) is negative or not a number") }
          total += weight
          sums[start + i] = total
        }
        guard total > 0, total.isFinite else { throw KernelError("the sum \(total) of the weights is not positive and finite") }
        for draw in 0..<draws {
          let number = row * draws + draw
          let place = generator.uniforms(at: UInt64(clamping: number / 2), digits: 53)[number % 2] * total
          // The first position whose cumulative sum exceeds the drawn value; its weight is positive.
          var low = (0..<length - 1).partitioned { sums[start + $0] > place }
          while low > 0, sums[start + low] <= place, sums[start + low] == sums[start + low - 1] { low -= 1 }
          y[number] = Int64(widening: low)
        }
      }
    }
    node.finish(0, from: result)
  }
}
