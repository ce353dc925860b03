/// How rows of real numbers are quantised to 8 bits at run time.
package enum RowQuantization: String, Sendable, Hashable {
  /// A scale and a zero point for each row.
  case rows
  /// One scale and zero point for all rows.
  case tensor
  /// One scale for all rows, the largest magnitude divided by 127. The zero point is 0.
  case symmetricTensor
}
