package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Sums of the values that decision trees give to each row.
/// - Operands: `x` [N, C], with at least as many columns as branches compare. - Results: [N, K] float64, with a column for each dimension.
/// - DTypes: floating point; numbers are compared in double precision. NaN is a missing number.
/// - Accuracy: the trees' values are added in order to the base values, in double precision.
/// - Sources: Core ML `TreeEnsembleParameters`.
package struct TreeEnsemble: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .exact)

  private let forest: DecisionForest
  package var name: String { "tree_ensemble" }

  package var attributes: [(name: String, value: String)] {
    [
      ("trees", "\(forest.treeCount)"), ("nodes", "\(forest.nodeCount)"), ("columns", "\(forest.columnCount)"),
      ("dimensions", "\(forest.dimensionCount)"),
    ]
  }

  /// - Parameter gathers: nil for what the processor does faster.
  /// - Throws: `OperatorError.overBudget` if there is no memory for the form that kernels walk, and the errors of reading the trees.
  package init(_ trees: DecisionTrees, gathers: Bool? = nil) throws {
    do {
      forest = try DecisionForest(trees, gathers: gathers ?? MachineProfile.current.hasFastGathers)
    } catch let error as AllocationError {
      throw OperatorError.overBudget("\(error)")
    }
  }

  /// - Parameter stored: what `stored` gave, perhaps changed since.
  /// - Throws: `OperatorError.invalid` if it is not the form of a forest.
  package init(stored: TensorStorage) throws(OperatorError) {
    do {
      forest = try DecisionForest(stored: stored)
    } catch {
      throw .invalid("\(error)")
    }
  }

  /// The form that kernels walk, to be kept in a file.
  package var stored: [UInt8] { forest.stored }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint else { throw .unsupported("trees on \(x.dtype)") }
    guard x.rank == 2 else { throw .invalid("a matrix is needed, not \(x.shape)") }
    guard x.shape[1] >= forest.columnCount else {
      throw .invalid("branches compare \(forest.columnCount) columns, and \(x.shape) has fewer")
    }
    return [.tensor(TensorType(.float64, [x.shape[0], forest.dimensionCount]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacing: 1, by: .fixed(forest.dimensionCount))
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0, as: node.operandType(0).dtype == .float64 ? .float64 : .float32)
    let y = node.staging(0, as: .float64)
    node.emit(
      "tree_ensemble \(x.shape)", flops: forest.work(rows: x.shape[0]), work: .single,
      forest.kernel(x: x, y: y, scratch: node.workerScratch(byteCount: forest.scratchByteCount)))
    node.finish(0, from: y)
  }
}
