import MartletBytes
import MartletCoreMLSpecification
import MartletTensor

/// Puts the nodes of trees in order, replaces ids by positions, and checks that the nodes form trees.
///
/// The time is linear in the number of nodes if ids are stored in ascending order, which is usual; otherwise they are sorted first.
struct TreeEnsembleReader {
  typealias Node = TreeNode

  /// Positions have 32 bits.
  private static let maximumNodes = 1 << 30

  let reader: ClassicReader
  /// Has the nodes, to which the nodes of messages refer.
  let outline: SpecificationOutline

  private func error(_ node: Int, _ field: String, _ reason: String) -> FileError {
    reader.error("treeEnsemble.nodes[\(node)]" + (field.isEmpty ? "" : "." + field), reason)
  }

  /// The trees of a `TreeEnsembleParameters` message.
  static func trees(in message: ByteView) throws(FileError) -> TreeEnsemble {
    let (outline, parameters) = try SpecificationOutline.trees(in: message)
    let source = try SpecTreeEnsembleParameters(checking: parameters, part: "treeEnsemble")
    return try TreeEnsembleReader(reader: ClassicReader(path: message.owner.path, outline: outline), outline: outline).trees(source)
  }

  func trees(_ source: SpecTreeEnsembleParameters) throws(FileError) -> TreeEnsemble {
    guard let dimensionCount = Int(exactly: source.numPredictionDimensions), dimensionCount <= TreeEnsemble.maximumDimensions else {
      throw reader.error(
        "treeEnsemble.numPredictionDimensions",
        "\(source.numPredictionDimensions) exceeds the limit of \(TreeEnsemble.maximumDimensions)")
    }
    guard dimensionCount > 0 else { throw reader.error("treeEnsemble.numPredictionDimensions", "a prediction has at least one") }
    let base = source.basePredictionValue
    guard base.isEmpty || base.count == dimensionCount else {
      throw reader.error("treeEnsemble.basePredictionValue", "there are \(base.count) values for \(dimensionCount) dimensions")
    }
    let parts = source.nodes.compactMap { outline.trees(of: $0.treeID) }
    if parts.count == 1, case .packed(let packed, let columnCount) = parts[0] {
      var trees = TreeEnsemble()
      (trees.dimensionCount, trees.basePrediction) = (dimensionCount, base)
      (trees.packed, trees.columnCount) = (packed, columnCount)
      return trees
    }
    let messages = parts.compactMap { if case .nodes(let message) = $0 { message } else { nil } }
    guard messages.count == parts.count else { throw reader.error("treeEnsemble.nodes", "are packed in several parts") }
    var count = 0
    // In range: each node takes bytes of the file.
    for message in messages { count += try TreeNodes.count(in: message) }
    guard count <= Self.maximumNodes else { throw reader.error("treeEnsemble.nodes", "\(count) nodes are too many") }
    var trees = TreeEnsemble()
    trees.dimensionCount = dimensionCount
    trees.basePrediction = base
    trees.reserve(count)
    if try !appendInOrder(messages, to: &trees) {
      trees = TreeEnsemble()
      trees.dimensionCount = dimensionCount
      trees.basePrediction = base
      trees.reserve(count)
      try appendSorted(messages, to: &trees)
    }
    return trees
  }

  /// Reads trees that lie in sequence with ascending ids, as is usual, one at a time.
  /// - Returns: false if they do not lie so.
  private func appendInOrder(_ messages: [ByteView], to trees: inout TreeEnsemble) throws(FileError) -> Bool {
    var nodes = TreeNodes()
    var position = 0
    var isInOrder = true
    var ensemble = trees
    trees = TreeEnsemble()
    for message in messages {
      try nodes.read(message, position: &position) { (nodes) throws(FileError) in
        guard isInOrder, let node = nodes.nodes.last else { return nodes.removeAll() }
        guard let first = nodes.nodes.first, node.treeID != first.treeID else { return }
        guard node.treeID > first.treeID else {
          isInOrder = false
          return
        }
        let next = nodes.startNext()
        try self.append(nodes, to: &ensemble)
        nodes.removeAll()
        nodes.append(next)
      }
      guard isInOrder else { return false }
    }
    if !nodes.nodes.isEmpty { try append(nodes, to: &ensemble) }
    trees = ensemble
    return true
  }

  private func appendSorted(_ messages: [ByteView], to trees: inout TreeEnsemble) throws(FileError) {
    var all = TreeNodes()
    var position = 0
    for message in messages { try all.read(message, position: &position) { _ in } }
    let order = Self.sorted(all.nodes)
    var start = 0
    while start < order.count {
      let treeID = all.nodes[order[start]].treeID
      var end = start + 1
      while end < order.count, all.nodes[order[end]].treeID == treeID { end += 1 }
      try append(all, Array(order[start..<end]), to: &trees)
      start = end
    }
  }

  /// Appends the only tree among nodes.
  private func append(_ nodes: TreeNodes, to trees: inout TreeEnsemble) throws(FileError) {
    try append(nodes, Self.sorted(nodes.nodes), to: &trees)
  }

  /// The positions of the nodes, ascending by tree and node id.
  private static func sorted(_ nodes: [Node]) -> [Int] {
    func precedes(_ a: Int, _ b: Int) -> Bool {
      nodes[a].treeID == nodes[b].treeID ? nodes[a].nodeID < nodes[b].nodeID : nodes[a].treeID < nodes[b].treeID
    }
    let order = Array(nodes.indices)
    return order.dropFirst().allSatisfy { !precedes($0, $0 - 1) } ? order : order.sorted(by: precedes)
  }

  /// Appends the tree whose nodes are those at the positions `order`, ascending by id.
  private func append(_ all: TreeNodes, _ order: [Int], to trees: inout TreeEnsemble) throws(FileError) {
    let nodes = all.nodes
    // The position in the file, for errors.
    func error(_ node: Int, _ field: String, _ reason: String) -> FileError { self.error(nodes[node].position, field, reason) }
    for (first, second) in zip(order, order.dropFirst()) where nodes[first].nodeID == nodes[second].nodeID {
      throw error(
        max(first, second), "nodeId",
        "tree \(nodes[first].treeID) has another node \(nodes[first].nodeID), nodes[\(nodes[min(first, second)].position)]")
    }
    let links = try Links(nodes, order, error)
    guard let root = links.parents.firstIndex(of: Links.none) else {
      throw error(order[0], "", "tree \(nodes[order[0]].treeID) has no root: each of its nodes is the child of another")
    }
    // Depth first with a stack, the true child before the false one. Each node has at most one parent, so none is met twice.
    let start = trees.nodeCount
    var stack = [root]
    var places = [Int32](repeating: -1, count: order.count)
    var met = 0
    while let node = stack.popLast() {
      places[node] = Int32(truncatingIfNeeded: trees.nodeCount)
      met += 1
      try append(nodes[order[node]], all.evaluations, to: &trees)
      guard links.trueChildren[node] != Links.none else { continue }
      stack.append(links.falseChildren[node])
      stack.append(links.trueChildren[node])
    }
    if met < order.count {
      // Another root, or a cycle.
      let rest = places.indices.filter { places[$0] < 0 }
      let treeID = nodes[order[0]].treeID
      if let other = rest.first(where: { links.parents[$0] == Links.none }) {
        throw error(
          order[other], "nodeId", "tree \(treeID) has two roots, the nodes \(nodes[order[root]].nodeID) and \(nodes[order[other]].nodeID)")
      }
      throw error(order[rest[0]], "", "node \(nodes[order[rest[0]]].nodeID) of tree \(treeID) is in or below a cycle")
    }
    for node in order.indices where links.trueChildren[node] != Links.none {
      let place = Int(widening: places[node])
      trees.trueChildren[place] = places[links.trueChildren[node]]
      trees.falseChildren[place] = places[links.falseChildren[node]]
    }
    assert(trees.nodeCount - start == order.count)
    trees.treeStarts.append(trees.nodeCount)
  }

  /// Appends a node, its children not yet known.
  private func append(_ node: Node, _ evaluations: [TreeNodes.Evaluation], to trees: inout TreeEnsemble) throws(FileError) {
    // The behaviours have the numbers of the modes.
    guard let mode = UInt8(exactly: node.behavior).flatMap({ TreeEnsemble.Mode(rawValue: $0) }) else {
      throw error(node.position, "nodeBehavior", "\(Int64(bitPattern: node.behavior)) is not a known behaviour")
    }
    trees.modes.append(mode)
    trees.trueChildren.append(0)
    trees.falseChildren.append(0)
    if mode == .leaf {
      trees.features.append(0)
      trees.thresholds.append(0)
      trees.missingFollowsTrue.append(false)
      try appendEvaluation(evaluations[node.evaluations], at: node.position, to: &trees)
    } else {
      guard let feature = Int32(exactly: node.branchFeatureIndex), feature < TreeEnsemble.maximumColumns else {
        throw error(
          node.position, "branchFeatureIndex", "\(node.branchFeatureIndex) exceeds the limit of \(TreeEnsemble.maximumColumns) columns")
      }
      trees.features.append(feature)
      trees.columnCount = max(trees.columnCount, Int(widening: feature) + 1)
      trees.thresholds.append(node.branchFeatureValue)
      trees.missingFollowsTrue.append(node.missingValueTracksTrueChild)
    }
    trees.evaluationStarts.append(trees.evaluationIndices.count)
  }

  private func appendEvaluation(
    _ evaluations: ArraySlice<TreeNodes.Evaluation>, at position: Int, to trees: inout TreeEnsemble
  ) throws(FileError) {
    guard !evaluations.isEmpty else { throw error(position, "evaluationInfo", "a leaf needs at least one value") }
    var entries = evaluations
    for (first, second) in zip(entries, entries.dropFirst()) where first.index >= second.index {
      entries.sort { $0.index < $1.index }
      break
    }
    var last: UInt64?
    for entry in entries {
      guard entry.index < trees.dimensionCount, let index = Int32(exactly: entry.index) else {
        throw error(
          position, "evaluationInfo", "the index \(entry.index) is not below the number of dimensions, \(trees.dimensionCount)")
      }
      guard entry.index != last else {
        throw error(position, "evaluationInfo", "the index \(entry.index) occurs twice")
      }
      last = entry.index
      trees.evaluationIndices.append(index)
      trees.evaluationValues.append(entry.value)
    }
  }
}

extension TreeEnsembleReader {
  /// The children and the parent of each node of a tree, as positions among its nodes.
  private struct Links {
    static let none = -1

    var trueChildren: [Int]
    var falseChildren: [Int]
    var parents: [Int]

    /// - Parameters:
    ///   - order: positions of the tree's nodes, ascending by id.
    ///   - error: the error that names a node, by its position, and one of its fields.
    init(_ nodes: [Node], _ order: [Int], _ error: (Int, String, String) -> FileError) throws(FileError) {
      trueChildren = [Int](repeating: Self.none, count: order.count)
      falseChildren = trueChildren
      parents = trueChildren
      for (parent, position) in order.enumerated() where !nodes[position].isLeaf {
        let node = nodes[position]
        trueChildren[parent] = try child(node.trueChildNodeID, of: parent, "trueChildNodeId", nodes, order, error)
        falseChildren[parent] = try child(node.falseChildNodeID, of: parent, "falseChildNodeId", nodes, order, error)
      }
    }

    /// Finds a child and notes its parent.
    private mutating func child(
      _ id: UInt64, of parent: Int, _ field: String, _ nodes: [Node], _ order: [Int], _ error: (Int, String, String) -> FileError
    ) throws(FileError) -> Int {
      let position = order[parent]
      guard let child = Self.position(of: id, in: nodes, order) else {
        throw error(position, field, "tree \(nodes[position].treeID) has no node \(id)")
      }
      guard child != parent else { throw error(position, field, "node \(id) is its own child") }
      guard parents[child] == Self.none else {
        throw error(position, field, "node \(id) is also the child of node \(nodes[order[parents[child]]].nodeID)")
      }
      parents[child] = parent
      return child
    }

    /// The position of the node with an id among those at `order`.
    private static func position(of id: UInt64, in nodes: [Node], _ order: [Int]) -> Int? {
      // Ids are usually 0, 1, ….
      if let guess = Int(exactly: id), guess < order.count, nodes[order[guess]].nodeID == id { return guess }
      var (low, high) = (0, order.count)
      while low < high {
        let middle = low + (high - low) / 2
        if nodes[order[middle]].nodeID < id { low = middle + 1 } else { high = middle }
      }
      return low < order.count && nodes[order[low]].nodeID == id ? low : nil
    }
  }
}

extension TreeEnsemble {
  fileprivate mutating func reserve(_ count: Int) {
    modes.reserveCapacity(count)
    features.reserveCapacity(count)
    thresholds.reserveCapacity(count)
    trueChildren.reserveCapacity(count)
    falseChildren.reserveCapacity(count)
    missingFollowsTrue.reserveCapacity(count)
    evaluationStarts.reserveCapacity(count)
  }
}
