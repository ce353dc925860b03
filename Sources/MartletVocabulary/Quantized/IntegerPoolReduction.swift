/// The function that reduces the int8 elements of a pooling window to one.
package enum IntegerPoolReduction: Sendable, Hashable {
  case maximum
  /// Average of elements in range `from`. Sums are divided by `divisor`, or by the number of elements inside the image if it is nil.
  case average(from: IntegerRange, to: IntegerRange, divisor: Int?)
}
