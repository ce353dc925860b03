internal import CMartletKernels
package import MartletTensor
package import MartletVocabulary

/// Decision trees in the form that kernels walk.
///
/// Each number is replaced by its rank among the thresholds of its column, so that every branch compares two small integers, whatever its mode:
/// x ≤ t, x < t as x ≤ the number before t, x = t as one branch after another, and so on. Comparing ranks is comparing the numbers in
/// double precision, denormal ones too. A column that is compared both with missing numbers on the side of small ones and on the other has two ranks.
package final class DecisionForest: Sendable {
  /// A rank: the numbers of a column of the input, compared with `cuts`.
  struct Column: Sendable {
    let source: Int
    /// True if NaN is smaller than all numbers; otherwise it is larger.
    let missingIsLow: Bool
    /// The place of its first cut, and their number.
    let start: Int
    let count: Int
  }

  package let treeCount: Int
  package let nodeCount: Int
  package let columnCount: Int
  package let dimensionCount: Int
  let base: [Double]
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
  /// Mean length of a walk, for estimates.
  let meanDepth: Double

  package init(_ trees: DecisionTrees) throws(AllocationError) {
    var packer = ForestPacker(trees)
    packer.pack()
    treeCount = trees.treeCount
    nodeCount = packer.nodes.count
    columnCount = trees.columnCount
    dimensionCount = trees.dimensionCount
    base = trees.base
    (columns, isNarrow) = (packer.columns, packer.isNarrow)
    cuts = try Self.storage(packer.cuts)
    nodes =
      try packer.isNarrow
      ? Self.storage(packer.nodes.map { mk_tree_node16(cut: UInt16(clamping: $0.cut), column: UInt16(clamping: $0.column), left: $0.left) })
      : Self.storage(packer.nodes.map { mk_tree_node32(cut: $0.cut, column: $0.column, left: $0.left) })
    roots = try Self.storage(packer.roots)
    depths = try Self.storage(packer.depths)
    let isSingle = trees.dimensionCount == 1
    values = try isSingle ? Self.storage(packer.values) : nil
    entryStarts = try Self.storage(isSingle ? [] : packer.entryStarts)
    dimensions = try isSingle || packer.isDense ? nil : Self.storage(packer.dimensions)
    entries = try Self.storage(isSingle ? [] : packer.entries)
    meanDepth = packer.depths.isEmpty ? 0 : packer.depths.reduce(0.0) { $0 + Double(min($1, 64)) } / Double(packer.depths.count)
  }

  init(
    treeCount: Int, nodeCount: Int, columnCount: Int, dimensionCount: Int, base: [Double], columns: [Column], cuts: TensorStorage,
    isNarrow: Bool, nodes: TensorStorage, roots: TensorStorage, depths: TensorStorage, values: TensorStorage?, entryStarts: TensorStorage,
    dimensions: TensorStorage?, entries: TensorStorage, meanDepth: Double
  ) {
    (self.treeCount, self.nodeCount, self.columnCount, self.dimensionCount) = (treeCount, nodeCount, columnCount, dimensionCount)
    (self.base, self.columns, self.cuts, self.isNarrow) = (base, columns, cuts, isNarrow)
    (self.nodes, self.roots, self.depths, self.values) = (nodes, roots, depths, values)
    (self.entryStarts, self.dimensions, self.entries, self.meanDepth) = (entryStarts, dimensions, entries, meanDepth)
  }

  private static func storage<Element: BitwiseCopyable>(_ elements: [Element]) throws(AllocationError) -> TensorStorage {
    let byteCount = elements.count * MemoryLayout<Element>.stride
    let storage = try TensorStorage(allocating: byteCount)
    unsafe elements.withUnsafeBytes { bytes in
      if byteCount > 0 { unsafe storage.pointer.copyMemory(from: bytes.baseAddress!, byteCount: byteCount) }
    }
    return storage
  }

  /// Bytes of ranks that stay in the first cache, and in the second one.
  private static let rankByteCount = 24 << 10
  private static let manyRankByteCount = 400 << 10
  /// Size of trees that do not stay in the second cache from block to block, in bytes.
  private static let largeByteCount = 1 << 20
  private static let mostRows = 4096
  private static let laneCount = 8

  /// Size of what walks read, in bytes.
  private var byteCount: Int {
    nodes.byteCount + (values?.byteCount ?? 0) + entryStarts.byteCount + (dimensions?.byteCount ?? 0) + entries.byteCount
  }

  /// Rows that are walked together.
  private var blockRows: Int {
    // Each block of rows reads all trees once: large ones from memory.
    let rows = (byteCount > Self.largeByteCount ? Self.manyRankByteCount : Self.rankByteCount) / max(columns.count * (isNarrow ? 2 : 4), 1)
    return min(max(rows / Self.laneCount, 1) * Self.laneCount, Self.mostRows)
  }

  /// Scratch memory of a worker, in bytes.
  package var scratchByteCount: Int { (Extent(blockRows) * max(columns.count, 1) * (isNarrow ? 2 : 4)).clamped }

  /// Operations for `rows` rows, for estimates.
  package func work(rows: Int) -> Double {
    let searches = columns.reduce(0.0) { $0 + Double(Int.bitWidth - $1.count.leadingZeroBitCount) }
    return Double(rows) * (Double(treeCount) * (meanDepth + 1) * 3 + searches * 2)
  }

  /// Writes the sums of all trees to `y`.
  /// - Parameters:
  ///   - x: [rows, columns] of float32 or float64, row-major, with at least `columnCount` columns.
  ///   - y: [rows, dimensionCount] of float64, row-major.
  ///   - scratch: `scratchByteCount` for each worker.
  package func kernel(x: TensorView, y: TensorView, scratch: TensorView) -> Kernel {
    let (rows, width, isFloat) = (x.shape[0], x.shape[1], x.dtype == .float32)
    let block = blockRows
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
          unsafe walk(numbers, isFloat, width, count, UnsafeMutableRawPointer(ranks), sums + start * dimensionCount)
          start += count
        }
      }
    }
  }

  private func walk(
    _ x: UnsafeRawPointer, _ isFloat: Bool, _ width: Int, _ rows: Int, _ ranks: UnsafeMutableRawPointer,
    _ sums: UnsafeMutablePointer<Double>
  ) {
    let table = unsafe cuts.pointer.assumingMemoryBound(to: Int64.self)
    let stride = max(columns.count, 1)
    for (position, column) in columns.enumerated() {
      let source = unsafe x + column.source * (isFloat ? 4 : 8)
      if isNarrow {
        unsafe mk_tree_ranks16(
          table + column.start, column.count, source, isFloat ? 1 : 0, width, rows, column.missingIsLow ? 0 : .max,
          ranks.assumingMemoryBound(to: UInt16.self) + position, stride)
      } else {
        unsafe mk_tree_ranks32(
          table + column.start, column.count, source, isFloat ? 1 : 0, width, rows, column.missingIsLow ? 0 : .max,
          ranks.assumingMemoryBound(to: UInt32.self) + position, stride)
      }
    }
    var forest = unsafe mk_forest(
      nodes: UnsafeRawPointer(nodes.pointer), roots: roots.pointer.assumingMemoryBound(to: UInt32.self),
      depths: depths.pointer.assumingMemoryBound(to: UInt32.self), tree_count: treeCount,
      values: values.map { unsafe UnsafePointer($0.pointer.assumingMemoryBound(to: Double.self)) },
      starts: entryStarts.pointer.assumingMemoryBound(to: UInt32.self),
      dimensions: dimensions.map { unsafe UnsafePointer($0.pointer.assumingMemoryBound(to: UInt32.self)) },
      entries: entries.pointer.assumingMemoryBound(to: Double.self),
      dimension_count: dimensionCount)
    if isNarrow {
      unsafe mk_forest_sum16(&forest, ranks.assumingMemoryBound(to: UInt16.self), stride, rows, sums)
    } else {
      unsafe mk_forest_sum32(&forest, ranks.assumingMemoryBound(to: UInt32.self), stride, rows, sums)
    }
  }
}

/// Makes the packed form of trees.
private struct ForestPacker {
  struct Node {
    var cut: UInt32 = 0
    var column: UInt32 = 0
    var left: UInt32 = 0
  }

  /// A comparison: the first child follows if the key of the number is at most `limit`.
  private struct Test {
    /// A key, or nil if no number is that small.
    var limit: Int64?
    var missingFollowsFirst: Bool
  }

  private struct Key: Hashable {
    var source: Int
    var missingIsLow: Bool
  }

  let trees: DecisionTrees
  private(set) var columns: [DecisionForest.Column] = []
  private(set) var cuts: [Int64] = []
  private(set) var nodes: [Node] = []
  private(set) var roots: [UInt32] = []
  private(set) var depths: [UInt32] = []
  private(set) var values: [Double] = []
  private(set) var entryStarts: [UInt32] = []
  private(set) var dimensions: [UInt32] = []
  private(set) var entries: [Double] = []
  private(set) var isNarrow = true
  /// True if each leaf has a value for every dimension in order.
  private(set) var isDense = true
  private var positions: [Key: Int] = [:]

  init(_ trees: DecisionTrees) { self.trees = trees }

  /// An integer in the order of numbers; see `martlet_trees.h`.
  private static func key(_ number: Double) -> Int64 {
    if number.bitPattern << 1 == 0 { return 0 }
    let bits = Int64(bitPattern: number.bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  /// The comparisons of a branch. The second one, of equality, follows the first child of the first one.
  private static func tests(_ node: DecisionTrees.Node) -> (first: Test, second: Test?, isReversed: Bool) {
    let missing = node.missingFollowsTrue
    // No number is smaller than, equal to or larger than NaN.
    let isNaN = node.threshold.isNaN
    let limit = isNaN ? 0 : key(node.threshold)
    let below = limit - 1
    switch node.mode {
    case .lessOrEqual: return (Test(limit: isNaN ? nil : limit, missingFollowsFirst: missing), nil, false)
    case .less: return (Test(limit: isNaN ? nil : below, missingFollowsFirst: missing), nil, false)
    case .greater: return (Test(limit: isNaN ? .max : limit, missingFollowsFirst: !missing), nil, true)
    case .greaterOrEqual: return (Test(limit: isNaN ? .max : below, missingFollowsFirst: !missing), nil, true)
    case .equal, .notEqual:
      // The first test's first child is the second test, whose second child is that of equal numbers.
      let isReversed = node.mode == .notEqual
      let missingIsEqual = missing != isReversed
      if isNaN { return (Test(limit: nil, missingFollowsFirst: missingIsEqual), nil, isReversed) }
      return (Test(limit: limit, missingFollowsFirst: missingIsEqual), Test(limit: below, missingFollowsFirst: false), isReversed)
    case .leaf: return (Test(limit: nil, missingFollowsFirst: false), nil, false)
    }
  }

  mutating func pack() {
    collectColumns()
    // Arrays that grow are copied. Tests of equality have a node more, which is rare.
    nodes.reserveCapacity(trees.nodes.count)
    if trees.dimensionCount == 1 { values.reserveCapacity(trees.nodes.count) }
    for tree in 0..<trees.treeCount { pack(tree) }
    entryStarts.append(UInt32(clamping: entries.count))
  }

  private mutating func collectColumns() {
    var cutsOfKeys: [Key: Set<Int64>] = [:]
    for node in trees.nodes where node.mode != .leaf {
      let (first, second, _) = Self.tests(node)
      for test in [first, second].compactMap({ $0 }) {
        let key = Key(source: node.column, missingIsLow: test.missingFollowsFirst)
        cutsOfKeys[key, default: []].formUnion(test.limit.map { [$0] } ?? [])
      }
    }
    for (key, set) in cutsOfKeys.sorted(by: { ($0.key.source, $0.key.missingIsLow ? 0 : 1) < ($1.key.source, $1.key.missingIsLow ? 0 : 1) })
    {
      let sorted = set.sorted()
      positions[key] = columns.count
      columns.append(
        DecisionForest.Column(source: key.source, missingIsLow: key.missingIsLow, start: cuts.count, count: sorted.count))
      cuts += sorted
      if sorted.count >= Int(UInt16.max) - 2 { isNarrow = false }
    }
    if columns.count > Int(UInt16.max) { isNarrow = false }
  }

  /// Where a node goes: a node of the trees, or the second test of one.
  private struct Place {
    var node: Int
    var isSecond = false
  }

  /// Packs a tree level by level. The two children of a branch lie side by side. The second test of a branch shares a child with the first
  /// one: a copy of the child's node leads to the same grandchildren.
  private mutating func pack(_ tree: Int) {
    let start = trees.starts[tree]
    roots.append(UInt32(clamping: nodes.count))
    depths.append(longestWalk(tree))
    var packed = [Int](repeating: -1, count: trees.starts[tree + 1] - start)
    var copies: [(position: Int, node: Int)] = []
    var level: [Place?] = [Place(node: start)]
    var first = nodes.count
    append(start)
    while !level.isEmpty {
      var next: [Place?] = []
      let nextFirst = first + level.count
      for (offset, place) in level.enumerated() {
        guard let place else { continue }
        let position = first + offset
        let node = trees.nodes[place.node]
        if !place.isSecond { packed[place.node - start] = position }
        guard node.mode != .leaf else {
          nodes[position] = Node(cut: isNarrow ? UInt32(UInt16.max) : .max, column: 0, left: UInt32(clamping: position))
          continue
        }
        let (test, children) = comparison(place)
        let column = positions[Key(source: node.column, missingIsLow: test.missingFollowsFirst)] ?? 0
        nodes[position] = Node(
          cut: cut(test, column), column: UInt32(clamping: column), left: UInt32(clamping: nextFirst + next.count))
        for child in children {
          let isShared = !child.isSecond && trees.nodes[child.node].mode != .leaf && packed[child.node - start] != -1
          if isShared { copies.append((nodes.count, child.node)) }
          // A child of the first test is known before the second test is met.
          if !child.isSecond, packed[child.node - start] == -1 { packed[child.node - start] = nodes.count }
          next.append(isShared ? nil : child)
          append(child.node)
        }
      }
      (level, first) = (next, nextFirst)
    }
    for (position, node) in copies { nodes[position] = nodes[packed[node - start]] }
  }

  /// The comparison of a branch, and its first and second child.
  private func comparison(_ place: Place) -> (test: Test, children: [Place]) {
    let node = trees.nodes[place.node]
    let (first, second, isReversed) = Self.tests(node)
    let holds = Place(node: isReversed ? node.falseChild : node.trueChild)
    let fails = Place(node: isReversed ? node.trueChild : node.falseChild)
    guard let second else { return (first, [holds, fails]) }
    return place.isSecond ? (second, [fails, holds]) : (first, [Place(node: place.node, isSecond: true), fails])
  }

  /// Number of comparisons on the longest walk.
  private func longestWalk(_ tree: Int) -> UInt32 {
    let (start, end) = (trees.starts[tree], trees.starts[tree + 1])
    var depths = [UInt32](repeating: 0, count: end - start)
    var longest: UInt32 = 0
    // Children lie after their parents.
    for position in start..<end {
      let node = trees.nodes[position]
      longest = max(longest, depths[position - start])
      guard node.mode != .leaf else { continue }
      let depth = depths[position - start] + (Self.tests(node).second == nil ? 1 : 2)
      for child in [node.trueChild, node.falseChild] { depths[child - start] = max(depths[child - start], depth) }
    }
    return longest
  }

  /// The rank of the largest number that passes a test.
  private func cut(_ test: Test, _ column: Int) -> UInt32 {
    guard let limit = test.limit else { return 0 }
    let column = columns[column]
    var (low, high) = (column.start, column.start + column.count)
    while low < high {
      let middle = low + (high - low) / 2
      if cuts[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return UInt32(clamping: low - column.start + 1)
  }

  /// Appends room for a node, and its values.
  private mutating func append(_ node: Int) {
    nodes.append(Node())
    let range = trees.entryStarts[node]..<trees.entryStarts[node + 1]
    if trees.dimensionCount == 1 {
      // A leaf adds its values in order. One value is usual.
      values.append(range.isEmpty ? 0 : trees.values[range].dropFirst().reduce(trees.values[range.lowerBound], +))
      return
    }
    entryStarts.append(UInt32(clamping: entries.count))
    guard trees.nodes[node].mode == .leaf else { return }
    isDense = isDense && range.count == trees.dimensionCount && range.enumerated().allSatisfy { trees.dimensions[$1] == Int32($0) }
    for entry in range {
      dimensions.append(UInt32(clamping: trees.dimensions[entry]))
      entries.append(trees.values[entry])
    }
  }
}
