package import MartletTensor

/// Which operators run with which element types, found out by running a sample call of each.
package struct OperatorTable: Sendable {
  package enum Output: Sendable {
    case tensor(HostTensor)
    case number(Scalar)
  }

  package enum Outcome: Sendable {
    case works([Output])
    /// The error's reason.
    case refused(String)
    /// The operator has no call with this type.
    case noCall
  }

  package struct Cell: Sendable {
    package let column: OperatorColumn
    package let outcome: Outcome
    /// Whether ExecuTorch's runtime accepts the call.
    package let isAcceptedUpstream: Bool

    package var works: Bool {
      if case .works = outcome { true } else { false }
    }
  }

  package struct Row: Sendable {
    /// `namespace::name.overload`.
    package let op: String
    /// Whether the columns are kinds of numbers rather than element types.
    package let isScalar: Bool
    package let cells: [Cell]

    package var namespace: Substring { op.prefix { $0 != ":" } }
  }

  package let rows: [Row]

  /// Runs every sample whose operator's name contains `filter`.
  package init(filter: String = "") {
    let upstream = Self.upstream
    let probe = OperatorProbe()
    rows = OperatorSample.all.filter { filter.isEmpty || $0.op.contains(filter) }.map { sample in
      let accepted = upstream[sample.op] ?? []
      return Row(
        op: sample.op, isScalar: sample.isScalar,
        cells: sample.columns.map { column in
          Cell(
            column: column, outcome: probe.outcome(sample, column), isAcceptedUpstream: accepted.contains(column.name))
        })
    }
  }

  /// Names of element types or kinds of numbers, by operator.
  private static let upstream: [String: Set<String>] = Dictionary(
    uniqueKeysWithValues: upstreamOperators.split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      return (String(parts[0].dropLast()), Set(parts.dropFirst().map(String.init)))
    })

  /// The calls that ExecuTorch's runtime accepts and the engine does not, as `operator with type: reason`.
  package var missing: [String] {
    rows.flatMap { row in
      row.cells.compactMap { cell in
        guard cell.isAcceptedUpstream, !cell.works else { return nil }
        let reason = if case .refused(let reason) = cell.outcome { reason } else { "no call" }
        return "\(row.op) with \(cell.column.name): \(reason)"
      }
    }
  }
}

// MARK: Markdown and JSON

extension OperatorTable {
  private static let introduction = """
    # Operators

    What `.pte` files may call, and with which element types it runs. Written by `martlet operators --markdown`, which runs one small
    call of each operator in each type: imports it, plans it, and runs it twice, with all tensors as inputs and with all but the first as
    constants. Results are checked elsewhere, by the recorded cases (`Oracles/make_op_cases.py`).

    The type of a column is that of the operands, or of the quantised tensor; of the result for operators that make a tensor out of
    nothing. Results have the type that PyTorch gives them. Other combinations of types, such as mixed operands, are not listed.

    | | |
    |---|---|
    | ● | runs; ExecuTorch's own runtime runs it too |
    | ○ | runs; ExecuTorch's own runtime refuses it |
    | number | refused by both, for the reason below |
    | ✗ | refused, though ExecuTorch's own runtime runs it: there is none |
    | blank | there is no such call |

    What ExecuTorch's runtime accepts was found out by running the same calls with it (`Oracles/make_operator_dtypes.py`). Its `et_copy`
    operators need a device other than the processor.
    """

  /// The table as a page for people.
  package var markdown: String {
    var reasons: [String] = []
    var pages: [String] = [Self.introduction]
    var namespaces: [Substring] = []
    for row in rows where !namespaces.contains(row.namespace) { namespaces.append(row.namespace) }
    for namespace in namespaces {
      for isScalar in [false, true] {
        let group = rows.filter { $0.namespace == namespace && $0.isScalar == isScalar }.sorted { $0.op < $1.op }
        guard let first = group.first else { continue }
        var lines = ["## \(namespace)\(isScalar ? ", on numbers" : "")", ""]
        lines.append("| operator | " + first.cells.map { Self.heading($0.column) }.joined(separator: " | ") + " |")
        lines.append("|---|" + String(repeating: ":-:|", count: first.cells.count))
        for row in group {
          let name = row.op.dropFirst(namespace.count + 2)
          lines.append("| `\(name)` | " + row.cells.map { Self.text($0, &reasons) }.joined(separator: " | ") + " |")
        }
        pages.append(lines.joined(separator: "\n"))
      }
    }
    if !reasons.isEmpty {
      let list = reasons.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
      pages.append("## Reasons\n\n" + list)
    }
    return pages.joined(separator: "\n\n") + "\n"
  }

  private static func heading(_ column: OperatorColumn) -> String {
    guard case .dtype(let dtype) = column else { return column.name }
    return switch dtype {
    case .float32: "f32"
    case .float64: "f64"
    case .float16: "f16"
    case .bfloat16: "bf16"
    case .int8: "i8"
    case .int16: "i16"
    case .int32: "i32"
    case .int64: "i64"
    case .uint8: "u8"
    case .uint16: "u16"
    case .uint32: "u32"
    case .uint64: "u64"
    case .bool: "bool"
    case .complex64: "c64"
    case .complex128: "c128"
    }
  }

  private static func text(_ cell: Cell, _ reasons: inout [String]) -> String {
    switch cell.outcome {
    case .works: return cell.isAcceptedUpstream ? "●" : "○"
    case .noCall: return ""
    case .refused(let full):
      // One reason for all types where the text differs in nothing else.
      let reason = full.replacing(cell.column.name, with: "this type")
      if !reasons.contains(reason) { reasons.append(reason) }
      return "\(cell.isAcceptedUpstream ? "✗ " : "")\(reasons.firstIndex(of: reason)! + 1)"
    }
  }

  /// An array with an object for each operator: `operator`, and `types`, an object with the members `runs`, `upstream` and
  /// where it does not run `reason` for each type.
  package var json: JSONValue {
    .array(
      rows.map { row in
        let types = row.cells.compactMap { cell -> JSONValue.Member? in
          var members: [JSONValue.Member] = [.init("runs", .boolean(cell.works)), .init("upstream", .boolean(cell.isAcceptedUpstream))]
          switch cell.outcome {
          case .works: break
          case .refused(let reason): members.append(.init("reason", .string(reason)))
          case .noCall: return nil
          }
          return .init(cell.column.name, .object(members))
        }
        return .object([.init("operator", .string(row.op)), .init("types", .object(types))])
      })
  }

  /// As `json`, with the elements that each call gives, for comparing them with another runtime's.
  package var outputs: JSONValue {
    .array(
      rows.flatMap { row in
        row.cells.compactMap { cell -> JSONValue? in
          guard case .works(let outputs) = cell.outcome else { return nil }
          return .object([
            .init("operator", .string(row.op)), .init("column", .string(cell.column.name)),
            .init("outputs", .array(outputs.map(\.json))),
          ])
        }
      })
  }
}

extension OperatorTable.Output {
  /// The elements, complex ones as pairs.
  fileprivate var json: JSONValue {
    switch self {
    case .number(.int(let value)): .integer(Int(value))
    case .number(.double(let value)): .number(value)
    case .number(.bool(let value)): .boolean(value)
    case .tensor(let tensor):
      switch tensor.elements {
      case .floating(let values): .array(values.map { .number($0) })
      case .signed(let values): .array(values.map { .integer(Int($0)) })
      case .unsigned(let values): .array(values.map { .number(Double($0)) })
      case .complex(let values):
        .array(stride(from: 0, to: values.count, by: 2).map { .array([.number(values[$0]), .number(values[$0 + 1])]) })
      }
    }
  }
}
