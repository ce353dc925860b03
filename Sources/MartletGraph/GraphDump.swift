import MartletTensor

extension Graph {
  /// The graph as text, one line per node, e.g. `%7: float32[1, 8] = softmax(%6) {axis: 1}  // aten::_softmax.out #3`.
  package func dump(indentation: String = "") -> String {
    var lines: [String] = []
    let head = inputs.map { "\(label($0)): \(self[$0].type)" }.joined(separator: ", ")
    lines.append("\(indentation)graph \(name)(\(head)) {")
    for (index, state) in states.enumerated() {
      lines.append("\(indentation)  state \(index) \"\(state.name)\": \(state.type)")
    }
    for node in nodes {
      let results = node.outputs.map { "\(label($0)): \(self[$0].type)" }.joined(separator: ", ")
      let operands = node.inputs.map { $0.map(operandLabel) ?? "none" }.joined(separator: ", ")
      let attributes = node.op.attributes.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
      let braces = attributes.isEmpty ? "" : " {\(attributes)}"
      let equals = results.isEmpty ? "" : "\(results) = "
      lines.append("\(indentation)  \(equals)\(node.op.name)(\(operands))\(braces)  // \(node.source)")
      for region in node.regions { lines.append(region.dump(indentation: indentation + "    ")) }
    }
    lines.append("\(indentation)  return \(outputs.map(operandLabel).joined(separator: ", "))")
    lines.append("\(indentation)}")
    return lines.joined(separator: "\n")
  }

  package func label(_ id: ValueID) -> String { "%\(id.index)" }

  private func operandLabel(_ id: ValueID) -> String {
    switch self[id].origin {
    case .scalar(let scalar): "\(scalar)"
    case .string(let string): "\"\(string)\""
    case .none: "none"
    case .constant(let constant): "\(label(id))=const \(constant.type)"
    case .input, .node: label(id)
    }
  }
}
