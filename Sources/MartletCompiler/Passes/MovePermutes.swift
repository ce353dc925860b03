package import MartletGraph
import MartletOps
import MartletTensor

/// Moves a permutation of an image operator's result from channels-first to channels-last behind the pointwise node or concatenation that
/// uses it, and merges consecutive permutations. XNNPACK payloads store images channels-last, so that each image operator of the graph
/// stands between two such permutations. Without them, operators can be fused with the preceding convolution, and images can be computed
/// in place in their concatenation.
package struct MovePermutes: GraphPass {
  package let name = "move-permutes"
  package init() {}

  private static let toChannelsLast = [0, 2, 3, 1]
  private static let toChannelsFirst = [0, 3, 1, 2]

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Permute.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    /// Results of nodes that were swapped with a permutation.
    var moved: Set<ValueID> = []
    for position in editor.positions {
      guard let node = editor.node(at: position) else { continue }
      if node.applies(Permute.self) {
        join(position, node, &editor)
      } else if let op = node.op(as: Pointwise.self) {
        sink(position, node, op, &moved, &editor)
      } else if let op = node.op(as: Concat.self) {
        sink(position, node, op, &moved, &editor)
      }
    }
    return editor.finish(into: &graph)
  }

  /// The axes of a permutation, counted from the front, and its operand.
  private func permutation(_ node: Node?, _ editor: GraphEditor) -> (axes: [Int], source: ValueID)? {
    guard let node, let permute = node.op(as: Permute.self), let x = node.inputs[0] else { return nil }
    let rank = permute.axes.count
    let axes = permute.axes.map { $0 < 0 ? $0 + rank : $0 }
    guard axes.sorted() == Array(0..<rank), editor.signature(x)?.rank == rank else { return nil }
    return (axes, x)
  }

  private func join(_ position: Int, _ node: Node, _ editor: inout GraphEditor) {
    guard let (axes, x) = permutation(node, editor) else { return }
    if axes == Array(axes.indices) {
      editor.replaceUses(of: node.outputs[0], by: x)
      return editor.remove(position)
    }
    guard let (inner, source) = permutation(editor.producer(of: x)?.node, editor) else { return }
    let joined = axes.map { inner[$0] }
    if joined == Array(joined.indices) {
      editor.replaceUses(of: node.outputs[0], by: source)
      return editor.remove(position)
    }
    var short = node
    short.op = Permute(axes: joined)
    short.inputs = [source]
    editor.replace(position, with: short)
  }

  /// The channels-first image of which `value` is a permutation.
  private func image(_ value: ValueID, _ moved: Set<ValueID>, _ editor: GraphEditor) -> ValueID? {
    guard let (axes, x) = permutation(editor.producer(of: value)?.node, editor), axes == Self.toChannelsLast else { return nil }
    if moved.contains(x) { return x }
    return editor.producer(of: x)?.node.traits.contains(.givesImages) == true ? x : nil
  }

  private func sink(_ position: Int, _ node: Node, _ op: Concat, _ moved: inout Set<ValueID>, _ editor: inout GraphEditor) {
    guard let type = editor.signature(node.outputs[0]), type.rank == 4, (-4..<4).contains(op.axis) else { return }
    let images = node.inputs.compactMap { $0.flatMap { image($0, moved, editor) } }
    guard images.count == node.inputs.count else { return }
    var joined = op
    joined.axis = Self.toChannelsLast[op.axis < 0 ? op.axis + 4 : op.axis]
    move(joined, images, type, position, node, &moved, &editor)
  }

  /// Replaces `node` by `op` on channels-first images, followed by the permutation of its result.
  private func move(
    _ op: any Operator, _ images: [ValueID?], _ type: TensorSignature, _ position: Int, _ node: Node, _ moved: inout Set<ValueID>,
    _ editor: inout GraphEditor
  ) {
    let result = editor.insert(op, images, type: .tensor(permuted(type, Self.toChannelsFirst)), before: position, source: node.source)
    moved.insert(result)
    var permute = node
    permute.op = Permute(axes: Self.toChannelsLast)
    permute.inputs = [result]
    editor.replace(position, with: permute)
  }

  private func sink(_ position: Int, _ node: Node, _ op: Pointwise, _ moved: inout Set<ValueID>, _ editor: inout GraphEditor) {
    guard let type = editor.signature(node.outputs[0]), type.rank == 4 else { return }
    func source(_ value: ValueID) -> ValueID? { image(value, moved, editor) }
    let moves = node.inputs.contains { input in
      guard let input, source(input) != nil else { return false }
      return editor.signature(input)?.dimensions == type.dimensions
    }
    let ranks = node.inputs.map { $0.flatMap { editor.signature($0) }?.rank ?? 0 }
    guard moves, ranks.allSatisfy({ $0 <= 4 }) else { return }
    var operands: [ValueID?] = []
    for input in node.inputs {
      guard let input, var signature = editor.signature(input), signature.rank > 0 else {
        operands.append(input)
        continue
      }
      if let x = source(input) {
        operands.append(x)
        continue
      }
      var value = input
      if signature.rank < 4 {
        let missing = 4 - signature.rank
        signature = TensorSignature(
          dtype: signature.dtype, dimensions: Array(repeating: .fixed(1), count: missing) + signature.dimensions)
        value = editor.insert(
          Unsqueeze(axes: Array(0..<missing)), [value], type: .tensor(signature), before: position, source: node.source)
      }
      operands.append(
        editor.insert(
          Permute(axes: Self.toChannelsFirst), [value], type: .tensor(permuted(signature, Self.toChannelsFirst)), before: position,
          source: node.source))
    }
    move(op, operands, type, position, node, &moved, &editor)
  }

  private func permuted(_ type: TensorSignature, _ axes: [Int]) -> TensorSignature {
    TensorSignature(dtype: type.dtype, dimensions: axes.map { type.dimensions[$0] })
  }
}
