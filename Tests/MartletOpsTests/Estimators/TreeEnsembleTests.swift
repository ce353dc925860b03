import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

private typealias Node = DecisionTrees.Node

private func tensor(_ results: [CallResult]) throws -> HostTensor {
  guard case .tensor(let tensor) = results[0] else { throw HarnessError.noTensor }
  return tensor
}

extension DecisionTrees {
  /// The definition: a walk from each root to a leaf with comparisons of doubles; leaves are added tree by tree.
  fileprivate func walk(_ row: [Double]) throws -> [Double] {
    var sums = base
    try forEach { tree in
      var place = 0
      while tree.nodes[place].mode != .leaf {
        let node = tree.nodes[place]
        let x = row[node.column]
        let isTrue: Bool
        if x.isNaN {
          isTrue = node.missingFollowsTrue
        } else {
          switch node.mode {
          case .lessOrEqual: isTrue = x <= node.threshold
          case .less: isTrue = x < node.threshold
          case .greaterOrEqual: isTrue = x >= node.threshold
          case .greater: isTrue = x > node.threshold
          case .equal: isTrue = x == node.threshold
          case .notEqual: isTrue = x != node.threshold
          case .leaf: isTrue = false
          }
        }
        place = isTrue ? node.trueChild : node.falseChild
      }
      for entry in tree.nodes[place].values { sums[Int(tree.dimensions[entry])] += tree.values[entry] }
    }
    return sums
  }
}

/// Numbers at which comparisons differ.
private let specials: [Double] = [
  .nan, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude, 1, 1.0.nextUp,
  1.0.nextDown,
  Double(Float(0.1)), 0.1, -2.5,
]

/// Trees of random shapes, whose thresholds are special or random numbers.
private func randomTrees(
  _ count: Int, depth: Int, columns: Int, dimensions: Int, modes: [DecisionTrees.Mode], isDense: Bool = false,
  _ random: inout SeededGenerator
) throws -> DecisionTrees {
  var trees: [DecisionTrees.Tree] = []
  for _ in 0..<count {
    var tree = DecisionTrees.Tree()
    func grow(_ level: Int) -> Int {
      let place = tree.nodes.count
      tree.nodes.append(Node(.leaf))
      if level == depth || Int.random(in: 0..<6, using: &random) == 0 {
        let start = tree.values.count
        for dimension in 0..<dimensions where dimensions == 1 || isDense || Bool.random(using: &random) {
          tree.dimensions.append(Int32(dimension))
          tree.values.append(Double.random(in: -1...1, using: &random))
        }
        tree.nodes[place] = Node(.leaf, values: start..<tree.values.count)
        return place
      }
      let threshold = Bool.random(using: &random) ? specials.randomElement(using: &random)! : Double.random(in: -2...2, using: &random)
      let (first, second) = (grow(level + 1), grow(level + 1))
      let isSwapped = Bool.random(using: &random)
      tree.nodes[place] = Node(
        modes.randomElement(using: &random)!, column: Int.random(in: 0..<columns, using: &random), threshold: threshold,
        trueChild: isSwapped ? second : first, falseChild: isSwapped ? first : second, missingFollowsTrue: Bool.random(using: &random))
      return place
    }
    _ = grow(0)
    trees.append(tree)
  }
  let base = (0..<dimensions).map { 0.25 * Double($0) - 0.1 }
  return try #require(DecisionTrees(trees, dimensionCount: dimensions, base: base))
}

/// A branch and two leaves, which add one value each.
private func stump(_ branch: Node, _ values: [Double]) -> DecisionTrees.Tree {
  DecisionTrees.Tree(nodes: [branch, Node(.leaf, values: 0..<1), Node(.leaf, values: 1..<2)], dimensions: [0, 0], values: values)
}

@Suite struct TreeEnsembleTests {
  private static let branches = DecisionTrees.Mode.allCases.filter { $0 != .leaf }

  /// Runs the operator on rows and compares each bit with the definition.
  private func check(_ trees: DecisionTrees, _ rows: [[Double]], columns: Int, _ dtype: DType = .float64, threads: Int = 2) throws {
    let elements = rows.flatMap { $0 }
    let x =
      dtype == .float64
      ? HostTensor(.float64, [rows.count, columns], elements)
      : HostTensor(.float32, [rows.count, columns], elements.map { Float($0) })
    let expected = try rows.flatMap { row in try trees.walk(dtype == .float64 ? row : row.map { Double(Float($0)) }) }
    for gathers in [false, true] {
      let y = try tensor(try runOperator(TreeEnsemble(trees, gathers: gathers), [.tensor(x)], threads: threads))
      #expect(y.dtype == .float64 && y.shape == [rows.count, trees.dimensionCount])
      #expect(y.elements(as: Double.self).map(\.bitPattern) == expected.map(\.bitPattern))
    }
  }

  @Test(arguments: [0, 1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 100, 300], [1, 3])
  func sumsAreThoseOfWalksInDoubles(_ rowCount: Int, _ dimensions: Int) throws {
    var random = SeededGenerator(seed: UInt64(rowCount * 10 + dimensions))
    let columns = 5
    let trees = try randomTrees(
      dimensions == 1 ? 83 : 19, depth: 6, columns: columns, dimensions: dimensions, modes: Self.branches, &random)
    let rows = (0..<rowCount).map { _ in
      (0..<columns).map { _ in
        Bool.random(using: &random) ? specials.randomElement(using: &random)! : Double.random(in: -2...2, using: &random)
      }
    }
    for threads in [1, 2] { try check(trees, rows, columns: columns, threads: threads) }
    try check(trees, rows, columns: columns, .float32)
  }

  @Test(arguments: branches) func eachModeComparesAtItsThreshold(_ mode: DecisionTrees.Mode) throws {
    for threshold in specials {
      for missing in [false, true] {
        let branch = Node(mode, column: 1, threshold: threshold, trueChild: 1, falseChild: 2, missingFollowsTrue: missing)
        let trees = try #require(DecisionTrees([stump(branch, [1, 2])], dimensionCount: 1, base: []))
        try check(trees, specials.map { [9, $0] }, columns: 2)
      }
    }
  }

  @Test func columnsWithManyThresholdsAreComparedToo() throws {
    // More cuts than 16 bits count.
    let count = 66_000
    let stumps = (0..<count).map { tree -> DecisionTrees.Tree in
      let branch = Node(.less, threshold: Double(tree), trueChild: 1, falseChild: 2)
      return stump(branch, [2 * tree, 2 * tree + 1].map { Double($0 % 7) })
    }
    let trees = try #require(DecisionTrees(stumps, dimensionCount: 1, base: [0]))
    let rows = [-1, 0, 0.5, 65_535, 65_999, 1e9, .nan].map { [$0] }
    try check(trees, rows, columns: 1)
    try check(trees, rows + rows + rows, columns: 1)
  }

  @Test(arguments: [DecisionTrees.Mode.lessOrEqual, .equal]) func aLongChainIsWalkedToItsEnd(_ mode: DecisionTrees.Mode) throws {
    // Each branch has a leaf on one side and the next branch on the other.
    let depth = 20_000
    var tree = DecisionTrees.Tree()
    for level in 0..<depth {
      tree.nodes.append(Node(mode, threshold: Double(level), trueChild: 2 * level + 1, falseChild: 2 * level + 2))
      tree.nodes.append(Node(.leaf, values: level..<level + 1))
    }
    tree.nodes.append(Node(.leaf, values: depth..<depth + 1))
    tree.dimensions = [Int32](repeating: 0, count: depth + 1)
    tree.values = (0...depth).map(Double.init)
    let trees = try #require(DecisionTrees([tree], dimensionCount: 1, base: []))
    try check(trees, [0, 1, 17, 18_999, 19_999, 20_000, 0.5, .nan].map { [$0] }, columns: 1)
  }

  @Test func leavesWithAllDimensionsAddThem() throws {
    var random = SeededGenerator(seed: 31)
    let trees = try randomTrees(11, depth: 5, columns: 3, dimensions: 4, modes: Self.branches, isDense: true, &random)
    let rows = (0..<21).map { _ in (0..<3).map { _ in Double.random(in: -2...2, using: &random) } }
    try check(trees, rows, columns: 3)
    try check(trees, Array(rows.prefix(1)), columns: 3)
  }

  @Test func noTreesGiveTheBase() throws {
    let trees = try #require(DecisionTrees([], dimensionCount: 2, base: [3, -4]))
    try check(trees, [[1], [2]], columns: 1)
    try check(trees, [[], []], columns: 0)
  }

  @Test func inconsistentTreesAndInputsAreRejected() throws {
    func trees(_ branch: Node, last: Range<Int> = 1..<2, dimensions: [Int32] = [0, 0]) -> DecisionTrees? {
      let nodes = [branch, Node(.leaf, values: 0..<1), Node(.leaf, values: last)]
      return DecisionTrees([DecisionTrees.Tree(nodes: nodes, dimensions: dimensions, values: [1, 2])], dimensionCount: 1, base: [])
    }
    let good = Node(.less, column: 3, threshold: 0, trueChild: 1, falseChild: 2)
    let forest = try #require(trees(good))
    for (child, other) in [(0, 1), (3, 1), (1, -1), (1, 7)] { #expect(trees(Node(.less, trueChild: child, falseChild: other)) == nil) }
    #expect(trees(good, last: 1..<3) == nil)
    #expect(trees(good, dimensions: [0, 1]) == nil)
    #expect(trees(good, dimensions: [0]) == nil)
    #expect(trees(Node(.less, column: -1, trueChild: 1, falseChild: 2)) == nil)
    #expect(DecisionTrees([DecisionTrees.Tree()], dimensionCount: 1, base: []) == nil)
    for x in [
      HostTensor(zeros: .float64, shape: [2, 3]), HostTensor(zeros: .float64, shape: [4]), HostTensor(zeros: .int64, shape: [2, 4]),
    ] {
      #expect(throws: (any Error).self) { try runOperator(TreeEnsemble(forest), [.tensor(x)]) }
    }
  }
}
