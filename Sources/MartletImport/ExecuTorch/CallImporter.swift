import MartletGraph
import MartletTensor

/// Converts calls of one source operator to nodes.
package typealias CallImporter = @Sendable (inout OperatorCall) throws -> Void

/// The importers of a family of operators, by schema: `namespace::name.overload(argument, ...)` with the arguments in the order in which
/// programs pass them. A returned value that is not an argument is called `result`: `aten::sym_size.int(self, dim) -> result`.
///
/// A list, because all rows are looked up in `CallRegistry.rows`.
package typealias CallTable = KeyValuePairs<String, CallImporter>

/// The importer of one operator.
package struct CallRow: Sendable {
  package let schema: String
  package let importer: CallImporter

  package init(schema: String, importer: @escaping CallImporter) {
    self.schema = schema
    self.importer = importer
  }

  /// `namespace::name.overload`.
  package var name: String { schema.utf8.firstIndex(of: UInt8(ascii: "(")).map { String(schema[..<$0]) } ?? schema }

  /// Names of the arguments, in order; empty without a list of arguments.
  package var argumentNames: [String] {
    let text = schema.utf8
    guard let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")")) else { return [] }
    let list = schema[text.index(after: open)..<close]
    let names = list.parts(separatedBy: ",").map { String($0.utf8.first == UInt8(ascii: " ") ? $0.dropFirst() : $0) }
    return schema.hasSuffix(" -> result") ? names + ["result"] : names
  }
}

/// An argument of a call.
package enum ArgumentName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// Its name in the operator's schema.
  case name(String)
  /// Its position, for operators without a schema.
  case position(Int)

  package init(stringLiteral value: StringLiteralType) { self = .name(value) }

  package var description: String {
    switch self {
    case .name(let name): "'\(name)'"
    case .position(let position): "\(position)"
    }
  }
}

/// All operators that a `.pte` may call. Each family's rows are in a file of their own.
package enum CallRegistry {
  /// By `namespace::name.overload`.
  package static let rows: [String: CallRow] = {
    var rows: [String: CallRow] = [:]
    rows.reserveCapacity(families.reduce(0) { $0 + $1.count })
    for family in families {
      for (schema, importer) in family {
        let row = CallRow(schema: schema, importer: importer)
        if rows.updateValue(row, forKey: row.name) != nil { preconditionFailure("an operator has two rows") }
      }
    }
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
