/// How the int8 elements of a pooling window become one.
package enum IntegerPoolReduction: Sendable, Hashable {
  case maximum
  /// Averages of input `from`; sums are divided by `divisor`, or by the number of elements that the window meets.
  case average(from: IntegerRange, to: IntegerRange, divisor: Int?)
}
