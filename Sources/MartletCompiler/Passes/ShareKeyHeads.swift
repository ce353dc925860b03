package import MartletGraph
import MartletOps
import MartletTensor

/// Lets attention read keys and values whose heads are repeated, so that each query head has its own, as they are without the repetition. A
/// cache is then read where it lies, and each of its heads once for all query heads that share it.
///
/// The repetition is `[B, G, T, D]` with a new axis of one, expanded to `[B, G, R, T, D]` and reshaped to `[B, G × R, T, D]`.
package struct ShareKeyHeads: GraphPass {
  package let name = "share-key-heads"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Attention.self), graph.applies(Expand.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard var node = editor.node(at: position), node.applies(Attention.self), let k = node.inputs[1], let v = node.inputs[2],
        let keys = Repetition(k, editor), let values = Repetition(v, editor), keys.heads == values.heads, keys.count == values.count
      else { continue }
      for (operand, repetition) in [(1, keys), (2, values)] {
        node.inputs[operand] = editor.insert(
          Squeeze(axes: [2]), [repetition.source], type: .tensor(repetition.type), before: position, source: node.source)
      }
      editor.replace(position, with: node)
    }
    return editor.finish(into: &graph)
  }

  /// Heads that are repeated one by one.
  private struct Repetition {
    /// `[B, G, 1, T, D]`.
    let source: ValueID
    /// Of the heads without repetition, `[B, G, T, D]`.
    let type: TensorSignature
    let heads: Int
    let count: Int

    init?(_ value: ValueID, _ editor: GraphEditor) {
      // Transpositions that cancel one another.
      var value = editor.resolve(value)
      var order = [0, 1, 2, 3]
      while let node = editor.producer(of: value)?.node, let permute = node.op(as: Permute.self), let x = node.inputs[0],
        permute.axes.count == 4
      {
        let axes = permute.axes.map { $0 < 0 ? $0 + 4 : $0 }
        order = order.map { axes[$0] }
        value = editor.resolve(x)
      }
      guard order == [0, 1, 2, 3], let merged = editor.signature(value)?.dimensions, merged.count == 4,
        let reshape = editor.producer(of: value)?.node, reshape.traits.contains(.keepsElementOrder), let expanded = reshape.inputs[0],
        let split = editor.signature(expanded)?.dimensions, split.count == 5,
        let expand = editor.producer(of: expanded)?.node, expand.applies(Expand.self), let single = expand.inputs[0],
        let before = editor.signature(single), before.rank == 5,
        case (.fixed(let batch), .fixed(let heads), .fixed(let count), .fixed(let depth)) = (split[0], split[1], split[2], split[4]),
        let product = Extent.product([heads, count]).value, count > 1, depth > 0,
        merged[0] == .fixed(batch), merged[1] == .fixed(product), merged[3] == .fixed(depth), batch > 0, heads > 0,
        before.dimensions == [split[0], split[1], .fixed(1), split[3], split[4]]
      else { return nil }
      var type = before
      type.dimensions.remove(at: 2)
      type.dimOrder = nil
      (source, self.type, self.heads, self.count) = (editor.resolve(single), type, heads, count)
    }
  }
}
