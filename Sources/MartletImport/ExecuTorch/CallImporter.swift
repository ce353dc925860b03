import MartletGraph
import MartletTensor

/// Converts calls of one source operator to nodes.
package typealias CallImporter = @Sendable (inout OperatorCall) throws -> Void

/// The importers of a family of operators, by `namespace::name.overload`.
package typealias CallTable = [String: CallImporter]

/// All operators that a `.pte` may call. Each family's rows are in a file of their own.
package enum CallRegistry {
  package static let rows: CallTable = {
    var rows: CallTable = [:]
    rows.reserveCapacity(families.reduce(0) { $0 + $1.count })
    for family in families { rows.merge(family) { _, _ in preconditionFailure("an operator has two rows") } }
    return rows
  }()

  /// One line per family.
  private static let families: [CallTable] = [
    activationRows,
    arithmeticRows,
    attentionRows,
    comparisonRows,
    convolutionRows,
    copyRows,
    creationRows,
    indexingRows,
    linearAlgebraRows,
    movementRows,
    normalizationRows,
    pointwiseRows,
    poolingRows,
    quantizedRows,
    randomRows,
    reductionRows,
    resizeRows,
    scalarRows,
    spectralRows,
    viewRows,
  ]
}
