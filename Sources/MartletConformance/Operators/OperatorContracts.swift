import MartletCompiler
import MartletExecuTorchFile
package import MartletGraph
import MartletImport
import MartletOps
import MartletTensor

/// Prints the operators' contracts as a page, and compares them with the operands of graphs.
package enum OperatorContracts {
  private static let introduction = """
    # Operators of the engine

    The nodes of a graph. This page is the output of `martlet operators --contracts`, made from the operators' contracts
    (`OperatorContract`). Formulas, shapes and sources are in each operator's documentation in `Sources/MartletOps`.

    Operands are listed in order, with their role and the accepted element types. *real* means all types except complex ones, *index* all
    integers except uint64. `?` marks an optional operand, `…` a repeated one. Scalars that attributes refer to follow the listed operands.

    | Accuracy | Largest deviation from exact arithmetic |
    |---|---|
    | exact | none |
    | ulp | a few units in the last place |
    | length-scaled | rounding errors of a sum, proportional to its length |
    | quantization-step | one step of the quantised type |
    | random | random numbers have no exact result |

    | Operator | Operands | Accuracy |
    |---|---|---|
    """

  /// The contracts of all operators as a page in Markdown.
  package static var markdown: String {
    let rows = OperatorRegistry.all.map { type in
      let operands = type.contract.operands.map { operand in
        "`\(operand.name)`\(operand.isOptional ? "?" : "")\(operand.repeats ? "…" : "") \(operand.role.rawValue) (\(operand.dtypes.rawValue))"
      }
      return "| \(type) | \(operands.joined(separator: "; ")) | \(type.contract.accuracy.rawValue) |"
    }
    return ([introduction] + rows).joined(separator: "\n") + "\n"
  }

  /// Describes the operands of a graph's nodes that violate the contracts of their operators.
  package static func contradictions(of graph: Graph) -> [String] {
    graph.nodes.flatMap { node in
      node.regions.flatMap { contradictions(of: $0) } + contradictions(of: node, graph)
    }
  }

  private static func contradictions(of node: Node, _ graph: Graph) -> [String] {
    guard let op = node.op.planned else { return [] }
    let contract = type(of: op).contract
    let count = max(node.inputs.count, contract.operands.count { !$0.repeats })
    return (0..<count).compactMap { position in
      func wrong(_ reason: String) -> String { "\(op.name), operand \(position): \(reason)" }
      let value = position < node.inputs.count ? node.inputs[position] : nil
      guard let operand = contract.operand(at: position) else {
        if let value, case .scalar = graph[value].type { return nil }
        return value == nil ? nil : wrong("the contract ends before it")
      }
      guard let value else { return operand.isOptional || operand.repeats ? nil : wrong("'\(operand.name)' is absent") }
      switch graph[value].type {
      case .tensor(let signature):
        if operand.role == .number { return wrong("'\(operand.name)' is a tensor") }
        return operand.dtypes.contains(signature.dtype) ? nil : wrong("'\(operand.name)' is of \(signature.dtype)")
      case .scalar:
        // Pointwise programs accept scalars instead of tensors; attributes may refer to a scalar in the place of an absent operand.
        return operand.role == .number || operand.isOptional || operand.repeats ? nil : wrong("'\(operand.name)' is a number")
      case .string, .none: return wrong("'\(operand.name)' is neither tensor nor number")
      }
    }
  }
}

extension OperatorTable {
  /// Violations of contracts by the nodes of sample calls that run.
  package var contractContradictions: [String] {
    let samples = Dictionary(OperatorSample.all.map { ($0.op, $0) }) { first, _ in first }
    return rows.flatMap { row in
      row.cells.filter(\.works).flatMap { cell -> [String] in
        guard let sample = samples[row.op],
          let program = try? OperatorProgram(sample, column: cell.column, placement: .inputs).program,
          let graph = try? ProgramImporter(program, external: try ExternalData(program: program)).graph(of: program.plans[0]),
          let optimized = try? PassPipeline.standard.run(on: graph)
        else { return [] }
        return (OperatorContracts.contradictions(of: graph) + OperatorContracts.contradictions(of: optimized))
          .map { "\(row.op) with \(cell.column.name): \($0)" }
      }
    }
  }
}
