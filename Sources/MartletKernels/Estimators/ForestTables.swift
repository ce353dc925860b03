import MartletTensor

/// The tables of trees that kernels walk; `martlet_trees.h` describes their contents.
struct ForestTables: Sendable {
  /// A rank: the numbers of a column of the input, compared with `cuts`.
  struct Column: Sendable {
    let source: Int
    /// True if NaN is smaller than all numbers; otherwise it is larger.
    let missingIsLow: Bool
    /// The place of its first cut, and their number.
    let start: Int
    let count: Int
  }

  let treeCount: Int
  let nodeCount: Int
  /// One more than the largest column that a branch compares.
  let columnCount: Int
  let columns: [Column]
  let cuts: TensorStorage
  /// True if ranks and positions of columns have 16 bits.
  let isNarrow: Bool
  let nodes: TensorStorage
  let roots: TensorStorage
  let depths: TensorStorage
  /// With one dimension the value of each node; else nil.
  let values: TensorStorage?
  let entryStarts: TensorStorage
  /// Nil if each leaf has a value for every dimension in order.
  let dimensions: TensorStorage?
  let entries: TensorStorage

  /// Size of what walks read, in bytes.
  var byteCount: Int {
    nodes.byteCount + (values?.byteCount ?? 0) + entryStarts.byteCount + (dimensions?.byteCount ?? 0) + entries.byteCount
  }

  /// Mean length of a walk, for estimates.
  var meanDepth: Double {
    guard treeCount > 0 else { return 0 }
    let depths = unsafe depths.pointer.assumingMemoryBound(to: UInt32.self)
    return (0..<treeCount).reduce(0.0) { unsafe $0 + Double(min(depths[$1], 64)) } / Double(treeCount)
  }
}
