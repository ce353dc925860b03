package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Computes products from their real rows where the program leaves it to the runtime how rows are quantised at run time: Core ML's
/// `int8DynamicQuantize`. For the precision `exact`, since quantised rows have errors of up to 1/254 of the largest number.
package struct KeepRealRows: GraphPass {
  package let name = "keep-real-rows"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(DynamicLinear.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, op) = editor.node(at: position, applying: DynamicLinear.self), op.quantization == .symmetricTensor,
        !op.isNibbles, let weight = node.inputs[1],
        let shape = editor.signature(weight)?.fixedShape, shape.count == 2
      else { continue }
      func insert(_ op: any Operator, _ inputs: [ValueID?], _ shape: [Int]) -> ValueID {
        editor.insert(
          op, inputs, type: .tensor(TensorSignature(TensorType(.float32, shape))), before: position, source: node.source)
      }
      let rows = insert(Dequantize(), [weight, node.inputs[3]], shape)
      let columns = insert(Permute(axes: [1, 0]), [rows], [shape[1], shape[0]])
      var product = node
      product.op = MatMul(dtype: .float32, activation: op.activation)
      product.inputs = [node.inputs[0], columns, node.inputs[2]]
      editor.replace(position, with: product)
    }
    return editor.finish(into: &graph)
  }
}
