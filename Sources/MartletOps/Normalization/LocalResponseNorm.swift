import MartletSystem
package import MartletGraph
import MartletKernels
import MartletTensor

/// `x / (offset + alpha / size × Σ x²)^beta`, where the sum runs over `size` neighbouring channels: `size / 2` before and `(size - 1) /
/// 2` after each. Channels outside count as zero.
/// - Shapes: any, with the channels on `axis`. - DTypes: floating point; computed in float32, float64 in float64.
/// - Accuracy: `size` roundings of the sum and a few of the power.
/// - Sources: MIL `local_response_norm`.
package struct LocalResponseNorm: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .lengthScaled)

  package var axis: Int
  package var size: Int
  package var alpha: Double
  package var beta: Double
  package var offset: Double
  package var name: String { "local_response_norm" }

  package init(axis: Int, size: Int, alpha: Double, beta: Double, offset: Double) {
    self.axis = axis
    self.size = size
    self.alpha = alpha
    self.beta = beta
    self.offset = offset
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint else { throw .unsupported("local_response_norm of \(x.dtype)") }
    _ = try normalAxis(axis, rank: x.rank)
    guard x.rank > 0, size > 0 else { throw .invalid("a window of \(size) channels does not fit \(x.shape)") }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    if node.outputs[0].isEmpty { return }
    let isDouble = node.operandType(0).dtype == .float64
    if isDouble { try plan(node, .float64, Double.self) } else { try plan(node, .float32, Float.self) }
  }

  private func plan<T: ResampleElement>(_ node: NodePlan, _ type: DType, _: T.Type) throws(OperatorError) {
    let x = node.contiguous(0, as: type)
    let y = node.staging(0, as: type)
    let axis = try normalAxis(axis, rank: x.rank)
    let channels = x.shape[axis]
    let inner = x.strides[axis]
    // Channels on each side, limited to those that exist.
    let (before, after) = (min(size / 2, channels), min((size - 1) / 2, channels))
    let (factor, exponent, offset) = (alpha / Double(size), -beta, offset)
    let flops = Double(x.elementCount) * Double(before + after + 20)
    node.emit("local_response_norm \(x.shape)", flops: flops) { context in
      let source = context.elements(x, as: T.self)
      let target = context.elements(y, as: T.self)
      context.parallelRanges(x.elementCount / inner, grain: max(1, 4 * 1024 / inner)) { planes, _ in
        for plane in planes {
          let channel = plane % channels
          let first = plane - min(before, channel)
          let last = plane + min(after, channels - 1 - channel)
          for lane in 0..<inner {
            var sum: T = 0
            for other in first...last {
              let value = source[other * inner + lane]
              sum += value * value
            }
            let scale = pow(offset + factor * Double(sum), exponent)
            target[plane * inner + lane] = T(Double(source[plane * inner + lane]) * scale)
          }
        }
      }
    }
    node.finish(0, from: y)
  }
}
