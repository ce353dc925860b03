package import MartletGraph
import MartletOps
import MartletTensor

/// Removes views without effect, merges reshapes, and moves a reshape of a product's result before the product, so that the operators
/// after the product can be fused with it.
package struct SimplifyViews: GraphPass {
  package let name = "simplify-views"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    let shapes = graph.hasOpenExtents ? SymbolicShapes(graph) : nil
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), node.traits.contains(.isIdentityForEqualShapes), let x = node.inputs.first ?? nil,
        node.outputs.count == 1
      else { continue }
      if editor.signature(node.outputs[0])?.fixedShape == nil {
        if let shapes { simplifySymbolic(position, node, x, shapes, &editor) }
        continue
      }
      guard let to = editor.signature(node.outputs[0])?.fixedShape, let from = editor.signature(x)?.fixedShape
      else { continue }
      if from == to {
        bypass(position, node, x, &editor)
        continue
      }
      guard node.applies(Reshape.self), let producer = editor.producer(of: x) else { continue }
      if producer.node.applies(Reshape.self), let source = producer.node.inputs[0] {
        // The inner reshape is removed once it has no other users.
        var joined = node
        joined.inputs = [source]
        if editor.signature(source)?.fixedShape == to {
          bypass(position, node, source, &editor)
        } else {
          editor.replace(position, with: joined)
        }
      } else if let product = producer.node.op(as: MatMul.self), editor.useCount(x) == 1, to.last == from.last, to.count >= 2,
        [.float32, .float16, .bfloat16].contains(product.dtype), let a = producer.node.inputs[0],
        let element = editor.dtype(a), let rows = editor.signature(a)?.fixedShape,
        rows.count == 2, let b = producer.node.inputs[1], editor.isWeight(b), editor.signature(b)?.rank == 2,
        producer.node.inputs.count < 4 || producer.node.inputs[3] == nil
      {
        let shape = to.dropLast() + [rows[1]]
        let reshaped = editor.insert(
          Reshape(shape: shape.map { .constant($0) }), [a], type: .tensor(TensorSignature(TensorType(element, Array(shape)))),
          before: position, source: node.source)
        var moved = producer.node
        moved.inputs[0] = reshaped
        moved.outputs = node.outputs
        editor.replace(position, with: moved)
        editor.remove(producer.position)
      }
    }
    return editor.finish(into: &graph)
  }

  /// A view whose extents are known only at run time.
  private func simplifySymbolic(
    _ position: Int, _ node: Node, _ x: ValueID, _ shapes: SymbolicShapes, _ editor: inout GraphEditor
  ) {
    guard let to = shapes[node.outputs[0]],
      editor.dtype(x) == editor.dtype(node.outputs[0])
    else { return }
    if shapes[x] == to { return bypass(position, node, x, &editor) }
    guard node.applies(Reshape.self), let producer = editor.producer(of: x)?.node, producer.applies(Reshape.self),
      let source = producer.inputs[0]
    else {
      return
    }
    if shapes[source] == to { return bypass(position, node, source, &editor) }
    var joined = node
    joined.inputs[0] = source
    editor.replace(position, with: joined)
  }

  private func bypass(_ position: Int, _ node: Node, _ x: ValueID, _ editor: inout GraphEditor) {
    editor.replaceUses(of: node.outputs[0], by: x)
    editor.remove(position)
  }
}
