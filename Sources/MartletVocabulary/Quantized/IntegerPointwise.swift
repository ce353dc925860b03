/// Element-wise functions of int8 tensors.
package enum IntegerPointwise {
  package enum Binary: String, Sendable, Hashable { case add, subtract, multiply }

  /// Rounding of binary operations.
  package enum Rounding: Sendable, Hashable {
    /// Real values are computed in float32, step by step, and rounded half to even.
    case real
    /// As in XNNPACK: sums in fixed-point arithmetic, halves rounded up.
    case xnnpack
  }
}
