import MartletBytes
import MartletTensor

/// Reads stored trees one after another: puts the nodes of a tree in order, replaces ids by positions, and checks that they form a tree.
///
/// A forest has millions of nodes. Memory is needed for those of one tree. The time is linear in the number of nodes if ids ascend, which
/// is usual; otherwise they are sorted first.
struct TreeReader {
  /// A node as the file has it.
  private struct Node {
    var nodeID: UInt64 = 0
    /// Ids at first, then positions among the tree's nodes.
    var trueChild: UInt64 = 0
    var falseChild: UInt64 = 0
    var threshold: Double = 0
    /// Position among all nodes of the file, for errors.
    var index: Int32 = 0
    var column: Int32 = 0
    var firstValue: Int32 = 0
    var valueCount: Int32 = 0
    var mode: TreeEnsemble.Mode = .leaf
    var missingFollowsTrue = false
  }

  /// A value of a node.
  private struct Value {
    var dimension: UInt64 = 0
    var value: Double = 0
  }

  static let nodesField: UInt64 = 1
  /// Positions have 32 bits.
  private static let maximumNodes = 1 << 30
  private static let none: Int32 = -1

  /// The tree that was read last.
  private(set) var tree = TreeEnsemble.Tree()
  /// One more than the largest column that a branch of any tree compares.
  private(set) var columnCount = 0

  private let trees: StoredTrees
  /// The messages that have not been begun, and the place of the next node if places are known.
  private var partCount = 0
  private var fields = ProtobufScanner(.empty)
  private var placeCount = 0
  /// Position of the next node among all nodes of the file.
  private var index = 0

  private var treeID: UInt64 = 0
  private var nodes: [Node] = []
  private var isAscending = true
  /// The values of the node that was read last.
  private var values: [Value] = []
  /// The first node of the next tree, whose values these are.
  private var pending: (treeID: UInt64, node: Node)?

  // Memory that is kept from tree to tree.
  private var parents: [Int32] = []
  private var positions: [Int32] = []
  private var stack: [Int32] = []

  init(_ trees: StoredTrees) { self.trees = trees }

  // MARK: Reading

  /// Reads the next tree.
  /// - Returns: false if there is none.
  mutating func next() throws(FileError) -> Bool {
    nodes.removeAll(keepingCapacity: true)
    tree.dimensions.removeAll(keepingCapacity: true)
    tree.values.removeAll(keepingCapacity: true)
    isAscending = true
    if let first = pending {
      pending = nil
      treeID = first.treeID
      try append(first.node)
    }
    while let (id, node) = try nextNode() {
      if let last = nodes.last {
        guard id == treeID else {
          guard id > treeID else { throw trees.error(Int(widening: node.index), "treeId", "the trees are not in order") }
          pending = (id, node)
          break
        }
        isAscending = isAscending && node.nodeID > last.nodeID
      } else {
        treeID = id
      }
      try append(node)
    }
    guard !nodes.isEmpty else { return false }
    if !isAscending { try sort() }
    try link()
    try orderNodes()
    return true
  }

  /// Appends the node that was read last, with its values if it is a leaf.
  private mutating func append(_ new: Node) throws(FileError) {
    var node = new
    if node.mode == .leaf {
      try checkValues(of: node)
      node.firstValue = Int32(clamping: tree.values.count)
      node.valueCount = Int32(clamping: values.count)
      for value in values {
        tree.dimensions.append(Int32(clamping: value.dimension))
        tree.values.append(value.value)
      }
    }
    nodes.append(node)
  }

  /// Reads the next node in the order of trees, with its values.
  private mutating func nextNode() throws(FileError) -> (treeID: UInt64, Node)? {
    if let places = trees.places {
      guard placeCount < places.count else { return nil }
      let place = places[placeCount]
      placeCount += 1
      index = place.index
      fields = ProtobufScanner(trees.parts[place.part], from: place.position)
      return try readNode()
    }
    while try !fields.find(Self.nodesField) {
      guard partCount < trees.parts.count else { return nil }
      fields = ProtobufScanner(trees.parts[partCount])
      partCount += 1
    }
    defer {
      index += 1
      fields.releaseRead()
    }
    return try readNode()
  }

  private mutating func readNode() throws(FileError) -> (treeID: UInt64, Node) {
    guard index < Self.maximumNodes else { throw trees.error(index, "", "there are too many nodes") }
    var node = Node()
    node.index = Int32(clamping: index)
    var treeID: UInt64 = 0
    var column: UInt64 = 0
    var behavior: UInt64 = 0
    values.removeAll(keepingCapacity: true)
    let outer = try fields.enter()
    while let (field, kind) = try fields.next() {
      switch (field, kind) {
      case (1, .varint): treeID = try fields.varint()
      case (2, .varint): node.nodeID = try fields.varint()
      // An enumeration has 32 bits.
      case (3, .varint): behavior = UInt64(truncatingIfNeeded: Int32(truncatingIfNeeded: try fields.varint()))
      case (10, .varint): column = try fields.varint()
      case (11, .fixed64): node.threshold = Double(bitPattern: try fields.fixed64())
      case (12, .varint): node.trueChild = try fields.varint()
      case (13, .varint): node.falseChild = try fields.varint()
      case (14, .varint): node.missingFollowsTrue = try fields.varint() != 0
      case (20, .bytes): values.append(try Self.value(&fields))
      default: try fields.skip(kind)
      }
    }
    fields.leave(outer)
    // The behaviours have the numbers of the modes.
    guard let mode = UInt8(exactly: behavior).flatMap({ TreeEnsemble.Mode(rawValue: $0) }) else {
      throw trees.error(index, "nodeBehavior", "\(Int64(bitPattern: behavior)) is not a known behaviour")
    }
    node.mode = mode
    if mode == .leaf {
      (node.threshold, node.missingFollowsTrue) = (0, false)
    } else {
      guard column < UInt64(clamping: TreeEnsemble.maximumColumns) else {
        throw trees.error(index, "branchFeatureIndex", "\(column) exceeds the limit of \(TreeEnsemble.maximumColumns) columns")
      }
      node.column = Int32(clamping: column)
      columnCount = max(columnCount, Int(widening: node.column) + 1)
    }
    return (treeID, node)
  }

  @inline(__always)
  private static func value(_ fields: inout ProtobufScanner) throws(FileError) -> Value {
    let outer = try fields.enter()
    var value = Value()
    while let (field, kind) = try fields.next() {
      switch (field, kind) {
      case (1, .varint): value.dimension = try fields.varint()
      case (2, .fixed64): value.value = Double(bitPattern: try fields.fixed64())
      default: try fields.skip(kind)
      }
    }
    fields.leave(outer)
    return value
  }

  /// Sorts the values of the leaf that was read last, and checks that they are different dimensions of the prediction.
  private mutating func checkValues(of leaf: Node) throws(FileError) {
    func error(_ reason: String) -> FileError { trees.error(Int(widening: leaf.index), "evaluationInfo", reason) }
    guard !values.isEmpty else { throw error("a leaf needs at least one value") }
    var isAscending = true
    for place in 1..<values.count { isAscending = isAscending && values[place - 1].dimension < values[place].dimension }
    if !isAscending {
      values.sort { $0.dimension < $1.dimension }
      for (first, second) in zip(values, values.dropFirst()) where first.dimension == second.dimension {
        throw error("the index \(first.dimension) occurs twice")
      }
    }
    for value in values where value.dimension >= UInt64(clamping: trees.dimensionCount) {
      throw error("the index \(value.dimension) is not below the number of dimensions, \(trees.dimensionCount)")
    }
  }

  /// The ids of a node.
  static func ids(_ node: inout ProtobufScanner) throws(FileError) -> (tree: UInt64, node: UInt64) {
    var ids: (tree: UInt64, node: UInt64) = (0, 0)
    while let (field, kind) = try node.next() {
      switch (field, kind) {
      case (1, .varint): ids.tree = try node.varint()
      case (2, .varint): ids.node = try node.varint()
      default: try node.skip(kind)
      }
    }
    return ids
  }

  // MARK: Order

  /// Sorts the nodes by id.
  private mutating func sort() throws(FileError) {
    nodes.sort { ($0.nodeID, $0.index) < ($1.nodeID, $1.index) }
    for (first, second) in zip(nodes, nodes.dropFirst()) where first.nodeID == second.nodeID {
      throw trees.error(
        Int(widening: second.index), "nodeId", "tree \(treeID) has another node \(first.nodeID), nodes[\(first.index)]")
    }
  }

  /// Replaces the ids of children by positions, and notes their parents.
  private mutating func link() throws(FileError) {
    parents.removeAll(keepingCapacity: true)
    parents.append(contentsOf: repeatElement(Self.none, count: nodes.count))
    for parent in nodes.indices where nodes[parent].mode != .leaf {
      nodes[parent].trueChild = try child(nodes[parent].trueChild, of: parent, "trueChildNodeId")
      nodes[parent].falseChild = try child(nodes[parent].falseChild, of: parent, "falseChildNodeId")
    }
  }

  /// Finds a child and notes its parent.
  private mutating func child(_ id: UInt64, of parent: Int, _ field: String) throws(FileError) -> UInt64 {
    func error(_ reason: String) -> FileError { trees.error(Int(widening: nodes[parent].index), field, reason) }
    guard let child = position(of: id) else { throw error("tree \(treeID) has no node \(id)") }
    guard child != parent else { throw error("node \(id) is its own child") }
    guard parents[child] == Self.none else {
      throw error("node \(id) is also the child of node \(nodes[Int(widening: parents[child])].nodeID)")
    }
    parents[child] = Int32(clamping: parent)
    return UInt64(clamping: child)
  }

  /// The position of the node with an id.
  private func position(of id: UInt64) -> Int? {
    // Ids are usually 0, 1, ….
    if let guess = Int(exactly: id), guess < nodes.count, nodes[guess].nodeID == id { return guess }
    var (low, high) = (0, nodes.count)
    while low < high {
      let middle = low + (high - low) / 2
      if nodes[middle].nodeID < id { low = middle + 1 } else { high = middle }
    }
    return low < nodes.count && nodes[low].nodeID == id ? low : nil
  }

  /// Puts the nodes of the tree depth first, the true child before the false one.
  private mutating func orderNodes() throws(FileError) {
    guard let root = parents.firstIndex(of: Self.none) else {
      throw trees.error(
        Int(widening: nodes[0].index), "", "tree \(treeID) has no root: each of its nodes is the child of another")
    }
    positions.removeAll(keepingCapacity: true)
    positions.append(contentsOf: repeatElement(Self.none, count: nodes.count))
    tree.nodes.removeAll(keepingCapacity: true)
    stack.append(Int32(clamping: root))
    // Each node has at most one parent, so that none is met twice.
    while let place = stack.popLast() {
      let place = Int(widening: place)
      let node = nodes[place]
      positions[place] = Int32(clamping: tree.nodes.count)
      tree.nodes.append(
        TreeEnsemble.Node(
          threshold: node.threshold, column: node.column, firstValue: node.firstValue, valueCount: node.valueCount, mode: node.mode,
          missingFollowsTrue: node.missingFollowsTrue))
      guard node.mode != .leaf else { continue }
      stack.append(Int32(clamping: node.falseChild))
      stack.append(Int32(clamping: node.trueChild))
    }
    try checkAllMet(root)
    for (place, node) in nodes.enumerated() where node.mode != .leaf {
      let position = Int(widening: positions[place])
      tree.nodes[position].trueChild = positions[Int(clamping: node.trueChild)]
      tree.nodes[position].falseChild = positions[Int(clamping: node.falseChild)]
    }
  }

  /// Checks that each node can be reached from the root.
  private func checkAllMet(_ root: Int) throws(FileError) {
    guard tree.nodes.count < nodes.count else { return }
    // Another root, or a cycle.
    let rest = positions.indices.filter { positions[$0] == Self.none }
    if let other = rest.first(where: { parents[$0] == Self.none }) {
      throw trees.error(
        Int(widening: nodes[other].index), "nodeId",
        "tree \(treeID) has two roots, the nodes \(nodes[root].nodeID) and \(nodes[other].nodeID)")
    }
    throw trees.error(
      Int(widening: nodes[rest[0]].index), "", "node \(nodes[rest[0]].nodeID) of tree \(treeID) is in or below a cycle")
  }
}
