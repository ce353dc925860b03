import MartletBytes
import MartletTensor

extension TreeEnsemble {
  /// The trees of a `TreeEnsembleParameters` message.
  init(message: ByteView) throws(FileError) {
    let (outline, parameters) = try SpecificationOutline.trees(in: message)
    let source = try SpecTreeEnsembleParameters(checking: parameters, against: .coreML, part: "treeEnsemble")
    self = try ClassicReader(path: message.owner.path, outline: outline).trees(source)
  }
}

extension ClassicReader {
  /// Checks the trees of a message whose nodes the outline has.
  func trees(_ source: SpecTreeEnsembleParameters) throws(FileError) -> TreeEnsemble {
    guard let dimensionCount = Int(exactly: source.numPredictionDimensions), dimensionCount <= TreeEnsemble.maximumDimensions else {
      throw error(
        "treeEnsemble.numPredictionDimensions",
        "\(source.numPredictionDimensions) exceeds the limit of \(TreeEnsemble.maximumDimensions)")
    }
    guard dimensionCount > 0 else { throw error("treeEnsemble.numPredictionDimensions", "a prediction has at least one") }
    let base = source.basePredictionValue
    guard base.isEmpty || base.count == dimensionCount else {
      throw error("treeEnsemble.basePredictionValue", "there are \(base.count) values for \(dimensionCount) dimensions")
    }
    let parts = source.nodes.compactMap { outline.trees(of: $0.treeID) }
    if parts.count == 1, case .packed(let packed, let columnCount) = parts[0] {
      return TreeEnsemble(
        treeCount: packed.treeCount, nodeCount: packed.nodeCount, columnCount: columnCount, dimensionCount: dimensionCount,
        basePrediction: base, form: .packed(packed))
    }
    let messages = parts.compactMap { if case .nodes(let message) = $0 { message } else { nil } }
    guard messages.count == parts.count else { throw error("treeEnsemble.nodes", "are packed in several parts") }
    let (stored, counts) = try StoredTrees.checked(messages, path: path, kind, dimensionCount: dimensionCount)
    return TreeEnsemble(
      treeCount: counts.trees, nodeCount: counts.nodes, columnCount: counts.columns, dimensionCount: dimensionCount,
      basePrediction: base, form: .stored(stored))
  }
}

/// Trees in serialised `TreeEnsembleParameters` messages.
struct StoredTrees: Sendable, Equatable {
  struct Counts {
    var trees = 0
    var nodes = 0
    /// One more than the largest column that a branch compares.
    var columns = 0
  }

  /// A node in the file.
  struct Place {
    let treeID: UInt64
    let nodeID: UInt64
    /// The message, and the position of the node in it.
    let part: Int
    let position: Int
    /// Position among all nodes.
    let index: Int
  }

  let parts: [ByteView]
  /// The nodes in the order of their trees; nil if they lie so in the file, which is usual.
  let places: [Place]?
  let dimensionCount: Int
  private let path: String
  private let kind: CoreMLModelKind

  /// Checks trees.
  /// - Throws: `FileError` if the nodes do not form trees, or if a number is out of range.
  static func checked(
    _ parts: [ByteView], path: String, _ kind: CoreMLModelKind, dimensionCount: Int
  ) throws(FileError) -> (StoredTrees, Counts) {
    let inOrder = StoredTrees(parts: parts, places: nil, dimensionCount: dimensionCount, path: path, kind: kind)
    do {
      return (inOrder, try inOrder.counts())
    } catch {
      // Nodes of several trees may be mixed in the file.
      guard let places = try sorted(parts) else { throw error }
      let trees = StoredTrees(parts: parts, places: places, dimensionCount: dimensionCount, path: path, kind: kind)
      return (trees, try trees.counts())
    }
  }

  private func counts() throws(FileError) -> Counts {
    var counts = Counts()
    var reader = TreeReader(self)
    while try reader.next() {
      counts.trees += 1
      // In range: each node takes bytes of the file.
      counts.nodes += reader.tree.nodes.count
      counts.columns = max(counts.columns, reader.columnCount)
    }
    return counts
  }

  /// The places of the nodes, ascending by tree and node; nil if the trees lie in this order.
  private static func sorted(_ parts: [ByteView]) throws(FileError) -> [Place]? {
    var places: [Place] = []
    for (number, part) in parts.enumerated() {
      var fields = ProtobufScanner(part)
      while try fields.find(TreeReader.nodesField) {
        let position = fields.position
        let outer = try fields.enter()
        let node = try TreeReader.ids(&fields)
        fields.leave(outer)
        places.append(Place(treeID: node.tree, nodeID: node.node, part: number, position: position, index: places.count))
        fields.releaseRead()
      }
    }
    guard zip(places, places.dropFirst()).contains(where: { $0.treeID > $1.treeID }) else { return nil }
    places.sort { ($0.treeID, $0.nodeID, $0.index) < ($1.treeID, $1.nodeID, $1.index) }
    return places
  }

  /// The error that names a node by its position in the file, and a field of it.
  func error(_ node: Int, _ field: String, _ reason: String) -> FileError {
    FileError(
      file: path, field: "\(kind.rawValue).treeEnsemble.nodes[\(node)]" + (field.isEmpty ? "" : "." + field), reason: reason)
  }

  /// Equal if they are the same parts of the same file.
  static func == (a: StoredTrees, b: StoredTrees) -> Bool {
    a.parts.count == b.parts.count && zip(a.parts, b.parts).allSatisfy { $0.isSamePart(as: $1) } && a.dimensionCount == b.dimensionCount
  }
}
