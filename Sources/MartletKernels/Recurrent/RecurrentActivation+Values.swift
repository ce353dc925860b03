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

  /// Multiplies `count` gradients by the derivative of the function, given its values `y`.
  ///
  /// Functions with limits have the derivative 0 where their value is a limit.
  @inline(__always)
  func multiplyByDerivative(_ count: Int, _ y: UnsafePointer<Float>, _ gradient: UnsafeMutablePointer<Float>) {
    switch kind {
    case .linear: break
    case .sigmoid: for i in 0..<count { unsafe gradient[i] *= y[i] * (1 - y[i]) }
    case .tanh: for i in 0..<count { unsafe gradient[i] *= 1 - y[i] * y[i] }
    case .relu: for i in 0..<count { unsafe gradient[i] = y[i] > 0 ? gradient[i] : 0 }
    case .clamp: for i in 0..<count { unsafe gradient[i] = y[i] > alpha && y[i] < beta ? gradient[i] : 0 }
    case .hardSigmoid: for i in 0..<count { unsafe gradient[i] = y[i] > 0 && y[i] < 1 ? gradient[i] * alpha : 0 }
    case .scaledTanh:
      let inverse = alpha == 0 ? 0 : 1 / alpha
      for i in 0..<count { unsafe gradient[i] *= beta * (alpha - y[i] * y[i] * inverse) }
    }
  }
}
