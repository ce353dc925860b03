/// Combination of an element written to an indexed position with the element that is there.
package enum Combination: Sendable, Hashable {
  /// The new element replaces the old one.
  case update
  case add, subtract, multiply
  /// Truncated for integers; an integer division by zero fails the call.
  case divide
  /// NaN if one of the two is NaN.
  case maximum, minimum
}
