import MartletBytes
import MartletTensor

/// A node of a tree as the file has it.
struct TreeNode {
  /// Position among all nodes of the file, for errors.
  var position = 0
  var treeID: UInt64 = 0
  var nodeID: UInt64 = 0
  var behavior: UInt64 = 0
  var branchFeatureIndex: UInt64 = 0
  var branchFeatureValue: Double = 0
  var trueChildNodeID: UInt64 = 0
  var falseChildNodeID: UInt64 = 0
  var missingValueTracksTrueChild = false
  /// Range of its evaluations in `TreeNodes.evaluations`.
  var evaluations: Range<Int> = 0..<0

  static let leafBehavior: UInt64 = 6
  var isLeaf: Bool { behavior == Self.leafBehavior }
}

/// Nodes and the values of leaves, read one by one from serialised `TreeEnsembleParameters` messages.
///
/// A forest has millions of nodes, and messages of them would take ten times the memory of the file.
struct TreeNodes {
  struct Evaluation {
    var index: UInt64
    var value: Double
  }

  /// Those of the nodes that have been read since they were last removed.
  var nodes: [TreeNode] = []
  var evaluations: [Evaluation] = []

  mutating func removeAll() {
    nodes.removeAll(keepingCapacity: true)
    evaluations.removeAll(keepingCapacity: true)
  }

  /// Removes the last node and returns it with its evaluations: the first one of the next tree.
  mutating func startNext() -> (node: TreeNode, evaluations: [Evaluation]) {
    let node = nodes.removeLast()
    let own = Array(evaluations[node.evaluations])
    evaluations.removeSubrange(node.evaluations)
    return (node, own)
  }

  mutating func append(_ next: (node: TreeNode, evaluations: [Evaluation])) {
    var node = next.node
    node.evaluations = evaluations.count..<evaluations.count + next.evaluations.count
    nodes.append(node)
    evaluations += next.evaluations
  }

  private static let nodesField: UInt64 = 1

  /// Number of nodes in a message.
  static func count(in message: ByteView) throws(FileError) -> Int {
    var fields = ProtobufScanner(message)
    var count = 0
    while let (field, kind) = try fields.next() {
      if field == nodesField, kind == .bytes { count += 1 }
      try fields.skip(kind)
      fields.releaseRead()
    }
    return count
  }

  /// Reads the nodes of a message and calls `body` after each one.
  /// - Parameter position: of the first node; incremented.
  mutating func read(
    _ message: ByteView, position: inout Int, _ body: (inout TreeNodes) throws(FileError) -> Void
  ) throws(FileError) {
    var fields = ProtobufScanner(message)
    while let (field, kind) = try fields.next() {
      fields.releaseRead()
      guard field == Self.nodesField, kind == .bytes else {
        try fields.skip(kind)
        continue
      }
      try append(fields.bytes(), position)
      position += 1
      try body(&self)
    }
  }

  private mutating func append(_ content: ProtobufScanner, _ position: Int) throws(FileError) {
    var fields = content
    var node = TreeNode()
    node.position = position
    let start = evaluations.count
    while let (field, kind) = try fields.next() {
      switch (field, kind) {
      case (1, .varint): node.treeID = try fields.varint()
      case (2, .varint): node.nodeID = try fields.varint()
      // An enumeration has 32 bits.
      case (3, .varint): node.behavior = UInt64(truncatingIfNeeded: Int32(truncatingIfNeeded: try fields.varint()))
      case (10, .varint): node.branchFeatureIndex = try fields.varint()
      case (11, .fixed64): node.branchFeatureValue = Double(bitPattern: try fields.fixed64())
      case (12, .varint): node.trueChildNodeID = try fields.varint()
      case (13, .varint): node.falseChildNodeID = try fields.varint()
      case (14, .varint): node.missingValueTracksTrueChild = try fields.varint() != 0
      case (20, .bytes): evaluations.append(try Self.evaluation(fields.bytes()))
      default: try fields.skip(kind)
      }
    }
    node.evaluations = start..<evaluations.count
    nodes.append(node)
  }

  private static func evaluation(_ content: ProtobufScanner) throws(FileError) -> Evaluation {
    var fields = content
    var evaluation = Evaluation(index: 0, value: 0)
    while let (field, kind) = try fields.next() {
      switch (field, kind) {
      case (1, .varint): evaluation.index = try fields.varint()
      case (2, .fixed64): evaluation.value = Double(bitPattern: try fields.fixed64())
      default: try fields.skip(kind)
      }
    }
    return evaluation
  }
}
