import MartletBytes
package import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Tree ensembles.
extension ClassicRows {
  private func sums(_ trees: MartletCoreMLFile.TreeEnsemble, _ member: ClassicMember) throws -> ValueID {
    let parts = try member.function.inputs.map { try feature($0.name) }
    // Single precision stays, which is compared exactly.
    let areFloats = try parts.allSatisfy { try signature(of: $0).dtype == .float32 }
    let x = try inputs(member, as: areFloats ? .float32 : .float64)
    if let columns = try columns(x), columns < trees.columnCount {
      throw CallError("branches compare \(trees.columnCount) columns", expected: "\(trees.columnCount)", found: "\(columns)")
    }
    return intermediate(try forests.op(trees), [x], try rows(of: x, trees.dimensionCount))
  }

  func add(_ regressor: TreeEnsembleRegressor, _ member: ClassicMember) throws {
    let sums = try sums(regressor.trees, member)
    switch regressor.transform {
    case .none: try setValue(member, sums)
    case .logistic: try setValue(member, sigmoid(sums))
    case .softmax: try setValue(member, softmax(sums))
    case .softmaxWithZeroClassReference: try setValue(member, softmax(prefixed(sums)))
    }
  }

  func add(_ classifier: TreeEnsembleClassifier, _ member: ClassicMember) throws {
    let sums = try sums(classifier.trees, member)
    guard classifier.trees.dimensionCount == 1 else {
      switch classifier.transform {
      case .none: return try setClasses(member, sums)
      case .logistic: return try setClasses(member, sigmoid(sums))
      case .softmax: return try setClasses(member, softmax(sums))
      case .softmaxWithZeroClassReference:
        // The first class is the reference: the score of 0 takes the place of its sum.
        let others = try sliced([sums], axis: 1, SliceRange(start: .constant(1)))
        return try setClasses(member, softmax(prefixed(others)))
      }
    }
    // One sum is the score of the second class.
    switch classifier.transform {
    case .none: try setClasses(member, complemented(sums))
    case .logistic: try setClasses(member, complemented(sigmoid(sums)))
    case .softmax, .softmaxWithZeroClassReference: try setClasses(member, softmax(prefixed(sums)))
    }
  }
}

/// The operators of tree ensembles that have been imported, so that graphs of the same model share them.
final class ForestCache {
  private var ops: [(trees: MartletCoreMLFile.TreeEnsemble, op: MartletOps.TreeEnsemble)] = []

  func op(_ trees: MartletCoreMLFile.TreeEnsemble) throws(CallError) -> MartletOps.TreeEnsemble {
    if let known = ops.first(where: { $0.trees.isSame(as: trees) }) { return known.op }
    let op = try MartletOps.TreeEnsemble(trees)
    ops.append((trees, op))
    return op
  }
}

extension MartletOps.TreeEnsemble {
  fileprivate init(_ trees: MartletCoreMLFile.TreeEnsemble) throws(CallError) {
    do {
      if let packed = trees.packed {
        let bytes = packed.bytes
        self = try MartletOps.TreeEnsemble(
          stored: unsafe TensorStorage(reading: bytes.unsafeBaseAddress, byteCount: bytes.count, of: bytes.owner))
        return
      }
      guard let forest = DecisionTrees(trees) else { throw OperatorError.invalid("the trees are inconsistent") }
      self = try MartletOps.TreeEnsemble(forest)
    } catch {
      throw CallError("\(error)", isOverLimit: trees.packed == nil)
    }
  }
}

extension MartletCoreMLFile.TreeEnsemble {
  /// The trees in the form that the engine walks, for `CompiledForm`.
  package func packed() throws(CallError) -> [UInt8] { try MartletOps.TreeEnsemble(self).stored }

  /// True if both are copies of one value, so that comparing them takes no time.
  fileprivate func isSame(as other: Self) -> Bool {
    guard dimensionCount == other.dimensionCount, packed == nil, other.packed == nil, nodeCount > 0 else { return self == other }
    return unsafe thresholds.withUnsafeBufferPointer { own in
      unsafe other.thresholds.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress && own.count == $0.count }
    }
  }
}

extension DecisionTrees {
  init?(_ trees: MartletCoreMLFile.TreeEnsemble) {
    let nodes = (0..<trees.nodeCount).map { node in
      Node(
        Mode(trees.modes[node]), column: Int(widening: trees.features[node]), threshold: trees.thresholds[node],
        trueChild: Int(widening: trees.trueChildren[node]), falseChild: Int(widening: trees.falseChildren[node]),
        missingFollowsTrue: trees.missingFollowsTrue[node])
    }
    self.init(
      starts: trees.treeStarts, nodes: nodes, entryStarts: trees.evaluationStarts, dimensions: trees.evaluationIndices,
      values: trees.evaluationValues, dimensionCount: trees.dimensionCount, base: trees.basePrediction)
  }
}

extension DecisionTrees.Mode {
  fileprivate init(_ mode: MartletCoreMLFile.TreeEnsemble.Mode) {
    self =
      switch mode {
      case .lessOrEqual: .lessOrEqual
      case .less: .less
      case .greaterOrEqual: .greaterOrEqual
      case .greater: .greater
      case .equal: .equal
      case .notEqual: .notEqual
      case .leaf: .leaf
      }
  }
}
