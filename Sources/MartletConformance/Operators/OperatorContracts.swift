import MartletCompiler
import MartletExecuTorchFile
package import MartletGraph
import MartletImport
import MartletOps
import MartletTensor

/// What operators say of their operands, as a page, and compared with graphs that run.
package enum OperatorContracts {
  private static let introduction = """
    # Operators of the engine

    What importers and passes make graphs of. Written by `martlet operators --contracts` from the operators' contracts
    (`OperatorContract`); formulas, shapes and sources are in each operator's documentation in `Sources/MartletOps`.

    Operands are listed by position, with their role and the element types that are accepted: *real* is all but the complex ones,
    *index* the integers but uint64. `?` marks one that may be absent, `…` one that stands for any number. Numbers that attributes
    refer to stand behind the listed operands.

    | Accuracy | Results differ from those of exact arithmetic |
    |---|---|
    | exact | not at all |
    | ulp | by some units in the last place |
    | length-scaled | as the rounding of a sum, in proportion to its length |
    | quantization-step | by one step of a quantised number |
    | random | there is no exact result |

    | Operator | Operands | Accuracy |
    |---|---|---|
    """

  /// The contracts of all operators as a page for people.
  package static var markdown: String {
    let rows = OperatorRegistry.all.map { type in
      let operands = type.contract.operands.map { operand in
        "`\(operand.name)`\(operand.isOptional ? "?" : "")\(operand.repeats ? "…" : "") \(operand.role.rawValue) (\(operand.dtypes.rawValue))"
      }
      return "| \(type) | \(operands.joined(separator: "; ")) | \(type.contract.accuracy.rawValue) |"
    }
    return ([introduction] + rows).joined(separator: "\n") + "\n"
  }

  /// Where nodes of a graph have operands that their operators' contracts do not allow.
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
        // Programs of elements take numbers beside tensors; attributes refer to numbers in the places of absent operands.
        return operand.role == .number || operand.isOptional || operand.repeats ? nil : wrong("'\(operand.name)' is a number")
      case .string, .none: return wrong("'\(operand.name)' is neither tensor nor number")
      }
    }
  }
}

extension OperatorTable {
  /// Nodes of calls that run although the operators' contracts do not allow their operands.
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
