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

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Pointwise.self), graph.hasTensors(of: [.int8]) else { return false }
    var editor = GraphEditor(taking: &graph)
    var workspace: TensorStorage?
    for position in editor.positions {
      guard let (found, op) = editor.node(at: position, applying: Pointwise.self), op.dtype == .int8, found.inputs.count == 1,
        let x = found.inputs[0], let signature = editor.signature(x), signature.dtype == .int8,
        op.program.instructions.count > 1, !signature.isFixed || signature.declaredByteCount >= Self.leastCount,
        let table = ConstantEvaluator.table([op], workspace: &workspace)
      else { continue }
      var node = found
      node.op = QuantizedMap(label: Self.label(op.label))
      node.inputs = [x, editor.add(table)]
      editor.replace(position, with: node)
    }
    return editor.finish(into: &graph)
  }

  /// The steps between dequantisation and quantisation.
  private static func label(_ label: String) -> String {
    let (first, last) = ("dequantize+".utf8, "+quantize".utf8)
    // Bytes, because comparing characters is slow.
    var steps = label.utf8[...]
    if steps.starts(with: first) { steps = steps.dropFirst(first.count) }
    if steps.suffix(last.count).elementsEqual(last) { steps = steps.dropLast(last.count) }
    return String(Substring(steps))
  }
}
