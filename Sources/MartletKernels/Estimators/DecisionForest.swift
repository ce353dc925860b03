package import MartletTensor
package import MartletVocabulary

/// Decision trees in the form that kernels walk.
///
/// Each number is replaced by its rank among the thresholds of its column, so that every branch compares two small integers, whatever its mode:
/// x ≤ t, x < t as x ≤ the number before t, x = t as one branch after another, and so on. Comparing ranks is comparing the numbers in
/// double precision, denormal ones too. A column that is compared both with missing numbers on the side of small ones and on the other has two ranks.
package final class DecisionForest: Sendable {
  let tables: ForestTables
  let base: [Double]
  /// Kernels gather the nodes of many walks by one instruction, where there is one.
  let gathers: Bool

  package var treeCount: Int { tables.treeCount }
  package var nodeCount: Int { tables.nodeCount }
  package var columnCount: Int { tables.columnCount }
  package var dimensionCount: Int { base.count }

  /// - Throws: `AllocationError`, and the errors of reading the trees.
  package convenience init(_ trees: DecisionTrees, gathers: Bool = MachineProfile.current.hasFastGathers) throws {
    var packer = try ForestPacker(trees)
    try packer.pack()
    self.init(packer.tables, base: trees.base, gathers: gathers)
  }

  /// - Parameter base: the value of each dimension before any tree.
  init(_ tables: ForestTables, base: [Double], gathers: Bool = MachineProfile.current.hasFastGathers) {
    (self.tables, self.base, self.gathers) = (tables, base, gathers)
  }

  /// Bytes of ranks that stay in the first cache, and in the second one.
  private static let rankByteCount = 24 << 10
  private static let manyRankByteCount = 400 << 10
  /// Size of trees that do not stay in the second cache from block to block, in bytes.
  private static let largeByteCount = 1 << 20
  private static let mostRows = 4096
  private static let laneCount = 8

  /// Rows that are walked together.
  private var blockRows: Int {
    // Each block of rows reads all trees once: large ones from memory.
    let ranks = tables.byteCount > Self.largeByteCount ? Self.manyRankByteCount : Self.rankByteCount
    let rows = ranks / max(tables.columns.count * (tables.isNarrow ? 2 : 4), 1)
    return min(max(rows / Self.laneCount, 1) * Self.laneCount, Self.mostRows)
  }

  /// Scratch memory of a worker, in bytes.
  package var scratchByteCount: Int {
    (Extent(blockRows) * max(tables.columns.count, 1) * (tables.isNarrow ? 2 : 4) + Int(MK_TREE_RANK_PADDING)).clamped
  }

  /// Operations for `rows` rows, for estimates.
  package func work(rows: Int) -> Double {
    let searches = tables.columns.reduce(0.0) { $0 + Double(Int.bitWidth - $1.count.leadingZeroBitCount) }
    return Double(rows) * (Double(treeCount) * (tables.meanDepth + 1) * 3 + searches * 2)
  }

  /// Writes the sums of all trees to `y`.
  /// - Parameters:
  ///   - x: [rows, columns] of float32 or float64, row-major, with at least `columnCount` columns.
  ///   - y: [rows, dimensionCount] of float64, row-major.
  ///   - scratch: `scratchByteCount` for each worker.
  package func kernel(x: TensorView, y: TensorView, scratch: TensorView) -> Kernel {
    let (rows, width, isFloat) = (x.shape[0], x.shape[1], x.dtype == .float32)
    let block = blockRows
    let table = tables.columns.map {
      mk_tree_column(source: $0.source, start: $0.start, count: $0.count, missing_is_low: $0.missingIsLow ? 1 : 0)
    }
    return { [self] context in
      let source = unsafe context.address(x)
      let sums = unsafe context.pointer(y, as: Double.self)
      // About half a million steps are a millisecond.
      let grain = max(Self.laneCount, (1 << 16) / max(treeCount, 1))
      context.parallelRanges(rows, grain: grain, largest: block) { range, worker in
        let ranks = unsafe context.scratch(scratch, worker: worker, as: UInt8.self)
        var start = range.lowerBound
        while start < range.upperBound, !context.isCancelled {
          let count = min(block, range.upperBound - start)
          for row in start..<start + count {
            for dimension in 0..<dimensionCount { unsafe sums[row * dimensionCount + dimension] = base[dimension] }
          }
          let numbers = unsafe source + start * width * (isFloat ? 4 : 8)
          unsafe table.withUnsafeBufferPointer { table in
            unsafe walk(numbers, isFloat, width, count, table, UnsafeMutableRawPointer(ranks), sums + start * dimensionCount)
          }
          start += count
        }
      }
    }
  }

  private func walk(
    _ x: UnsafeRawPointer, _ isFloat: Bool, _ width: Int, _ rows: Int, _ columns: UnsafeBufferPointer<mk_tree_column>,
    _ ranks: UnsafeMutableRawPointer, _ sums: UnsafeMutablePointer<Double>
  ) {
    let keys = unsafe tables.cuts.pointer.assumingMemoryBound(to: Int64.self)
    let stride = max(columns.count, 1)
    if let table = columns.baseAddress, tables.isNarrow {
      unsafe mk_tree_ranks16(
        keys, table, columns.count, x, isFloat ? 1 : 0, width, rows, ranks.assumingMemoryBound(to: UInt16.self), stride)
    } else if let table = columns.baseAddress {
      unsafe mk_tree_ranks32(
        keys, table, columns.count, x, isFloat ? 1 : 0, width, rows, ranks.assumingMemoryBound(to: UInt32.self), stride)
    }
    var forest = unsafe mk_forest(
      nodes: UnsafeRawPointer(tables.nodes.pointer), node_count: tables.nodeCount,
      roots: tables.roots.pointer.assumingMemoryBound(to: UInt32.self),
      depths: tables.depths.pointer.assumingMemoryBound(to: UInt32.self), tree_count: treeCount,
      values: tables.values.map { unsafe UnsafePointer($0.pointer.assumingMemoryBound(to: Double.self)) },
      starts: tables.entryStarts.pointer.assumingMemoryBound(to: UInt32.self),
      dimensions: tables.dimensions.map { unsafe UnsafePointer($0.pointer.assumingMemoryBound(to: UInt32.self)) },
      entries: tables.entries.pointer.assumingMemoryBound(to: Double.self),
      dimension_count: dimensionCount, gathers: gathers ? 1 : 0)
    if tables.isNarrow {
      unsafe mk_forest_sum16(&forest, ranks.assumingMemoryBound(to: UInt16.self), stride, rows, sums)
    } else {
      unsafe mk_forest_sum32(&forest, ranks.assumingMemoryBound(to: UInt32.self), stride, rows, sums)
    }
  }
}
