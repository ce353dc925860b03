package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Turns one-element constants that pointwise programs load, and scalars known when the graph is built, into literals of the programs.
package struct InlineScalarConstants: GraphPass {
  package let name = "inline-scalar-constants"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Pointwise.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, op) = editor.node(at: position, applying: Pointwise.self), Self.mayRewrite(node, editor) else { continue }
      var operands: [ValueID?] = []
      var edited = false
      var program = PointwiseProgram()
      _ = program.inline(op.program) { instruction, program in
        func keep(_ index: Int) -> Int {
          if let known = operands.firstIndex(of: node.inputs[index]) { return known }
          operands.append(node.inputs[index])
          return operands.count - 1
        }
        switch instruction {
        case .load(let index, let type):
          // A constant of higher rank may determine the rank of the result; a rank-0 constant cannot.
          if let constant = editor.constant(node.inputs[index]), constant.type.shape.isEmpty, let scalar = constant.scalarValue {
            edited = true
            return program.append(.literal(scalar, as: type))
          }
          return program.append(.load(operand: keep(index), as: type))
        case .scalar(let index, let type):
          if let scalar = editor.scalar(node.inputs[index]) {
            edited = true
            return program.append(.literal(scalar, as: type))
          }
          return program.append(.scalar(operand: keep(index), as: type))
        default: preconditionFailure("only loads are replaced")
        }
      }
      let keepsTensor = program.instructions.contains { if case .load = $0 { true } else { false } }
      guard edited, keepsTensor else { continue }
      var rewritten = node
      rewritten.op = Pointwise(program, dtype: op.dtype, label: op.label)
      rewritten.inputs = operands
      editor.replace(position, with: rewritten)
    }
    return editor.finish(into: &graph)
  }

  private static func mayRewrite(_ node: Node, _ editor: GraphEditor) -> Bool {
    node.inputs.contains { editor.constant($0)?.type.shape.isEmpty == true || editor.scalar($0) != nil }
  }
}
