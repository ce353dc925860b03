import MartletGraph
import MartletTensor

/// Converts operations of one operator to nodes.
typealias MILCallImporter = @Sendable (inout MILCall) throws -> Void

/// The importers of a family of operators, by operator name.
typealias MILCallTable = [String: MILCallImporter]

/// All supported operators of ML Programs. Each family's rows are in a file of their own.
package enum MILRegistry {
  static let rows: MILCallTable = {
    var rows: MILCallTable = [:]
    rows.reserveCapacity(families.reduce(0) { $0 + $1.count })
    for family in families { rows.merge(family) { _, _ in preconditionFailure("an operator has two rows") } }
    return rows
  }()

  /// The names of the operators.
  package static var operators: [String] { rows.keys.sorted() }

  /// One line per family.
  private static let families: [MILCallTable] = [
    milActivationRows,
    milCompressionRows,
    milControlFlowRows,
    milConvolutionRows,
    milElementwiseRows,
    milImageRows,
    milIndexingRows,
    milLinearAlgebraRows,
    milListRows,
    milMovementRows,
    milNormalizationRows,
    milPoolingRows,
    milQuantizationRows,
    milRandomRows,
    milRecurrentRows,
    milReductionRows,
    milScatterRows,
    milShapeRows,
    milStateRows,
  ]
}
