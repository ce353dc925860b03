/// Arithmetic on shapes (extents, outermost axis first) and strides (in elements).
package enum Shape {
  /// Maximum number of elements of a tensor. Strides, byte counts and partial products of extents then fit into an `Int` with room to
  /// spare.
  package static let largestElementCount = 1 << 52

  /// Product of the extents; 1 for rank 0. Nil if an extent is negative or the product of the nonzero extents exceeds
  /// `largestElementCount`.
  package static func elementCount(_ shape: [Int]) -> Int? {
    var count = 1
    var isEmpty = false
    for extent in shape {
      if extent == 0 {
        isEmpty = true
        continue
      }
      guard extent > 0, extent <= largestElementCount / count else { return nil }
      // In range: the extent is at most the limit divided by the count so far.
      count *= extent
    }
    return isEmpty ? 0 : count
  }

  /// True if both are shapes that a tensor can have, with the same number of elements.
  package static func haveEqualCounts(_ first: [Int], _ second: [Int]) -> Bool {
    guard let count = elementCount(first) else { return false }
    return count == elementCount(second)
  }

  /// Row-major strides of a dense tensor.
  package static func contiguousStrides(_ shape: [Int]) -> [Int] {
    // All elements are replaced. Copying a list takes less time than filling one.
    var strides = shape
    var stride: Extent = 1
    for axis in shape.indices.reversed() {
      strides[axis] = stride.clamped
      stride *= max(shape[axis], 1)
    }
    return strides
  }

  /// True if elements with these strides lie row-major without gaps.
  package static func isContiguous(_ shape: [Int], strides: [Int]) -> Bool {
    if shape.contains(0) { return true }
    var expected: Extent = 1
    for axis in shape.indices.reversed() where shape[axis] != 1 {
      guard Extent(strides[axis]) == expected else { return false }
      expected *= shape[axis]
    }
    return true
  }

  /// Strides of a dense tensor laid out in `dimOrder`, a permutation of the axes from outermost to innermost in memory.
  package static func strides(_ shape: [Int], dimOrder: [Int]) -> [Int] {
    var strides = shape
    var stride: Extent = 1
    for axis in dimOrder.reversed() {
      strides[axis] = stride.clamped
      stride *= max(shape[axis], 1)
    }
    return strides
  }

  /// Axis order of a row-major tensor, outermost first: `[0, 1, …, rank-1]`.
  package static func rowMajorOrder(rank: Int) -> [Int] {
    rank < rowMajorOrders.count ? rowMajorOrders[rank] : Array(0..<rank)
  }

  /// Axis order of a channels-last tensor, outermost first: `[0, 2, …, rank-1, 1]`; identity below rank 3.
  package static func channelsLastOrder(rank: Int) -> [Int] {
    rank < channelsLastOrders.count ? channelsLastOrders[rank] : makeChannelsLastOrder(rank: rank)
  }

  private static func makeChannelsLastOrder(rank: Int) -> [Int] {
    rank < 3 ? Array(0..<rank) : [0] + Array(2..<rank) + [1]
  }

  /// The orders of usual ranks, by rank. Copies of a list share its memory.
  private static let rowMajorOrders = (0...6).map { Array(0..<$0) }
  private static let channelsLastOrders = (0...6).map { makeChannelsLastOrder(rank: $0) }

  /// The common shape after broadcasting (NumPy's rule); nil if there is none.
  package static func broadcast(_ a: [Int], _ b: [Int]) -> [Int]? {
    if a == b { return a }
    let rank = max(a.count, b.count)
    var result = [Int](repeating: 1, count: rank)
    for i in 0..<rank {
      let x = i < rank - a.count ? 1 : a[i - (rank - a.count)]
      let y = i < rank - b.count ? 1 : b[i - (rank - b.count)]
      if x == y || y == 1 {
        result[i] = x
      } else if x == 1 {
        result[i] = y
      } else {
        return nil
      }
    }
    return result
  }

  /// Converts `axis` in `-rank..<rank` to a non-negative axis; nil if it is out of range. As in ATen, rank 0 is treated as rank 1.
  package static func normalizedAxis(_ axis: Int, rank: Int) -> Int? {
    let bound = max(rank, 1)
    guard axis >= -bound, axis < bound else { return nil }
    // In range: the sum of a negative axis and a rank.
    return axis < 0 ? axis + bound : axis
  }
}

extension DefaultStringInterpolation {
  /// Formats integers like an array's description, without dynamic look-up of each element's conformance.
  package mutating func appendInterpolation(_ numbers: [Int]) {
    appendLiteral("[")
    for (position, number) in numbers.enumerated() {
      if position > 0 { appendLiteral(", ") }
      appendLiteral(String(number))
    }
    appendLiteral("]")
  }
}
