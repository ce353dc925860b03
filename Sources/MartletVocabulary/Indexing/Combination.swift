/// How an element that is written to an indexed place is combined with the one that is there.
package enum Combination: Sendable, Hashable {
  /// The new element replaces the old one.
  case update
  case add, subtract, multiply
  /// Of integers truncated; a division by zero fails the call.
  case divide
  /// NaN if one of the two is.
  case maximum, minimum
}
