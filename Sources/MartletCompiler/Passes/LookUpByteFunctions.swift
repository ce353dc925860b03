package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Replaces functions from int8 to int8 by lookup tables, such as an activation between two quantised tensors.
///
/// Runs after pointwise fusion, which joins the steps of a function.
package struct LookUpByteFunctions: GraphPass {
  package let name = "look-up-byte-functions"

  /// Minimum number of elements that pays for computing a table.
  private static let leastCount: Extent = 1024

  package init() {}

  package func rewrite(_ graph: Graph) throws -> Graph? {
    guard graph.applies(Pointwise.self), graph.hasTensors(of: [.int8]) else { return nil }
    var editor = GraphEditor(graph)
    for position in editor.positions {
      guard var (node, op) = editor.node(at: position, applying: Pointwise.self), op.dtype == .int8, node.inputs.count == 1,
        let x = node.inputs[0], let signature = editor.signature(x), signature.dtype == .int8,
        op.program.instructions.count > 1, !signature.isFixed || signature.declaredByteCount >= Self.leastCount,
        let table = ConstantEvaluator.table([op])
      else { continue }
      node.op = QuantizedMap(label: Self.label(op.label))
      node.inputs = [x, editor.add(table)]
      editor.replace(position, with: node)
    }
    return editor.finish()
  }

  /// The steps between dequantisation and quantisation.
  private static func label(_ label: String) -> String {
    var steps = label.split(separator: "+")
    if steps.count > 1, steps.first == "dequantize" { steps.removeFirst() }
    if steps.count > 1, steps.last == "quantize" { steps.removeLast() }
    return steps.joined(separator: "+")
  }
}
