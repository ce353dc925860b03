/// How the elements of a pooling window become one.
package enum PoolReduction: Sendable, Hashable {
  /// NaN wins.
  case maximum
  /// Divided by the padded window (`countsPadding`), the window inside the input, or a given number.
  case average(countsPadding: Bool, divisor: Int?)
}
