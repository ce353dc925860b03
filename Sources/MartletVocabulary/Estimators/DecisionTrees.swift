import MartletTensor

/// Decision trees, given one after another. A walk starts at a tree's root and ends at a leaf, whose values are added to the result.
///
/// Trees may be in a file: models have millions of nodes, which are only read to be packed.
package struct DecisionTrees: Sendable {
  /// The condition under which the true child follows. Numbers are compared in double precision.
  package enum Mode: UInt8, Sendable, Hashable, CaseIterable {
    case lessOrEqual, less, greaterOrEqual, greater, equal, notEqual
    case leaf
  }

  package struct Node: Sendable, Hashable {
    package let threshold: Double
    private let storedColumn: Int32
    private let storedTrueChild: Int32
    private let storedFalseChild: Int32
    private let storedFirstValue: Int32
    private let storedValueCount: Int32
    package let mode: Mode
    /// True if the true child follows where the number is missing (NaN); else the false one does.
    package let missingFollowsTrue: Bool

    /// The column that a branch compares.
    package var column: Int { Int(widening: storedColumn) }
    /// Positions in the tree.
    package var trueChild: Int { Int(widening: storedTrueChild) }
    package var falseChild: Int { Int(widening: storedFalseChild) }
    /// The values of the tree that the node adds; none if it is a branch.
    package var values: Range<Int> { Int(widening: storedFirstValue)..<Int(widening: storedFirstValue) + Int(widening: storedValueCount) }

    /// Numbers that 32 bits do not hold become the nearest that they do.
    package init(
      _ mode: Mode, column: Int = 0, threshold: Double = 0, trueChild: Int = 0, falseChild: Int = 0, missingFollowsTrue: Bool = false,
      values: Range<Int> = 0..<0
    ) {
      self.threshold = threshold
      storedColumn = Int32(clamping: column)
      storedTrueChild = Int32(clamping: trueChild)
      storedFalseChild = Int32(clamping: falseChild)
      storedFirstValue = Int32(clamping: values.lowerBound)
      storedValueCount = Int32(clamping: values.count)
      self.mode = mode
      self.missingFollowsTrue = missingFollowsTrue
    }
  }

  /// The nodes of a tree, its root first; children lie after their parents.
  package struct Tree: Sendable, Hashable {
    package var nodes: [Node]
    /// `values[e]` is added to dimension `dimensions[e]`.
    package var dimensions: [Int32]
    package var values: [Double]

    package init(nodes: [Node] = [], dimensions: [Int32] = [], values: [Double] = []) {
      (self.nodes, self.dimensions, self.values) = (nodes, dimensions, values)
    }

    /// True if children follow their parents and values are those of dimensions.
    fileprivate func isConsistent(dimensionCount: Int) -> Bool {
      guard !nodes.isEmpty, dimensions.count == values.count, dimensions.allSatisfy({ $0 >= 0 && Int(widening: $0) < dimensionCount })
      else { return false }
      return nodes.enumerated().allSatisfy { position, node in
        if node.mode == .leaf { return node.values.lowerBound >= 0 && node.values.upperBound <= values.count }
        let places = position + 1..<max(nodes.count, position + 1)
        return places.contains(node.trueChild) && places.contains(node.falseChild) && node.column >= 0
      }
    }
  }

  /// Number of values of the result.
  package let dimensionCount: Int
  /// The value of each dimension before any tree.
  package let base: [Double]
  private let read: @Sendable (_ body: (Tree) throws -> Void) throws -> Void

  /// Trees that have been checked: children follow their parents, columns are not negative and dimensions are below `dimensionCount`.
  ///
  /// - Parameters:
  ///   - base: one for each dimension; empty for zeros.
  ///   - read: calls `body` with each tree in order, the same ones whenever it is called.
  package init(dimensionCount: Int, base: [Double], read: @escaping @Sendable (_ body: (Tree) throws -> Void) throws -> Void) {
    self.dimensionCount = dimensionCount
    self.base = base.isEmpty ? [Double](repeating: 0, count: dimensionCount) : base
    self.read = read
  }

  /// Trees in memory.
  /// - Parameter base: one for each dimension; empty for zeros.
  /// - Returns: nil if positions are out of range or children do not follow their parents.
  package init?(_ trees: [Tree], dimensionCount: Int, base: [Double]) {
    guard dimensionCount > 0, base.isEmpty || base.count == dimensionCount,
      trees.allSatisfy({ $0.isConsistent(dimensionCount: dimensionCount) })
    else { return nil }
    self.init(dimensionCount: dimensionCount, base: base) { body in
      for tree in trees { try body(tree) }
    }
  }

  package func forEach(_ body: (Tree) throws -> Void) throws { try read(body) }
}
