/// Functions of corresponding int8 elements.
package enum IntegerPointwise {
  package enum Binary: String, Sendable, Hashable { case add, subtract, multiply }

  /// How results of two operands are rounded.
  package enum Rounding: Sendable, Hashable {
    /// Computed with the real numbers in float32, step by step, and rounded half to even.
    case real
    /// As XNNPACK does it: sums in fixed point, halves up.
    case xnnpack
  }
}
