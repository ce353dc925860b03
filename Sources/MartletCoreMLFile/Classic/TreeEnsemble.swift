package import MartletBytes
package import MartletFeatures
import MartletTensor

/// Decision trees whose leaves add values to a prediction.
///
/// The trees have been checked. They stay in the file and are read from it one at a time, since nodes in memory take more than the file.
package struct TreeEnsemble: Sendable, Equatable {
  /// The condition under which the true child follows. Values are compared as doubles.
  package enum Mode: UInt8, Sendable, Equatable, CaseIterable {
    case lessOrEqual, less, greaterOrEqual, greater, equal, notEqual
    case leaf
  }

  /// Column, threshold and children of leaves are 0.
  package struct Node: Sendable, Equatable {
    package internal(set) var threshold: Double = 0
    /// The column of the input that a branch compares.
    package internal(set) var column: Int32 = 0
    /// Positions in the tree.
    package internal(set) var trueChild: Int32 = 0
    package internal(set) var falseChild: Int32 = 0
    /// A leaf adds the values of its tree from `firstValue` on.
    package internal(set) var firstValue: Int32 = 0
    /// 0 for a branch.
    package internal(set) var valueCount: Int32 = 0
    package internal(set) var mode: Mode = .leaf
    /// True if the true child follows when the value is missing.
    package internal(set) var missingFollowsTrue = false
  }

  /// One tree. Its root is the first node, and children lie after their parent: one pass from front to back meets each node after its
  /// parent, one from back to front after its children.
  package struct Tree: Sendable, Equatable {
    package internal(set) var nodes: [Node] = []
    /// Dimensions of the prediction to which `values` are added, ascending within a leaf.
    package internal(set) var dimensions: [Int32] = []
    package internal(set) var values: [Double] = []
  }

  /// Where the trees are.
  enum Form: Sendable, Equatable {
    case stored(StoredTrees)
    case packed(PackedTrees)
  }

  package let treeCount: Int
  package let nodeCount: Int
  /// One more than the largest column that a branch compares.
  package let columnCount: Int
  /// Number of values of the prediction.
  package let dimensionCount: Int
  /// Values to which leaves add, one for each dimension; empty if all are 0.
  package let basePrediction: [Double]
  let form: Form

  /// The form that the engine walks, from a compiled model. Then there are no nodes.
  package var packed: PackedTrees? { if case .packed(let packed) = form { packed } else { nil } }

  /// Reads the trees, sorted by their ids.
  /// - Throws: the errors of `body`; `FileError` if the file has changed.
  package func forEachTree(_ body: (Tree) throws -> Void) throws {
    guard case .stored(let trees) = form else { return }
    var reader = TreeReader(trees)
    while try reader.next() { try body(reader.tree) }
  }

  /// Number of dimensions that a prediction may have.
  package static let maximumDimensions = 1 << 20
  /// Number of columns that branches may compare.
  package static let maximumColumns = 1 << 30
}

/// Trees in the form that the engine walks, which this layer does not read.
package struct PackedTrees: Sendable, Equatable {
  package let treeCount: Int
  package let nodeCount: Int
  /// Aligned to 64 bytes.
  package let bytes: ByteView

  /// Equal if they are the same part of the same file.
  package static func == (a: PackedTrees, b: PackedTrees) -> Bool { a.bytes.isSamePart(as: b.bytes) }
}

extension ByteView {
  /// True for the same bytes of the same file.
  func isSamePart(as other: ByteView) -> Bool { owner === other.owner && offset == other.offset && count == other.count }
}

package enum TreeTransform: Sendable, Equatable, CaseIterable {
  case none, softmax, logistic
  /// Softmax with a score of 0 before the others.
  case softmaxWithZeroClassReference
}

package struct TreeEnsembleRegressor: Sendable, Equatable {
  package let trees: TreeEnsemble
  package let transform: TreeTransform
}

package struct TreeEnsembleClassifier: Sendable, Equatable {
  package let trees: TreeEnsemble
  package let transform: TreeTransform
  /// One for each dimension of the prediction, or two for one dimension. 0, 1, … if the file has none.
  package let labels: ClassLabels
}

extension ClassicReader {
  func treeEnsembleRegressor(_ source: SpecTreeEnsembleRegressor) throws(FileError) -> TreeEnsembleRegressor {
    TreeEnsembleRegressor(trees: try trees(source.treeEnsemble), transform: try transform(source.postEvaluationTransform))
  }

  func treeEnsembleClassifier(_ source: SpecTreeEnsembleClassifier) throws(FileError) -> TreeEnsembleClassifier {
    let trees = try self.trees(source.treeEnsemble)
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
