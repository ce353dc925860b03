import MartletGraph
import MartletTensor

/// Converts operations of one operator to nodes.
typealias MILCallImporter = @Sendable (inout MILCall) throws -> Void

/// The importers of a family of operators, by operator name. A list, because all rows are looked up in `MILRegistry.rows`.
typealias MILCallTable = KeyValuePairs<String, MILCallImporter>

/// All supported operators of ML Programs. Each family's rows are in a file of their own.
package enum MILRegistry {
  static let rows: [String: MILCallImporter] = {
    var rows: [String: MILCallImporter] = [:]
    rows.reserveCapacity(families.reduce(0) { $0 + $1.count })
    for family in families {
      for (name, importer) in family {
        if rows.updateValue(importer, forKey: name) != nil { preconditionFailure("an operator has two rows") }
      }
    }
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
