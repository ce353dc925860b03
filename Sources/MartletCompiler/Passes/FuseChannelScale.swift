package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Moves the per-channel multiplication of an image, as at the end of squeeze-and-excitation, into the pointwise convolution that
/// follows. The convolution multiplies while reading, and the product is never stored.
package struct FuseChannelScale: GraphPass {
  package let name = "fuse-channel-scale"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Convolution.self), graph.applies(Pointwise.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, op) = editor.node(at: position, applying: Convolution.self), Self.takesFactors(op, node, editor),
        let value = node.inputs[0], editor.useCount(value) == 1, let producer = editor.producer(of: value),
        producer.node.outputs == [value], let (image, factors) = Self.scaled(producer.node, op.dtype, editor)
      else { continue }
      var fused = node
      fused.source = "\(producer.node.source), \(node.source)"
      fused.origins = node.origins.absorbing(producer.node.origins)
      fused.inputs[0] = image
      while fused.inputs.count < 4 { fused.inputs.append(nil) }
      fused.inputs.append(factors)
      editor.replace(position, with: fused)
      editor.remove(producer.position)
    }
    return editor.finish(into: &graph)
  }

  /// Possible types of image, factors and weights, which must be equal. The product is then rounded to a half-precision type no more
  /// often than if it were stored.
  private static let types: [DType] = [.float32, .float16, .bfloat16]

  /// Whether the convolution is a product of all pixels with one matrix.
  private static func takesFactors(_ op: Convolution, _ node: Node, _ editor: GraphEditor) -> Bool {
    guard !op.isTransposed, op.groups == 1, types.contains(op.dtype), node.inputs.count <= 4, op.stride.allSatisfy({ $0 == 1 }),
      op.padding.allSatisfy({ $0.before == 0 && $0.after == 0 }), let weight = node.inputs[1], let window = editor.signature(weight)
    else { return false }
    return window.rank == 4 && window.dtype == op.dtype && window.dimensions.dropFirst(2).allSatisfy { $0 == .fixed(1) }
  }

  /// The operands of `image * factors`, if the node computes that with one factor for each channel and a batch of one.
  private static func scaled(_ node: Node, _ dtype: DType, _ editor: GraphEditor) -> (image: ValueID, factors: ValueID)? {
    guard let op = node.op(as: Pointwise.self), op.dtype == dtype, op.program.types.allSatisfy({ $0 == .float32 }),
      op.program.instructions.count == 3, case .binary(.mul, let first, let second) = op.program.instructions[2], first != second,
      case .load(let a, _) = op.program.instructions[first], case .load(let b, _) = op.program.instructions[second],
      let left = node.inputs[a], let right = node.inputs[b], let result = editor.signature(node.outputs[0]), result.rank == 4,
      result.dimensions[0] == .fixed(1)
    else { return nil }
    for (image, factors) in [(left, right), (right, left)] {
      guard let whole = editor.signature(image), let each = editor.signature(factors) else { continue }
      if whole.dtype == dtype, each.dtype == dtype, whole.dimensions == result.dimensions,
        each.dimensions == [.fixed(1), result.dimensions[1], .fixed(1), .fixed(1)]
      {
        return (image, factors)
      }
    }
    return nil
  }
}
