import MartletGraph
import MartletTensor

extension Operands {
  /// The integer if it is known while planning; nil if it is a run-time value.
  func knownInt(_ argument: IntArgument) throws(OperatorError) -> Int? {
    if case .operand(let index) = argument, case .runtime = try scalar(index) { return nil }
    return try int(argument)
  }

  /// Same as `knownInt`, for positions that are clamped to an axis.
  func knownPosition(_ argument: IntArgument) throws(OperatorError) -> Int? {
    if case .operand(let index) = argument, case .runtime = try scalar(index) { return nil }
    return try position(argument)
  }
}

/// The axis counted from the front. `axis` must be in `-rank..<rank`, where rank 0 is treated as rank 1.
func normalAxis(_ axis: Int, rank: Int) throws(OperatorError) -> Int {
  guard let normal = Shape.normalizedAxis(axis, rank: rank) else {
    throw .invalid("axis \(axis) does not fit rank \(rank)")
  }
  return normal
}

/// The sum of extents. Throws if it is not a valid extent.
func extentSum(_ values: Int...) throws(OperatorError) -> Int {
  guard let sum = Extent.sum(values).value else { throw .invalid("an extent overflows") }
  return sum
}

/// The product of two extents. Throws if it is not a valid extent.
func extentProduct(_ a: Int, _ b: Int) throws(OperatorError) -> Int {
  guard let product = (Extent(a) * b).value else { throw .invalid("an extent overflows") }
  return product
}
