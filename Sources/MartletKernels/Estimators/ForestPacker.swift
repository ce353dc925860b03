import MartletTensor
import MartletVocabulary

/// The trees differed between the two readings.
struct ChangedTreesError: Error, CustomStringConvertible {
  let description = "the trees are inconsistent, or they have changed while they were read"
}

/// A comparison of a branch: the first child follows if the key of the number is at most `limit`.
private struct BranchTest {
  /// A key, or nil if no number is that small.
  var limit: Int64?
  var missingFollowsFirst: Bool

  /// Identifies the numbers of a column, with missing ones on one side or the other, in the order of columns.
  func slot(_ node: DecisionTrees.Node) -> Int { node.column << 1 | (missingFollowsFirst ? 0 : 1) }

  /// An integer in the order of numbers; see `martlet_trees.h`.
  private static func key(_ number: Double) -> Int64 {
    if number.bitPattern << 1 == 0 { return 0 }
    let bits = Int64(bitPattern: number.bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  /// True for a branch with two comparisons.
  static func isTwice(_ node: DecisionTrees.Node) -> Bool { (node.mode == .equal || node.mode == .notEqual) && !node.threshold.isNaN }

  /// The comparisons of a branch. The second one, of equality, follows the first child of the first one.
  static func tests(_ node: DecisionTrees.Node) -> (first: BranchTest, second: BranchTest?, isReversed: Bool) {
    let missing = node.missingFollowsTrue
    // No number is smaller than, equal to or larger than NaN.
    let isNaN = node.threshold.isNaN
    let limit = isNaN ? 0 : key(node.threshold)
    let below = limit - 1
    switch node.mode {
    case .lessOrEqual: return (BranchTest(limit: isNaN ? nil : limit, missingFollowsFirst: missing), nil, false)
    case .less: return (BranchTest(limit: isNaN ? nil : below, missingFollowsFirst: missing), nil, false)
    case .greater: return (BranchTest(limit: isNaN ? .max : limit, missingFollowsFirst: !missing), nil, true)
    case .greaterOrEqual: return (BranchTest(limit: isNaN ? .max : below, missingFollowsFirst: !missing), nil, true)
    case .equal, .notEqual:
      // The first test's first child is the second test, whose second child is that of equal numbers.
      let isReversed = node.mode == .notEqual
      let missingIsEqual = missing != isReversed
      if isNaN { return (BranchTest(limit: nil, missingFollowsFirst: missingIsEqual), nil, isReversed) }
      return (
        BranchTest(limit: limit, missingFollowsFirst: missingIsEqual), BranchTest(limit: below, missingFollowsFirst: false), isReversed
      )
    case .leaf: return (BranchTest(limit: nil, missingFollowsFirst: false), nil, false)
    }
  }
}

/// Numbers of the columns that branches compare, by their slots.
private struct ColumnNumbers {
  /// Columns below this number, of which there are few, are found without a search.
  private static let directCount = 1 << 16
  private static let none: Int32 = -1

  private var direct: [Int32] = []
  private var others: [Int: Int32] = [:]
  /// The slot of each number.
  private(set) var slots: [Int] = []

  @inline(__always)
  subscript(slot: Int) -> Int? {
    if slot < direct.count { return direct[slot] == Self.none ? nil : Int(widening: direct[slot]) }
    return others.isEmpty ? nil : others[slot].map { Int(widening: $0) }
  }

  /// The number of a slot, a new one if it has none.
  @inline(__always)
  mutating func number(_ slot: Int) -> Int { self[slot] ?? add(slot) }

  private mutating func add(_ slot: Int) -> Int {
    let number = slots.count
    slots.append(slot)
    if slot < Self.directCount {
      if slot >= direct.count {
        let count = min(max(slot + 1, 2 * direct.count), Self.directCount)
        direct.append(contentsOf: repeatElement(Self.none, count: count - direct.count))
      }
      direct[slot] = Int32(clamping: number)
    } else {
      others[slot] = Int32(clamping: number)
    }
    return number
  }
}

/// Counts and columns of the packed form, from a first reading of the trees.
private struct ForestOutline {
  private(set) var treeCount = 0
  private(set) var nodeCount = 0
  private(set) var columnCount = 0
  private(set) var entryCount = 0
  /// True if each leaf has a value for every dimension in order.
  private(set) var isDense = true
  private let dimensionCount: Int
  private var numbers = ColumnNumbers()
  /// A limit, and the test that has it.
  private struct Limit {
    var key: Int64
    var test: UInt32
  }

  /// The limits of the tests, by number of the column.
  private var limits: [[Limit]] = []
  /// Number of tests so far, in the order in which they are met.
  private var testCount: UInt32 = 0

  init(_ trees: DecisionTrees) throws {
    dimensionCount = trees.dimensionCount
    try trees.forEach { add($0) }
    let largest = Int(UInt32.max)
    guard nodeCount < largest, entryCount < largest else { throw AllocationError(byteCount: .max) }
  }

  private mutating func add(_ tree: DecisionTrees.Tree) {
    // In range: these numbers count parts of memory or of a file.
    treeCount += 1
    nodeCount += 1
    if let root = tree.nodes.first, root.mode == .leaf { count(root, tree) }
    for node in tree.nodes where node.mode != .leaf {
      columnCount = max(columnCount, node.column + 1)
      let (first, second, isReversed) = BranchTest.tests(node)
      collect(first, node)
      if let second { collect(second, node) }
      nodeCount += second == nil ? 2 : 4
      let (holds, fails) = isReversed ? (node.falseChild, node.trueChild) : (node.trueChild, node.falseChild)
      if tree.nodes[holds].mode == .leaf { count(tree.nodes[holds], tree) }
      // Both tests have a child that follows when they fail.
      if tree.nodes[fails].mode == .leaf { count(tree.nodes[fails], tree, times: second == nil ? 1 : 2) }
    }
  }

  private mutating func collect(_ test: BranchTest, _ node: DecisionTrees.Node) {
    let number = numbers.number(test.slot(node))
    if number == limits.count { limits.append([]) }
    if let limit = test.limit { limits[number].append(Limit(key: limit, test: testCount)) }
    testCount = testCount &+ 1
  }

  private mutating func count(_ leaf: DecisionTrees.Node, _ tree: DecisionTrees.Tree, times: Int = 1) {
    entryCount += leaf.values.count * times
    guard isDense else { return }
    isDense = leaf.values.count == dimensionCount
    if isDense { for (dimension, entry) in leaf.values.enumerated() where tree.dimensions[entry] != dimension { isDense = false } }
  }

  /// The columns with their cuts, in the order of slots, and the rank of each test's limit among the cuts of its column, counted from 1;
  /// 0 for a test that no number passes. The limits are no longer needed.
  mutating func takeColumns() -> (columns: [ForestTables.Column], numbers: ColumnNumbers, cuts: [Int64], ranks: [UInt32]) {
    var columns: [ForestTables.Column] = []
    var sorted = ColumnNumbers()
    var cuts: [Int64] = []
    var ranks = [UInt32](repeating: 0, count: Int(clamping: testCount))
    cuts.reserveCapacity(limits.reduce(0) { $0 + $1.count })
    for slot in numbers.slots.sorted() {
      guard let number = numbers[slot] else { continue }
      _ = sorted.number(slot)
      let start = cuts.count
      limits[number].sort { $0.key < $1.key }
      for limit in limits[number] {
        if cuts.count == start || cuts[cuts.count - 1] != limit.key { cuts.append(limit.key) }
        ranks[Int(clamping: limit.test)] = UInt32(clamping: cuts.count - start)
      }
      limits[number] = []
      columns.append(ForestTables.Column(source: slot >> 1, missingIsLow: slot & 1 == 0, start: start, count: cuts.count - start))
    }
    return (columns, sorted, cuts, ranks)
  }
}

/// Makes the packed form of trees.
///
/// The trees are read twice: first to collect the cuts and to count what the tables hold, then to fill tables of this size. Beside the
/// tables, memory is needed for the cuts and one tree.
@safe
struct ForestPacker {
  /// An entry in the queue of a tree that is packed level by level: a node, the second test of one, or a copy of a packed node.
  private struct Place {
    enum Kind: UInt8 {
      case node, second, copy
    }

    var node: Int32
    var kind = Kind.node
  }

  private let trees: DecisionTrees
  private let numbers: ColumnNumbers
  /// The rank of each test's limit, in the order of branches.
  private let ranks: [UInt32]
  let tables: ForestTables
  private let entryCount: Int
  private var isSingle: Bool { trees.dimensionCount == 1 }

  // Numbers of what has been packed.
  private var packedTrees = 0
  private var packedNodes = 0
  private var packedEntries = 0
  private var packedTests = 0

  // Memory that is kept from tree to tree.
  private var queue: [Place] = []
  private var positions: [Int32] = []
  /// The number of the first test of each branch.
  private var tests: [Int] = []
  private var lengths: [UInt32] = []

  init(_ trees: DecisionTrees) throws {
    var outline = try ForestOutline(trees)
    self.trees = trees
    let columns: [ForestTables.Column]
    let allCuts: [Int64]
    (columns, numbers, allCuts, ranks) = outline.takeColumns()
    let isNarrow = columns.count <= Int(UInt16.max) && columns.allSatisfy { $0.count < Int(UInt16.max) - 2 }
    func table(_ count: Int, _ byteCount: Int) throws(AllocationError) -> TensorStorage {
      try TensorStorage(allocating: (Extent(count) * byteCount).clamped)
    }
    let sortedCuts = try table(allCuts.count, 8)
    unsafe allCuts.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { unsafe sortedCuts.pointer.copyMemory(from: start, byteCount: bytes.count) }
    }
    let isSingle = trees.dimensionCount == 1
    let nodeCount = outline.nodeCount
    entryCount = isSingle ? 0 : outline.entryCount
    tables = ForestTables(
      treeCount: outline.treeCount, nodeCount: nodeCount, columnCount: outline.columnCount, columns: columns, cuts: sortedCuts,
      isNarrow: isNarrow,
      nodes: try table(nodeCount, isNarrow ? MemoryLayout<mk_tree_node16>.stride : MemoryLayout<mk_tree_node32>.stride),
      roots: try table(outline.treeCount, 4), depths: try table(outline.treeCount, 4),
      values: try isSingle ? table(nodeCount, 8) : nil, entryStarts: try table(isSingle ? 0 : nodeCount + 1, 4),
      dimensions: try isSingle || outline.isDense ? nil : table(entryCount, 4), entries: try table(entryCount, 8))
  }

  // MARK: Tables

  // A number beyond the first reading's counts ends the packing: see `pack`.

  private func words(_ table: TensorStorage) -> UnsafeMutablePointer<UInt32> { unsafe table.pointer.assumingMemoryBound(to: UInt32.self) }

  private func set(_ position: Int, cut: UInt32, column: Int, left: Int) {
    if tables.isNarrow {
      unsafe tables.nodes.pointer.assumingMemoryBound(to: mk_tree_node16.self)[position] =
        mk_tree_node16(cut: UInt16(clamping: cut), column: UInt16(clamping: column), left: UInt32(clamping: left))
    } else {
      unsafe tables.nodes.pointer.assumingMemoryBound(to: mk_tree_node32.self)[position] =
        mk_tree_node32(cut: cut, column: UInt32(clamping: column), left: UInt32(clamping: left))
    }
  }

  /// Copies a node within the table.
  private func copy(_ source: Int, to position: Int) {
    let size = tables.nodeCount == 0 ? 0 : tables.nodes.byteCount / tables.nodeCount
    unsafe (tables.nodes.pointer + position * size).copyMemory(from: tables.nodes.pointer + source * size, byteCount: size)
  }

  // MARK: Packing

  mutating func pack() throws {
    try trees.forEach { try pack($0) }
    guard packedTrees == tables.treeCount, packedNodes == tables.nodeCount, packedEntries == entryCount else { throw ChangedTreesError() }
    if !isSingle { unsafe words(tables.entryStarts)[tables.nodeCount] = UInt32(clamping: entryCount) }
  }

  /// Packs a tree level by level. The two children of a branch lie side by side. The second test of a branch shares a child with the first
  /// one: a copy of the child's node leads to the same grandchildren.
  private mutating func pack(_ tree: DecisionTrees.Tree) throws {
    guard packedTrees < tables.treeCount, !tree.nodes.isEmpty else { throw ChangedTreesError() }
    let start = packedNodes
    unsafe words(tables.roots)[packedTrees] = UInt32(clamping: start)
    unsafe words(tables.depths)[packedTrees] = longestWalk(tree)
    packedTrees += 1
    queue.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    positions.append(contentsOf: repeatElement(-1, count: tree.nodes.count))
    tests.removeAll(keepingCapacity: true)
    for node in tree.nodes {
      tests.append(packedTests)
      // In range: each test is a part of a branch.
      packedTests += node.mode == .leaf ? 0 : BranchTest.isTwice(node) ? 2 : 1
    }
    guard packedTests <= ranks.count else { throw ChangedTreesError() }
    var hasCopies = false
    try enqueue(0, .node, tree, start)
    var met = 0
    while met < queue.count {
      let place = queue[met]
      let position = start + met
      met += 1
      let node = tree.nodes[Int(widening: place.node)]
      if place.kind == .copy {
        hasCopies = true
        continue
      }
      guard node.mode != .leaf else {
        set(position, cut: tables.isNarrow ? UInt32(UInt16.max) : .max, column: 0, left: position)
        continue
      }
      let (first, second, isReversed) = BranchTest.tests(node)
      let (holds, fails) = isReversed ? (node.falseChild, node.trueChild) : (node.trueChild, node.falseChild)
      let test = place.kind == .second ? second ?? first : first
      guard let column = numbers[test.slot(node)] else { throw ChangedTreesError() }
      let rank = ranks[tests[Int(widening: place.node)] + (place.kind == .second ? 1 : 0)]
      set(position, cut: rank, column: column, left: start + queue.count)
      if second == nil {
        try enqueue(holds, .node, tree, start)
        try enqueue(fails, .node, tree, start)
      } else if place.kind == .second {
        try enqueue(fails, .node, tree, start)
        try enqueue(holds, .node, tree, start)
      } else {
        try enqueue(Int(widening: place.node), .second, tree, start)
        try enqueue(fails, .node, tree, start)
      }
    }
    guard hasCopies else { return }
    for (offset, place) in queue.enumerated() where place.kind == .copy {
      copy(Int(widening: positions[Int(widening: place.node)]), to: start + offset)
    }
  }

  /// Makes room for a node, and packs its values.
  private mutating func enqueue(_ index: Int, _ kind: Place.Kind, _ tree: DecisionTrees.Tree, _ start: Int) throws {
    let position = start + queue.count
    guard position < tables.nodeCount else { throw ChangedTreesError() }
    packedNodes = position + 1
    let node = tree.nodes[index]
    var place = Place(node: Int32(clamping: index), kind: kind)
    if kind == .node {
      if positions[index] == -1 {
        positions[index] = Int32(clamping: position)
      } else if node.mode != .leaf {
        place.kind = .copy
      }
    }
    queue.append(place)
    let range = node.mode == .leaf ? node.values : 0..<0
    if let values = tables.values {
      // A leaf adds its values in order. One value is usual.
      var sum = range.isEmpty ? 0 : tree.values[range.lowerBound]
      for entry in range.dropFirst() { sum += tree.values[entry] }
      unsafe values.pointer.assumingMemoryBound(to: Double.self)[position] = sum
      return
    }
    unsafe words(tables.entryStarts)[position] = UInt32(clamping: packedEntries)
    guard range.count <= entryCount - packedEntries else { throw ChangedTreesError() }
    for entry in range {
      if let dimensions = tables.dimensions { unsafe words(dimensions)[packedEntries] = UInt32(clamping: tree.dimensions[entry]) }
      unsafe tables.entries.pointer.assumingMemoryBound(to: Double.self)[packedEntries] = tree.values[entry]
      packedEntries += 1
    }
  }

  /// Number of comparisons on the longest walk.
  private mutating func longestWalk(_ tree: DecisionTrees.Tree) -> UInt32 {
    lengths.removeAll(keepingCapacity: true)
    lengths.append(contentsOf: repeatElement(0, count: tree.nodes.count))
    var longest: UInt32 = 0
    // Children lie after their parents.
    for (position, node) in tree.nodes.enumerated() {
      let length = lengths[position]
      longest = max(longest, length)
      guard node.mode != .leaf else { continue }
      let next = length + (BranchTest.isTwice(node) ? 2 : 1)
      lengths[node.trueChild] = max(lengths[node.trueChild], next)
      lengths[node.falseChild] = max(lengths[node.falseChild], next)
    }
    return longest
  }
}
