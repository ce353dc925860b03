package import MartletGraph
import MartletKernels
package import MartletTensor

/// An elementwise function of one or two complex tensors.
/// - Shapes: operands broadcast to the result's shape.
/// - DTypes: operands of any dtype, computed in complex64, or in complex128 if one of them is complex128 or float64.
///   `magnitude` has a real result, all others a complex one; the result is converted to `dtype`.
/// - Accuracy: that of the textbook formulas in the compute type; the magnitude neither overflows nor underflows.
/// - Sources: ATen `_conj_physical.out`; `add.out`, `sub.out`, `mul.out`, `div.out`, `neg.out`, `abs.out` of complex tensors.
package struct ComplexPointwise: PlannedOperator {
  package static let contract = OperatorContract([.init("operands", .data, .any, repeats: true)], accuracy: .ulp)

  package enum Function: String, Sendable, Hashable {
    case add, sub, mul, div, negate, conjugate, magnitude
    package var operandCount: Int {
      switch self {
      case .add, .sub, .mul, .div: 2
      case .negate, .conjugate, .magnitude: 1
      }
    }
  }

  package var function: Function
  package var dtype: DType
  package var name: String { "complex_\(function.rawValue)" }

  package init(_ function: Function, dtype: DType) {
    self.function = function
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    guard operands.count == function.operandCount else { throw .invalid("\(function) takes \(function.operandCount) tensors") }
    var shape: [Int] = []
    for index in 0..<operands.count {
      let type = try operands.tensor(index)
      guard let joined = Shape.broadcast(shape, type.shape) else {
        throw .invalid("shapes \(shape) and \(type.shape) do not broadcast")
      }
      shape = joined
    }
    return [.tensor(TensorType(dtype, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.broadcast(0..<operands.count)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let shape = node.outputs[0].shape
    let views = (0..<function.operandCount).map { node.input($0).broadcast(to: shape) }
    let isDouble = views.contains { $0.dtype == .complex128 || $0.dtype == .float64 }
    if isDouble { plan(node, views, .complex128, .float64, Double.self) } else { plan(node, views, .complex64, .float32, Float.self) }
  }

  /// Emits the kernel with `Real` as the type of the real and imaginary parts.
  private func plan<Real: BinaryFloatingPoint & SIMDScalar & BitwiseCopyable & Sendable>(
    _ node: NodePlan, _ views: [TensorView], _ complex: DType, _ real: DType, _: Real.Type
  ) where Real.SIMD2Storage: BitwiseCopyable {
    let order = Array(node.outputs[0].shape.indices)
    let operands = views.map { node.builder.materialize($0, order: order, dtype: complex, source: node.source) }
    let count = node.outputs[0].elementCount
    let function = function
    let result = node.staging(0, as: function == .magnitude ? real : complex)
    node.emit("\(name) \(node.outputs[0].shape)", flops: Double(6 * count)) { context in
      let a = context.elements(operands[0], as: SIMD2<Real>.self)
      let b = context.elements(operands[operands.count - 1], as: SIMD2<Real>.self)
      if function == .magnitude {
        let y = context.elements(result, as: Real.self)
        context.parallelRanges(count, grain: 8192) { range, _ in
          for i in range { y[i] = Self.magnitude(a[i]) }
        }
        return
      }
      let y = context.elements(result, as: SIMD2<Real>.self)
      context.parallelRanges(count, grain: 8192) { range, _ in
        switch function {
        case .add: for i in range { y[i] = a[i] + b[i] }
        case .sub: for i in range { y[i] = a[i] - b[i] }
        case .mul: for i in range { y[i] = Self.product(a[i], b[i]) }
        case .div: for i in range { y[i] = Self.quotient(a[i], b[i]) }
        case .negate: for i in range { y[i] = -a[i] }
        case .conjugate: for i in range { y[i] = SIMD2(a[i].x, -a[i].y) }
        case .magnitude: break
        }
      }
    }
    node.finish(0, from: result)
  }

  private static func product<Real: BinaryFloatingPoint>(_ a: SIMD2<Real>, _ b: SIMD2<Real>) -> SIMD2<Real> {
    SIMD2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
  }

  /// Smith's algorithm, which avoids overflow of the squared magnitude.
  private static func quotient<Real: BinaryFloatingPoint>(_ a: SIMD2<Real>, _ b: SIMD2<Real>) -> SIMD2<Real> {
    if abs(b.x) >= abs(b.y) {
      if b.x == 0 { return SIMD2(a.x / abs(b.x), a.y / abs(b.y)) }
      let ratio = b.y / b.x
      let divisor = b.x + b.y * ratio
      return SIMD2((a.x + a.y * ratio) / divisor, (a.y - a.x * ratio) / divisor)
    }
    let ratio = b.x / b.y
    let divisor = b.x * ratio + b.y
    return SIMD2((a.x * ratio + a.y) / divisor, (a.y * ratio - a.x) / divisor)
  }

  private static func magnitude<Real: BinaryFloatingPoint>(_ a: SIMD2<Real>) -> Real {
    if a.x.isInfinite || a.y.isInfinite { return .infinity }
    let large = max(abs(a.x), abs(a.y))
    if large == 0 || large.isNaN || a.x.isNaN || a.y.isNaN { return abs(a.x) + abs(a.y) }
    let ratio = min(abs(a.x), abs(a.y)) / large
    return large * (1 + ratio * ratio).squareRoot()
  }
}
