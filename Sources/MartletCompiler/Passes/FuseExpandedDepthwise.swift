package import MartletGraph
import MartletOps
import MartletTensor

/// Joins a pointwise convolution with the depthwise convolution that is the only user of its result, if the intermediate image is too
/// large for the second-level cache.
package struct FuseExpandedDepthwise: GraphPass {
  package let name = "fuse-expanded-depthwise"
  package init() {}

  /// Minimum number of elements of the intermediate image for which the fusion pays off: it saves time for floating-point numbers and memory
  /// for 8-bit integers.
  private static let smallestCount = (float: 768 * 1024, integer: 1024 * 1024)

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Convolution.self) || graph.applies(QuantizedConvolution.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      if let (node, depthwise) = editor.node(at: position, applying: Convolution.self) {
        guard Self.isPlain(depthwise, node, editor), let producer = Self.expansion(of: node, groups: depthwise.groups, editor),
          let expansion = producer.node.op(as: Convolution.self), Self.isPlain(expansion, producer.node, editor), expansion.groups == 1,
          Self.isByPixel(expansion.stride, expansion.padding), producer.elementCount >= Extent(Self.smallestCount.float),
          expansion.dtype == depthwise.dtype, producer.node.inputs[0].flatMap({ editor.signature($0)?.dtype }) == depthwise.dtype
        else { continue }
        Self.join(
          node, producer, ExpandedDepthwise(expansion: expansion, depthwise: depthwise), operandCount: 2, position, &editor)
      } else if let (node, depthwise) = editor.node(at: position, applying: QuantizedConvolution.self) {
        guard !depthwise.isTransposed, depthwise.stride.count == 2,
          let producer = Self.expansion(of: node, groups: depthwise.groups, editor),
          let expansion = producer.node.op(as: QuantizedConvolution.self), !expansion.isTransposed, expansion.groups == 1,
          Self.isByPixel(expansion.stride, expansion.padding), producer.elementCount >= Extent(Self.smallestCount.integer)
        else { continue }
        Self.join(
          node, producer, QuantizedExpandedDepthwise(expansion: expansion, depthwise: depthwise), operandCount: 3, position, &editor)
      }
    }
    return editor.finish(into: &graph)
  }

  private typealias Producer = (node: Node, position: Int, elementCount: Extent)

  /// The only producer of the single image that a depthwise convolution reads, and the image's size. The producer must have a 1 × 1
  /// kernel and few input channels.
  private static func expansion(of node: Node, groups: Int, _ editor: GraphEditor) -> Producer? {
    guard groups > 1, let middle = node.inputs[0], let shape = editor.signature(middle)?.fixedShape, shape.count == 4, shape[0] == 1,
      groups == shape[1], let window = editor.constant(node.inputs[1])?.type.shape, window.count == 4, window[0] == shape[1],
      window[1] == 1, editor.useCount(middle) == 1, let producer = editor.producer(of: middle), producer.node.inputs.count > 1,
      let weight = editor.constant(producer.node.inputs[1])?.type.shape, weight.count == 4, weight[2...] == [1, 1], weight[1] <= 64
    else { return nil }
    return (producer.node, producer.position, Extent.product(shape))
  }

  private static func isByPixel(_ stride: [Int], _ padding: [(before: Int, after: Int)]) -> Bool {
    stride == [1, 1] && padding.allSatisfy { $0.before == 0 && $0.after == 0 }
  }

  /// - Parameter operandCount: number of operands of each convolution after its image.
  private static func join(
    _ node: Node, _ producer: Producer, _ op: some PlannedOperator, operandCount: Int, _ position: Int, _ editor: inout GraphEditor
  ) {
    func operands(_ node: Node) -> [ValueID?] {
      (1...operandCount).map { node.inputs.count > $0 ? node.inputs[$0] : nil }
    }
    var fused = node
    fused.op = op
    fused.source = "\(producer.node.source), \(node.source)"
    fused.origins = producer.node.origins.joined(with: node.origins)
    fused.inputs = [producer.node.inputs[0]] + operands(producer.node) + operands(node)
    editor.replace(position, with: fused)
    editor.remove(producer.position)
  }

  /// True if the weights have the convolution's type or float32, and there are neither residual nor factors.
  private static func isPlain(_ op: Convolution, _ node: Node, _ editor: GraphEditor) -> Bool {
    guard !op.isTransposed, [.float32, .float16].contains(op.dtype), op.stride.count == 2,
      let weight = editor.constant(node.inputs[1])?.type.dtype
    else { return false }
    return node.inputs.dropFirst(3).allSatisfy { $0 == nil } && (weight == op.dtype || weight == .float32)
  }
}
