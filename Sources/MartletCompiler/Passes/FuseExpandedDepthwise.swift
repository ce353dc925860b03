package import MartletGraph
import MartletOps
import MartletTensor

/// Joins a convolution by one pixel with the depthwise convolution that alone uses its result, where the image between them is too
/// large for the second-level cache.
package struct FuseExpandedDepthwise: GraphPass {
  package let name = "fuse-expanded-depthwise"
  package init() {}

  /// Bytes of the image in between from which on the fusion gains.
  private static let smallestByteCount = 3072 * 1024

  package func rewrite(_ graph: Graph) throws -> Graph? {
    guard graph.applies(Convolution.self) else { return nil }
    var editor = GraphEditor(graph)
    for position in editor.positions {
      guard let (node, depthwise) = editor.node(at: position, applying: Convolution.self), depthwise.groups > 1,
        Self.isPlain(depthwise, node, editor), let middle = node.inputs[0], let shape = editor.signature(middle)?.fixedShape,
        shape.count == 4,
        shape[0] == 1, depthwise.groups == shape[1], let window = editor.constant(node.inputs[1])?.type.shape,
        window.count == 4, window[0] == shape[1], window[1] == 1, shape.reduce(4, *) >= Self.smallestByteCount,
        editor.useCount(middle) == 1, let producer = editor.producer(of: middle), let expansion = producer.node.op(as: Convolution.self),
        Self.isPlain(expansion, producer.node, editor), expansion.groups == 1, expansion.stride == [1, 1],
        expansion.padding.allSatisfy({ $0.before == 0 && $0.after == 0 }), let weight = editor.constant(producer.node.inputs[1]),
        weight.type.shape.count == 4, weight.type.shape[2...] == [1, 1], weight.type.shape[1] <= 64,
        let image = producer.node.inputs[0], editor.signature(image)?.dtype == .float32
      else { continue }
      func operands(_ node: Node) -> [ValueID?] { [node.inputs[1], node.inputs.count > 2 ? node.inputs[2] : nil] }
      var fused = node
      fused.op = ExpandedDepthwise(expansion: expansion, depthwise: depthwise)
      fused.source = "\(producer.node.source), \(node.source)"
      fused.origins = producer.node.origins.joined(with: node.origins)
      fused.inputs = [image] + operands(producer.node) + operands(node)
      editor.replace(position, with: fused, label: "\(name): \(node.source)")
      editor.remove(producer.position, label: "\(name): \(producer.node.source)")
    }
    return editor.finish()
  }

  /// Whether the convolution has float32 weights and neither residual nor factors.
  private static func isPlain(_ op: Convolution, _ node: Node, _ editor: GraphEditor) -> Bool {
    !op.isTransposed && op.dtype == .float32 && op.stride.count == 2 && node.inputs.dropFirst(3).allSatisfy { $0 == nil }
      && editor.constant(node.inputs[1])?.type.dtype == .float32
  }
}
