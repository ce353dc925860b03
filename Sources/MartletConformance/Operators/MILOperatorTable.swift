package import MartletBytes
import Martlet
import MartletCoreMLFile
import MartletImport

/// Tells which operators of ML Programs run in which operator sets, according to recorded cases.
///
/// Counts the programs that return their recorded results. A program proves the definitions that are valid in its operator set; operator
/// sets of other releases may share them.
package struct MILOperatorTable: Sendable {
  package enum Cell: Sendable, Hashable {
    /// The operator set does not contain the operator.
    case absent
    /// Number of programs that prove the definition; `isNew` if it differs from that of the previous operator set.
    case works(programCount: Int, isNew: Bool)
    /// The operator can be imported, but no program proves it.
    case unproven
    /// The operator cannot be imported.
    case unsupported
  }

  package struct Row: Sendable {
    package let op: String
    /// One for each of `releases`.
    package let cells: [Cell]
  }

  /// The releases of iOS whose operator sets are the columns.
  package static let releases = Array(13...18)

  package let rows: [Row]
  /// Number of programs that returned their recorded results.
  package let programCount: Int
  /// Cases that did not return their recorded results.
  package let failures: [CaseResult]

  /// Runs the recorded cases under `paths`.
  /// - Throws: `CaseError` if there are none.
  package init(cases paths: [String], concurrency: Int) async throws {
    var folders: Set<String> = []
    for path in paths { folders.formUnion(try RecordedCase.folders(under: path)) }
    let programs = Dictionary(
      uniqueKeysWithValues: folders.compactMap { folder -> (String, [Use])? in
        guard let recorded = try? RecordedCase(folder: folder), let model = try? CoreMLModel(contentsOfPath: recorded.modelPath),
          let program = model.program
        else { return nil }
        return (folder, program.functions.map { Use($0) })
      })
    var options = ModelOptions()
    options.threads = 1
    let runner = CaseRunner(concurrency: concurrency) { [options] recorded in try ModelCase(recorded, options: options) }
    let report = await runner.run(folders: programs.keys.sorted())
    failures = report.results.filter { !$0.passed }
    programCount = report.passedCount
    let uses = report.results.filter(\.passed).flatMap { programs[$0.path] ?? [] }
    rows = Self.catalogue.map { op, definitions in Row(op: op, cells: Self.cells(op, definitions, uses)) }
  }

  /// The operators of a function.
  private struct Use: Sendable {
    let operators: Set<String>
    let release: Int

    init(_ function: MILFunction) {
      var operators: Set<String> = []
      Self.collect(function.block, &operators)
      self.operators = operators
      // Later operator sets include the definitions of the last one here.
      release = min(function.opsetVersion ?? 15, MILOperatorTable.releases.last!)
    }

    private static func collect(_ block: MILBlock, _ operators: inout Set<String>) {
      for operation in block.operations {
        operators.insert(operation.type)
        for nested in operation.blocks { collect(nested, &operators) }
      }
    }
  }

  /// Operators and, for each of `releases`, the release whose definition is valid; nil if there is no such operator.
  private static let catalogue: [(op: String, definitions: [Int?])] = milCatalogue.split(separator: "\n").map { line in
    let words = line.split(separator: " ")
    return (String(words[0]), words.dropFirst().map { Int($0) })
  }

  private static func cells(_ op: String, _ definitions: [Int?], _ uses: [Use]) -> [Cell] {
    let isImportable = MILRegistry.operators.contains(op)
    return definitions.enumerated().map { column, definition in
      guard let definition else { return .absent }
      guard isImportable else { return .unsupported }
      let count = uses.count { use in use.operators.contains(op) && definitions[use.release - releases[0]] == definition }
      return count == 0 ? .unproven : .works(programCount: count, isNew: column == 0 || definitions[column - 1] != definition)
    }
  }

  /// Entries that are not proved, as `operator in iOS 17: reason`.
  package var missing: [String] {
    rows.flatMap { row in
      zip(Self.releases, row.cells).compactMap { release, cell in
        switch cell {
        case .absent, .works: nil
        case .unproven: "\(row.op) in iOS \(release): no recorded program uses it"
        case .unsupported: "\(row.op) in iOS \(release): cannot be imported"
        }
      }
    }
  }
}

// MARK: Markdown and JSON

extension MILOperatorTable {
  /// The table as a Markdown page.
  package var markdown: String {
    let operatorCount = rows.count
    let works = rows.reduce(0) { sum, row in sum + row.cells.count { if case .works = $0 { true } else { false } } }
    let all = rows.reduce(0) { sum, row in sum + row.cells.count { $0 != .absent } }
    let head = """
      # Operators of ML Programs

      The \(operatorCount) operators of the public operator sets of iOS 13 to 18, and the operator sets in which they run. Generated by
      `martlet operators --mil Tests/Fixtures/mil --mil Tests/Fixtures/mil-opsets --markdown`, which runs recorded programs
      (`Oracles/make_mil_cases.py`, `Oracles/make_mil_opset_cases.py`) and counts those that return their recorded results: \(programCount).

      | | |
      |---|---|
      | number | supported: number of programs that prove the operator's definition in this operator set |
      | **bold** | the definition is new or differs from that of the previous operator set |
      | ? | can be imported, but no program proves that it works |
      | ✗ | unsupported |
      | blank | no such operator |

      \(works) of \(all) are supported. Operator sets may share a definition; a program of any of them counts for all.
      Files of the operator sets of iOS 13 and 14 do not exist: ML Programs came with iOS 15. Models saved for iOS 26 run with the
      definitions of iOS 18. The quantisation `lut` of `conv_quantized` is rejected: the operator has no parameter for its table.

      """
    var lines = ["| operator | " + Self.releases.map { "iOS \($0)" }.joined(separator: " | ") + " |"]
    lines.append("|---|" + String(repeating: ":-:|", count: Self.releases.count))
    for row in rows { lines.append("| `\(row.op)` | " + row.cells.map(\.text).joined(separator: " | ") + " |") }
    return head + "\n" + lines.joined(separator: "\n") + "\n"
  }

  /// An array with an object for each operator: `operator`, and `programs`, the number of programs for each operator set that contains
  /// it.
  package var json: JSONValue {
    .array(
      rows.map { row in
        let programs = zip(Self.releases, row.cells).compactMap { release, cell -> JSONValue.Member? in
          switch cell {
          case .absent: nil
          case .works(let count, _): .init("iOS\(release)", .integer(count))
          case .unproven: .init("iOS\(release)", .integer(0))
          case .unsupported: .init("iOS\(release)", .null)
          }
        }
        return .object([.init("operator", .string(row.op)), .init("programs", .object(programs))])
      })
  }
}

extension MILOperatorTable.Cell {
  package var text: String {
    switch self {
    case .absent: ""
    case .works(let count, let isNew): isNew ? "**\(count)**" : "\(count)"
    case .unproven: "?"
    case .unsupported: "✗"
    }
  }
}
