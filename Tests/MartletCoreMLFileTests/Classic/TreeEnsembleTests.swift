import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import MartletTestSampling
import Testing

@Suite struct TreeEnsembleTests {
  typealias Node = SpecTreeEnsembleParameters.TreeNode

  private static func branch(
    _ tree: UInt64, _ id: UInt64, _ yes: UInt64, _ no: UInt64, _ behavior: Node.TreeNodeBehavior = .branchOnValueLessThanEqual,
    column: UInt64 = 0, threshold: Double = 0, missing: Bool = false
  ) -> Node {
    var node = Node()
    (node.treeID, node.nodeID, node.trueChildNodeID, node.falseChildNodeID) = (tree, id, yes, no)
    (node.nodeBehavior, node.branchFeatureIndex, node.branchFeatureValue) = (behavior, column, threshold)
    node.missingValueTracksTrueChild = missing
    return node
  }

  private static func leaf(_ tree: UInt64, _ id: UInt64, _ values: (UInt64, Double)...) -> Node {
    var node = Node()
    (node.treeID, node.nodeID, node.nodeBehavior) = (tree, id, .leafNode)
    for (index, value) in values {
      var info = Node.EvaluationInfo()
      (info.evaluationIndex, info.evaluationValue) = (index, value)
      node.evaluationInfo.append(info)
    }
    return node
  }

  private static func regressor(_ nodes: [Node], dimensions: UInt64 = 1) -> SpecModel {
    Sample.model([.array("x", 4)], [.double("y")], label: "y") {
      $0.treeEnsembleRegressor.treeEnsemble.nodes = nodes
      $0.treeEnsembleRegressor.treeEnsemble.numPredictionDimensions = dimensions
    }
  }

  private static func trees(_ model: SpecModel) throws -> TreeEnsemble {
    switch try Sample.classic(model) {
    case .treeEnsembleRegressor(let model): return model.trees
    case .treeEnsembleClassifier(let model): return model.trees
    default: throw Sample.OtherKind()
    }
  }

  private static func read(_ trees: TreeEnsemble) throws -> [TreeEnsemble.Tree] {
    var read: [TreeEnsemble.Tree] = []
    try trees.forEachTree { read.append($0) }
    return read
  }

  /// The values that a node adds, by dimension.
  private static func values(_ node: TreeEnsemble.Node, of tree: TreeEnsemble.Tree) -> [Int32: Double] {
    let range = Int(node.firstValue)..<Int(node.firstValue) + Int(node.valueCount)
    return Dictionary(uniqueKeysWithValues: zip(tree.dimensions[range], tree.values[range]))
  }

  /// Two trees, whose nodes are out of order and have large ids.
  private static let classifier = Sample.model([.array("x", 4)], [.string("label")], label: "label") {
    $0.treeEnsembleClassifier.treeEnsemble.nodes = [
      leaf(.max, 5, (1, 0.5), (0, 0.25)),
      branch(3, .max, 20, 10, .branchOnValueGreaterThan, column: 3, threshold: -1.5, missing: true),
      leaf(3, 10, (0, 1)), branch(3, 20, 7, 8, .branchOnValueEqual, column: 1, threshold: 2), leaf(3, 8, (2, 2)), leaf(3, 7, (1, 3)),
    ]
    $0.treeEnsembleClassifier.treeEnsemble.numPredictionDimensions = 3
    $0.treeEnsembleClassifier.treeEnsemble.basePredictionValue = [1, 2, 3]
    $0.treeEnsembleClassifier.postEvaluationTransform = .classificationSoftMaxWithZeroClassReference
    $0.treeEnsembleClassifier.stringClassLabels.vector = ["a", "b", "c"]
  }

  @Test func `Nodes lie root first, with positions instead of ids`() throws {
    guard case .treeEnsembleClassifier(let model) = try Sample.classic(Self.classifier) else { throw Sample.OtherKind() }
    let trees = model.trees
    #expect(trees.treeCount == 2 && trees.nodeCount == 6 && trees.columnCount == 4)
    let read = try Self.read(trees)
    #expect(read.map(\.nodes.count) == [5, 1])
    #expect(read[0].nodes.map(\.mode) == [.greater, .equal, .leaf, .leaf, .leaf])
    #expect(read[0].nodes.map(\.column) == [3, 1, 0, 0, 0])
    #expect(read[0].nodes.map(\.threshold) == [-1.5, 2, 0, 0, 0])
    #expect(read[0].nodes.map(\.trueChild) == [1, 2, 0, 0, 0] && read[0].nodes.map(\.falseChild) == [4, 3, 0, 0, 0])
    #expect(read[0].nodes.map(\.missingFollowsTrue) == [true, false, false, false, false])
    #expect(read[0].nodes.map { Self.values($0, of: read[0]) } == [[:], [:], [1: 3], [2: 2], [0: 1]])
    #expect(read[1].nodes.map(\.mode) == [.leaf] && read[1].dimensions == [0, 1] && read[1].values == [0.25, 0.5])
    #expect(trees.dimensionCount == 3 && trees.basePrediction == [1, 2, 3])
    #expect(model.transform == .softmaxWithZeroClassReference)
    #expect(try Sample.read(Self.classifier).description.defaultFunction.classification?.labels == .strings(["a", "b", "c"]))
  }

  @Test func `All kinds of branches and transforms are read`() throws {
    let behaviors: [(Node.TreeNodeBehavior, TreeEnsemble.Mode)] = [
      (.branchOnValueLessThanEqual, .lessOrEqual), (.branchOnValueLessThan, .less), (.branchOnValueGreaterThanEqual, .greaterOrEqual),
      (.branchOnValueGreaterThan, .greater), (.branchOnValueEqual, .equal), (.branchOnValueNotEqual, .notEqual),
    ]
    for (behavior, mode) in behaviors {
      let model = Self.regressor([Self.branch(0, 0, 1, 2, behavior), Self.leaf(0, 1, (0, 1)), Self.leaf(0, 2, (0, 2))])
      #expect(try Self.read(Self.trees(model)).map { $0.nodes.map(\.mode) } == [[mode, .leaf, .leaf]])
    }
    let transforms: [(SpecTreeEnsemblePostEvaluationTransform, TreeTransform)] = [
      (.noTransform, .none), (.classificationSoftMax, .softmax), (.regressionLogistic, .logistic),
      (.classificationSoftMaxWithZeroClassReference, .softmaxWithZeroClassReference),
    ]
    for (transform, expected) in transforms {
      var message = Self.regressor([Self.leaf(0, 0, (0, 1))])
      message.treeEnsembleRegressor.postEvaluationTransform = transform
      guard case .treeEnsembleRegressor(let model) = try Sample.classic(message) else { throw Sample.OtherKind() }
      #expect(model.transform == expected && model.trees.basePrediction == [])
    }
  }

  @Test func `Classes without labels are numbered`() throws {
    var model = Self.classifier
    model.description_p.output = [Feature.int64("label").message]
    model.treeEnsembleClassifier.classLabels = nil
    #expect(try Sample.read(model).description.defaultFunction.classification?.labels == .integers([0, 1, 2]))
    model.treeEnsembleClassifier.treeEnsemble.numPredictionDimensions = 1
    model.treeEnsembleClassifier.treeEnsemble.basePredictionValue = []
    model.treeEnsembleClassifier.treeEnsemble.nodes = [Self.leaf(0, 0, (0, 1))]
    #expect(try Sample.read(model).description.defaultFunction.classification?.labels == .integers([0, 1]))
  }

  @Test func `Nodes that do not form trees are refused`() {
    let good = Self.regressor([Self.branch(0, 0, 1, 2), Self.branch(0, 1, 3, 4)] + (2...4).map { Self.leaf(0, $0, (0, 1)) })
    func expect(_ message: String, _ change: (inout [Node]) -> Void) {
      Sample.expect("treeEnsembleRegressor.treeEnsemble.nodes" + message, good) { change(&$0.treeEnsembleRegressor.treeEnsemble.nodes) }
    }
    expect("[1].trueChildNodeId: tree 0 has no node 9") { $0[1].trueChildNodeID = 9 }
    expect("[1].trueChildNodeId: tree 0 has no node 18446744073709551615") { $0[1].trueChildNodeID = .max }
    expect("[1].trueChildNodeId: node 2 is also the child of node 0") { $0[1].trueChildNodeID = 2 }
    expect("[1].falseChildNodeId: node 3 is also the child of node 1") { $0[1].falseChildNodeID = 3 }
    expect("[1].trueChildNodeId: node 1 is its own child") { $0[1].trueChildNodeID = 1 }
    expect("[2].nodeId: tree 0 has another node 1, nodes[1]") { $0[2].nodeID = 1 }
    expect("[0]: tree 0 has no root") {
      $0[1].trueChildNodeID = 0
      $0.remove(at: 3)
    }
    expect("[5].nodeId: tree 0 has two roots, the nodes 0 and 9") { $0.append(Self.leaf(0, 9, (0, 1))) }
    expect("[5]: node 10 of tree 0 is in or below a cycle") {
      $0 += [Self.branch(0, 10, 11, 12), Self.branch(0, 11, 10, 13), Self.leaf(0, 12, (0, 1)), Self.leaf(0, 13, (0, 1))]
    }
    // The children of another tree do not count.
    expect("[1].falseChildNodeId: tree 0 has no node 4") { $0[4].treeID = 1 }
  }

  @Test func `Damaged nodes and counts are refused`() {
    let good = Self.regressor([Self.branch(0, 0, 1, 2), Self.leaf(0, 1, (0, 1)), Self.leaf(0, 2, (0, 1), (1, 2))], dimensions: 2)
    func expect(_ message: String, _ change: (inout SpecTreeEnsembleParameters) -> Void) {
      Sample.expect("treeEnsembleRegressor.treeEnsemble." + message, good) { change(&$0.treeEnsembleRegressor.treeEnsemble) }
    }
    expect("nodes[0].nodeBehavior: 8 is not a known behaviour") { $0.nodes[0].nodeBehavior = .UNRECOGNIZED(8) }
    expect("nodes[0].branchFeatureIndex: 9223372036854775808 exceeds the limit") { $0.nodes[0].branchFeatureIndex = 1 << 63 }
    expect("nodes[0].branchFeatureIndex: 1073741824 exceeds the limit") { $0.nodes[0].branchFeatureIndex = 1 << 30 }
    expect("nodes[1].evaluationInfo: a leaf needs at least one value") { $0.nodes[1].evaluationInfo = [] }
    expect("nodes[1].evaluationInfo: the index 2 is not below the number of dimensions, 2") {
      $0.nodes[1].evaluationInfo[0].evaluationIndex = 2
    }
    expect("nodes[1].evaluationInfo: the index 18446744073709551615 is not") { $0.nodes[1].evaluationInfo[0].evaluationIndex = .max }
    expect("nodes[2].evaluationInfo: the index 1 occurs twice") { $0.nodes[2].evaluationInfo[0].evaluationIndex = 1 }
    expect("numPredictionDimensions: a prediction has at least one") { $0.numPredictionDimensions = 0 }
    expect("numPredictionDimensions: 9223372036854775808 exceeds the limit of 1048576") { $0.numPredictionDimensions = 1 << 63 }
    expect("basePredictionValue: there are 1 values for 2 dimensions") { $0.basePredictionValue = [1] }
    Sample.expect("treeEnsembleRegressor.postEvaluationTransform: 4 is not", good) {
      $0.treeEnsembleRegressor.postEvaluationTransform = .UNRECOGNIZED(4)
    }
    Sample.expect("treeEnsembleClassifier.ClassLabels: there are 2 labels; 3 dimensions need 3", Self.classifier) {
      $0.treeEnsembleClassifier.stringClassLabels.vector = ["a", "b"]
    }
  }

  @Test(arguments: [(levels: 1_000_000, isReversed: false), (levels: 50_000, isReversed: true)] as [(levels: UInt64, isReversed: Bool)])
  func `A tree of a million levels is read`(levels: UInt64, isReversed: Bool) throws {
    // An eighth is too many for recursion, too.
    let levels = inDebug(min(levels, 125_000), otherwise: levels)
    var nodes: [Node] = []
    for level in 0..<levels {
      nodes.append(Self.branch(0, 2 * level, 2 * level + 2, 2 * level + 1))
      nodes.append(Self.leaf(0, 2 * level + 1, (0, 1)))
    }
    nodes.append(Self.leaf(0, 2 * levels, (0, 1)))
    if isReversed { nodes.reverse() }
    let trees = try Self.trees(Self.regressor(nodes))
    let read = try Self.read(trees)
    #expect(read.map(\.nodes.count) == [nodes.count])
    let isOrdered = read[0].nodes.enumerated().allSatisfy { $1.mode == .leaf || $1.trueChild > $0 && $1.falseChild > $0 }
    #expect(isOrdered)
  }

  @Test func `Nodes of several trees may be mixed`() throws {
    let mixed = [
      Self.leaf(7, 2, (0, 4)), Self.branch(5, 0, 1, 2), Self.branch(7, 0, 1, 2), Self.leaf(5, 1, (0, 1)), Self.leaf(7, 1, (0, 3)),
      Self.leaf(5, 2, (0, 2)),
    ]
    let trees = try Self.trees(Self.regressor(mixed))
    #expect(trees.treeCount == 2 && trees.nodeCount == 6)
    #expect(try Self.read(trees).map(\.values) == [[1, 2], [3, 4]])
    Sample.expect("treeEnsembleRegressor.treeEnsemble.nodes[5].nodeId: tree 5 has another node 1, nodes[3]", Self.regressor(mixed)) {
      $0.treeEnsembleRegressor.treeEnsemble.nodes[5].nodeID = 1
    }
  }
}
