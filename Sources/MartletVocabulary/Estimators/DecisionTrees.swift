import MartletTensor

/// Decision trees in flat arrays. A walk starts at a tree's root and ends at a leaf, whose values are added to the result.
///
/// The nodes of a tree lie in sequence, its root first; children lie after their parents in the same tree.
package struct DecisionTrees: Sendable, Hashable {
  /// The condition under which the true child follows. Numbers are compared in double precision.
  package enum Mode: UInt8, Sendable, Hashable, CaseIterable {
    case lessOrEqual, less, greaterOrEqual, greater, equal, notEqual
    case leaf
  }

  /// 24 bytes, since models have millions of nodes.
  package struct Node: Sendable, Hashable {
    package let threshold: Double
    private let storedColumn: Int32
    private let storedTrueChild: Int32
    private let storedFalseChild: Int32
    package let mode: Mode
    /// True if the true child follows where the number is missing (NaN); else the false one does.
    package let missingFollowsTrue: Bool

    /// The column that a branch compares.
    package var column: Int { Int(widening: storedColumn) }
    /// Positions among all nodes.
    package var trueChild: Int { Int(widening: storedTrueChild) }
    package var falseChild: Int { Int(widening: storedFalseChild) }

    /// Positions that 32 bits do not hold become the nearest that they do.
    package init(
      _ mode: Mode, column: Int = 0, threshold: Double = 0, trueChild: Int = 0, falseChild: Int = 0, missingFollowsTrue: Bool = false
    ) {
      self.threshold = threshold
      storedColumn = Int32(clamping: column)
      storedTrueChild = Int32(clamping: trueChild)
      storedFalseChild = Int32(clamping: falseChild)
      self.mode = mode
      self.missingFollowsTrue = missingFollowsTrue
    }
  }

  /// Tree `t` has the nodes from `starts[t]` to `starts[t + 1]`.
  package let starts: [Int]
  package let nodes: [Node]
  /// Node `n` adds `values[e]` to dimension `dimensions[e]` for each e from `entryStarts[n]` to `entryStarts[n + 1]`; none if it is a branch.
  package let entryStarts: [Int]
  package let dimensions: [Int32]
  package let values: [Double]
  /// Number of values of the result.
  package let dimensionCount: Int
  /// The value of each dimension before any tree.
  package let base: [Double]
  /// One more than the largest column that a branch compares.
  package let columnCount: Int

  package var treeCount: Int { starts.count - 1 }

  /// - Parameter base: one for each dimension; empty for zeros.
  /// - Returns: nil if positions are out of range or children do not follow their parents.
  package init?(
    starts: [Int], nodes: [Node], entryStarts: [Int], dimensions: [Int32], values: [Double], dimensionCount: Int, base: [Double]
  ) {
    // Larger positions do not fit nodes.
    let largest = 0x7FFF_FFFF
    guard starts.first == 0, starts.last == nodes.count, nodes.count < largest, zip(starts, starts.dropFirst()).allSatisfy({ $0 < $1 }),
      entryStarts.first == 0, entryStarts.last == values.count, entryStarts.count == nodes.count + 1,
      zip(entryStarts, entryStarts.dropFirst()).allSatisfy({ $0 <= $1 }), dimensions.count == values.count, dimensionCount > 0,
      dimensions.allSatisfy({ $0 >= 0 && Int(widening: $0) < dimensionCount }), base.isEmpty || base.count == dimensionCount
    else { return nil }
    var columnCount = 0
    for tree in 0..<starts.count - 1 {
      for position in starts[tree]..<starts[tree + 1] where nodes[position].mode != .leaf {
        let node = nodes[position]
        let places = position + 1..<starts[tree + 1]
        guard places.contains(node.trueChild), places.contains(node.falseChild), node.column >= 0, node.column < largest else { return nil }
        columnCount = max(columnCount, node.column + 1)
      }
    }
    self.starts = starts
    self.nodes = nodes
    self.entryStarts = entryStarts
    self.dimensions = dimensions
    self.values = values
    self.dimensionCount = dimensionCount
    self.base = base.isEmpty ? [Double](repeating: 0, count: dimensionCount) : base
    self.columnCount = columnCount
  }
}
