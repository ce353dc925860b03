/// The function that reduces the elements of a pooling window to one.
package enum PoolReduction: Sendable, Hashable {
  /// NaN if the window contains one.
  case maximum
  /// Divided by the padded window (`countsPadding`), the window inside the input, or a given number.
  case average(countsPadding: Bool, divisor: Int?)
}
