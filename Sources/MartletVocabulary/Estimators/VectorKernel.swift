/// A function of two vectors that a support vector machine compares rows and vectors with.
package enum VectorKernel: Sendable, Hashable {
  /// x · y
  case linear
  /// exp(-gamma ‖x - y‖²)
  case rbf(gamma: Double)
  /// (gamma x · y + c)^degree
  case polynomial(degree: Int, c: Double, gamma: Double)
  /// tanh(gamma x · y + c)
  case sigmoid(gamma: Double, c: Double)
}
