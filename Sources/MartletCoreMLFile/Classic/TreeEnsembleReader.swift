import MartletBytes
import MartletCoreMLSpecification
import MartletTensor

/// Puts the nodes of trees in order, replaces ids by positions, and checks that the nodes form trees.
///
/// The time is linear in the number of nodes if ids are stored in ascending order, which is usual; otherwise they are sorted first.
struct TreeEnsembleReader {
  typealias Node = SpecTreeEnsembleParameters.TreeNode

  /// Positions have 32 bits.
  private static let maximumNodes = 1 << 30

  let reader: ClassicReader

  private func error(_ node: Int, _ field: String, _ reason: String) -> FileError {
    reader.error("treeEnsemble.nodes[\(node)]" + (field.isEmpty ? "" : "." + field), reason)
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
    guard source.nodes.count <= Self.maximumNodes else {
      throw reader.error("treeEnsemble.nodes", "\(source.nodes.count) nodes are too many")
    }
    var trees = TreeEnsemble()
    trees.dimensionCount = dimensionCount
    trees.basePrediction = base
    trees.reserve(source.nodes.count)
    let order = Self.sorted(source.nodes)
    var start = 0
    while start < order.count {
      let treeID = source.nodes[order[start]].treeID
      var end = start + 1
      while end < order.count, source.nodes[order[end]].treeID == treeID { end += 1 }
      try append(source.nodes, order[start..<end], to: &trees)
      start = end
    }
    return trees
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
  private func append(_ nodes: [Node], _ order: ArraySlice<Int>, to trees: inout TreeEnsemble) throws(FileError) {
    let order = Array(order)
    for (first, second) in zip(order, order.dropFirst()) where nodes[first].nodeID == nodes[second].nodeID {
      throw error(
        max(first, second), "nodeId", "tree \(nodes[first].treeID) has another node \(nodes[first].nodeID), nodes[\(min(first, second))]")
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
      try append(nodes[order[node]], at: order[node], to: &trees)
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
  private func append(_ node: Node, at position: Int, to trees: inout TreeEnsemble) throws(FileError) {
    let mode: TreeEnsemble.Mode
    switch node.nodeBehavior {
    case .branchOnValueLessThanEqual: mode = .lessOrEqual
    case .branchOnValueLessThan: mode = .less
    case .branchOnValueGreaterThanEqual: mode = .greaterOrEqual
    case .branchOnValueGreaterThan: mode = .greater
    case .branchOnValueEqual: mode = .equal
    case .branchOnValueNotEqual: mode = .notEqual
    case .leafNode: mode = .leaf
    case .UNRECOGNIZED(let number): throw error(position, "nodeBehavior", "\(number) is not a known behaviour")
    }
    trees.modes.append(mode)
    trees.trueChildren.append(0)
    trees.falseChildren.append(0)
    if mode == .leaf {
      trees.features.append(0)
      trees.thresholds.append(0)
      trees.missingFollowsTrue.append(false)
      try appendEvaluation(node, at: position, to: &trees)
    } else {
      guard let feature = Int32(exactly: node.branchFeatureIndex), feature < TreeEnsemble.maximumColumns else {
        throw error(
          position, "branchFeatureIndex", "\(node.branchFeatureIndex) exceeds the limit of \(TreeEnsemble.maximumColumns) columns")
      }
      trees.features.append(feature)
      trees.columnCount = max(trees.columnCount, Int(widening: feature) + 1)
      trees.thresholds.append(node.branchFeatureValue)
      trees.missingFollowsTrue.append(node.missingValueTracksTrueChild)
    }
    trees.evaluationStarts.append(trees.evaluationIndices.count)
  }

  private func appendEvaluation(_ node: Node, at position: Int, to trees: inout TreeEnsemble) throws(FileError) {
    guard !node.evaluationInfo.isEmpty else { throw error(position, "evaluationInfo", "a leaf needs at least one value") }
    var entries = node.evaluationInfo
    for (first, second) in zip(entries, entries.dropFirst()) where first.evaluationIndex >= second.evaluationIndex {
      entries.sort { $0.evaluationIndex < $1.evaluationIndex }
      break
    }
    var last: UInt64?
    for entry in entries {
      guard entry.evaluationIndex < trees.dimensionCount, let index = Int32(exactly: entry.evaluationIndex) else {
        throw error(
          position, "evaluationInfo", "the index \(entry.evaluationIndex) is not below the number of dimensions, \(trees.dimensionCount)")
      }
      guard entry.evaluationIndex != last else {
        throw error(position, "evaluationInfo", "the index \(entry.evaluationIndex) occurs twice")
      }
      last = entry.evaluationIndex
      trees.evaluationIndices.append(index)
      trees.evaluationValues.append(entry.evaluationValue)
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
      for (parent, position) in order.enumerated() where nodes[position].nodeBehavior != .leafNode {
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
