package import MartletBytes
import MartletCoreMLSpecification
package import MartletFeatures
import MartletTensor

/// Decision trees whose leaves add values to a prediction.
///
/// Trees are sorted by their ids in the file. The nodes of a tree lie in sequence, its root first, and children lie after their parent:
/// one pass from front to back meets each node after its parent, one from back to front after its children.
package struct TreeEnsemble: Sendable, Hashable {
  /// The condition under which the true child follows. Values are compared as doubles.
  package enum Mode: UInt8, Sendable, Hashable, CaseIterable {
    case lessOrEqual, less, greaterOrEqual, greater, equal, notEqual
    case leaf
  }

  /// Tree `t` has the nodes from `treeStarts[t]` to `treeStarts[t + 1]`.
  package internal(set) var treeStarts: [Int] = [0]

  // One element for each node. Those of leaves are 0 or false, except for the mode.

  package internal(set) var modes: [Mode] = []
  /// The column of the input that a branch compares.
  package internal(set) var features: [Int32] = []
  package internal(set) var thresholds: [Double] = []
  /// Positions among all nodes.
  package internal(set) var trueChildren: [Int32] = []
  package internal(set) var falseChildren: [Int32] = []
  /// True if the true child follows when the value is missing.
  package internal(set) var missingFollowsTrue: [Bool] = []

  /// Node `n` adds the values from `evaluationStarts[n]` to `evaluationStarts[n + 1]`; none if it is a branch.
  package internal(set) var evaluationStarts: [Int] = [0]
  /// Dimensions of the prediction, ascending within a leaf.
  package internal(set) var evaluationIndices: [Int32] = []
  package internal(set) var evaluationValues: [Double] = []

  /// Number of values of the prediction.
  package internal(set) var dimensionCount = 0
  /// Values to which leaves add, one for each dimension; empty if all are 0.
  package internal(set) var basePrediction: [Double] = []

  /// The form that the engine walks, from a compiled model. Then there are no nodes.
  package internal(set) var packed: PackedTrees?

  package var treeCount: Int { packed?.treeCount ?? treeStarts.count - 1 }
  package var nodeCount: Int { packed?.nodeCount ?? modes.count }
  /// One more than the largest column that a branch compares.
  package internal(set) var columnCount = 0

  /// Number of dimensions that a prediction may have.
  package static let maximumDimensions = 1 << 20
  /// Number of columns that branches may compare.
  package static let maximumColumns = 1 << 30
}

/// Trees in the form that the engine walks, which this layer does not read.
package struct PackedTrees: Sendable, Hashable {
  package let treeCount: Int
  package let nodeCount: Int
  /// Aligned to 64 bytes.
  package let bytes: ByteView

  /// Equal if they are the same part of the same file.
  package static func == (a: PackedTrees, b: PackedTrees) -> Bool {
    a.bytes.owner === b.bytes.owner && a.bytes.offset == b.bytes.offset && a.bytes.count == b.bytes.count
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(bytes.owner))
    hasher.combine(bytes.offset)
  }
}

package enum TreeTransform: Sendable, Hashable, CaseIterable {
  case none, softmax, logistic
  /// Softmax with a score of 0 before the others.
  case softmaxWithZeroClassReference
}

package struct TreeEnsembleRegressor: Sendable, Hashable {
  package let trees: TreeEnsemble
  package let transform: TreeTransform
}

package struct TreeEnsembleClassifier: Sendable, Hashable {
  package let trees: TreeEnsemble
  package let transform: TreeTransform
  /// One for each dimension of the prediction, or two for one dimension. 0, 1, … if the file has none.
  package let labels: ClassLabels
}

extension ClassicReader {
  func treeEnsembleRegressor(_ source: SpecTreeEnsembleRegressor) throws(FileError) -> TreeEnsembleRegressor {
    TreeEnsembleRegressor(
      trees: try TreeEnsembleReader(reader: self, outline: outline).trees(source.treeEnsemble),
      transform: try transform(source.postEvaluationTransform))
  }

  func treeEnsembleClassifier(_ source: SpecTreeEnsembleClassifier) throws(FileError) -> TreeEnsembleClassifier {
    let trees = try TreeEnsembleReader(reader: self, outline: outline).trees(source.treeEnsemble)
    let classCount = trees.dimensionCount == 1 ? 2 : trees.dimensionCount
    let labels = source.labels ?? .integers((0..<classCount).map { Int64(widening: $0) })
    guard labels.count == classCount else {
      throw error("ClassLabels", "there are \(labels.count) labels; \(trees.dimensionCount) dimensions need \(classCount)")
    }
    return TreeEnsembleClassifier(trees: trees, transform: try transform(source.postEvaluationTransform), labels: labels)
  }

  private func transform(_ source: SpecTreeEnsemblePostEvaluationTransform) throws(FileError) -> TreeTransform {
    switch source {
    case .noTransform: return .none
    case .classificationSoftMax: return .softmax
    case .regressionLogistic: return .logistic
    case .classificationSoftMaxWithZeroClassReference: return .softmaxWithZeroClassReference
    case .UNRECOGNIZED(let number): throw error("postEvaluationTransform", "\(number) is not a known transform")
    }
  }
}
