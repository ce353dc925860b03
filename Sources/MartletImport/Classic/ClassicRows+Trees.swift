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
    if let known = ops.first(where: { $0.trees == trees }) { return known.op }
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
      } else {
        self = try MartletOps.TreeEnsemble(DecisionTrees(trees))
      }
    } catch {
      throw CallError("\(error)", isOverLimit: error is OperatorError && trees.packed == nil)
    }
  }
}

extension MartletCoreMLFile.TreeEnsemble {
  /// The trees in the form that the engine walks, for `CompiledForm`.
  package func packed() throws(CallError) -> [UInt8] { try MartletOps.TreeEnsemble(self).stored }
}

extension DecisionTrees {
  fileprivate init(_ trees: MartletCoreMLFile.TreeEnsemble) {
    self.init(dimensionCount: trees.dimensionCount, base: trees.basePrediction) { body in
      var converted = Tree()
      try trees.forEachTree { tree in
        converted.nodes.removeAll(keepingCapacity: true)
        for node in tree.nodes {
          let start = Int(widening: node.firstValue)
          converted.nodes.append(
            Node(
              Mode(node.mode), column: Int(widening: node.column), threshold: node.threshold, trueChild: Int(widening: node.trueChild),
              falseChild: Int(widening: node.falseChild), missingFollowsTrue: node.missingFollowsTrue,
              // In range: within the values of the tree.
              values: start..<start + Int(widening: node.valueCount)))
        }
        (converted.dimensions, converted.values) = (tree.dimensions, tree.values)
        try body(converted)
        (converted.dimensions, converted.values) = ([], [])
      }
    }
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
