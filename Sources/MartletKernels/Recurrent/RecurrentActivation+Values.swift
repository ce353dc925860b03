internal import CMartletKernels
import MartletVocabulary

extension RecurrentActivation {
  /// Applies the function to `count` elements of `x` and writes the results to `y`, which may be `x`.
  @inline(__always)
  func apply(_ count: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>) {
    switch kind {
    case .linear: if unsafe UnsafePointer(y) != x { unsafe y.update(from: x, count: count) }
    case .sigmoid: _ = unsafe mk_unary_f32(Int32(MK_UNARY_SIGMOID.rawValue), count, x, y)
    case .tanh: _ = unsafe mk_unary_f32(Int32(MK_UNARY_TANH.rawValue), count, x, y)
    case .relu: _ = unsafe mk_unary_f32(Int32(MK_UNARY_RELU.rawValue), count, x, y)
    case .clamp:
      // These comparisons preserve NaN.
      for i in 0..<count { unsafe y[i] = x[i] < alpha ? alpha : x[i] > beta ? beta : x[i] }
    case .hardSigmoid:
      for i in 0..<count {
        let v = unsafe alpha * x[i] + beta
        // These comparisons preserve NaN.
        unsafe y[i] = v < 0 ? 0 : v > 1 ? 1 : v
      }
    case .scaledTanh:
      for i in 0..<count { unsafe y[i] = beta * x[i] }
      _ = unsafe mk_unary_f32(Int32(MK_UNARY_TANH.rawValue), count, y, y)
      for i in 0..<count { unsafe y[i] *= alpha }
    }
  }
}
