import MartletKernels
import MartletTensor
import MartletVocabulary
import Synchronization
import Testing

/// The form of forests that is kept in files.
@Suite struct DecisionForestStoredTests {
  private static func trees(dimensions: Int) throws -> DecisionTrees {
    let count = dimensions == 1 ? 1 : 2
    func values(_ leaf: Int) -> Range<Int> { leaf * count..<(leaf + 1) * count }
    let places = (0..<4).flatMap { leaf in (0..<count).map { Int32(($0 + leaf) % dimensions) }.sorted() }
    let numbers = places.indices.map { Double($0) + 0.25 }
    let first = DecisionTrees.Tree(
      nodes: [
        .init(.lessOrEqual, column: 1, threshold: 0.5, trueChild: 1, falseChild: 2, missingFollowsTrue: true),
        .init(.leaf, values: values(0)), .init(.equal, column: 0, threshold: -2, trueChild: 3, falseChild: 4),
        .init(.leaf, values: values(1)), .init(.leaf, values: values(2)),
      ], dimensions: Array(places.prefix(3 * count)), values: Array(numbers.prefix(3 * count)))
    let second = DecisionTrees.Tree(
      nodes: [.init(.leaf, values: values(0))], dimensions: Array(places.suffix(count)), values: Array(numbers.suffix(count)))
    return try #require(
      DecisionTrees([first, second], dimensionCount: dimensions, base: [Double](repeating: 1.5, count: dimensions)))
  }

  private static func storage(_ bytes: [UInt8]) throws -> TensorStorage {
    let storage = try TensorStorage(allocating: bytes.count)
    unsafe bytes.withUnsafeBytes { unsafe storage.pointer.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    return storage
  }

  @Test(arguments: [1, 2, 3])
  func `A stored forest is the same one`(dimensions: Int) throws {
    let forest = try DecisionForest(try Self.trees(dimensions: dimensions))
    let again = try DecisionForest(stored: try Self.storage(forest.stored))
    #expect(again.treeCount == 2 && again.nodeCount == forest.nodeCount && again.columnCount == 2 && again.dimensionCount == dimensions)
    #expect(again.work(rows: 7) == forest.work(rows: 7) && again.scratchByteCount == forest.scratchByteCount)
    #expect(again.stored.prefix(48) == forest.stored.prefix(48))
  }

  @Test func `Trees that change while they are packed are refused`() throws {
    let branch = DecisionTrees.Tree(
      nodes: [.init(.less, column: 1, threshold: 0.5, trueChild: 1, falseChild: 2), .init(.leaf, values: 0..<1), .init(.leaf)],
      dimensions: [0], values: [1])
    let leaf = DecisionTrees.Tree(nodes: [.init(.leaf, values: 0..<1)], dimensions: [0], values: [1])
    let other = DecisionTrees.Tree(
      nodes: [.init(.less, column: 2, threshold: 0.5, trueChild: 1, falseChild: 2), .init(.leaf, values: 0..<1), .init(.leaf)],
      dimensions: [0], values: [1])
    let long = DecisionTrees.Tree(
      nodes: [.init(.less, column: 1, threshold: 0.5, trueChild: 1, falseChild: 2), .init(.leaf, values: 0..<2), .init(.leaf)],
      dimensions: [0, 1], values: [1, 2])
    for changed in [[], [leaf], [branch, leaf], [other], [long]] as [[DecisionTrees.Tree]] {
      let isAgain = Mutex(false)
      let trees = DecisionTrees(dimensionCount: 2, base: []) { body in
        let isChanged = isAgain.withLock { isAgain in
          defer { isAgain = true }
          return isAgain
        }
        for tree in isChanged ? changed : [branch] { try body(tree) }
      }
      #expect(throws: (any Error).self) { try DecisionForest(trees) }
    }
  }

  @Test(arguments: [1, 2, 3])
  func `Any changed byte is refused or in range`(dimensions: Int) throws {
    let bytes = try DecisionForest(try Self.trees(dimensions: dimensions)).stored
    for position in bytes.indices {
      for change in [UInt8(0x01), 0x80, 0xFF] {
        var damaged = bytes
        damaged[position] ^= change
        _ = try? DecisionForest(stored: try Self.storage(damaged))
      }
      _ = try? DecisionForest(stored: try Self.storage(Array(bytes[..<position]) + [0]))
    }
  }

  @Test func `Numbers out of range are refused with the reason`() throws {
    let forest = try DecisionForest(try Self.trees(dimensions: 2))
    func expect(_ reason: String, at offset: Int, _ value: UInt8, sourceLocation: SourceLocation = #_sourceLocation) throws {
      var bytes = forest.stored
      bytes[offset] = value
      do {
        _ = try DecisionForest(stored: try Self.storage(bytes))
        Issue.record("the forest is read", sourceLocation: sourceLocation)
      } catch let error as StoredForestError {
        #expect(error.description == "the stored forest " + reason, sourceLocation: sourceLocation)
      }
    }
    // The header, then sections at multiples of 64 bytes: base, columns, cuts and nodes.
    let (columns, nodes) = (192, 320)
    try expect("ends early", at: 8, 200)
    try expect("has 0 dimensions", at: 24, 0)
    try expect("column 0 is out of range", at: columns, 2)
    try expect("column 0 is out of range", at: columns + 24, 77)
    try expect("a node is out of range", at: nodes + 4, 0xFF)
    try expect("a node is out of range", at: nodes + 2, 0xFF)
  }
}
