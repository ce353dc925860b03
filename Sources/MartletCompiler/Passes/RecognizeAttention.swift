package import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// Replaces `softmax(scale * Q Kᵀ + mask) V`, written as two products, a pointwise node and a softmax with views in
/// between, by one attention node. Shapes must be fixed.
package struct RecognizeAttention: GraphPass {
  package let name = "recognize-attention"
  package init() {}

  package func rewrite(_ graph: Graph) throws -> Graph? {
    var editor = GraphEditor(graph)
    var softmaxOf: [ValueID: Int] = [:]
    for position in editor.positions {
      guard let node = editor.node(at: position) else { continue }
      if node.op is Softmax { softmaxOf[node.outputs[0]] = position }
      guard let product = node.op as? MatMul, isPlain(product, node), product.alpha == 1, let weights = node.inputs[0],
        let values = node.inputs[1], let probabilities = source(of: weights, editor, where: { softmaxOf[$0] != nil }),
        let softmaxPosition = softmaxOf[probabilities], let softmaxNode = editor.node(at: softmaxPosition),
        let softmax = softmaxNode.op as? Softmax, let fused = attention(node, values, softmaxNode, softmax, &editor)
      else { continue }
      let result = editor.insert(
        fused.op, fused.inputs, type: .tensor(TensorSignature(TensorType(.float32, fused.shape))), before: position,
        source: "\(softmaxNode.source), \(node.source)")
      guard let shape = editor.signature(node.outputs[0])?.fixedShape else { continue }
      var view = node
      view.op = Reshape(shape: shape.map { .constant($0) })
      view.inputs = [result]
      editor.replace(position, with: view, label: "\(name): \(node.source)")
    }
    return editor.finish()
  }

  private func isPlain(_ product: MatMul, _ node: Node) -> Bool {
    product.dtype == .float32 && product.activation == .none && node.inputs.dropFirst(2).allSatisfy { $0 == nil }
  }

  /// The value that `value` is only a view of, by reshapes and expansions that repeat nothing, for which `condition` holds.
  private func source(of value: ValueID, _ editor: GraphEditor, where condition: (ValueID) -> Bool) -> ValueID? {
    var value = editor.resolve(value)
    while true {
      if condition(value) { return value }
      guard let (_, node) = editor.producer(of: value), node.op is Reshape || node.op is Identity || node.op is Expand,
        let x = node.inputs[0], let from = editor.signature(x)?.fixedShape, let to = editor.signature(value)?.fixedShape,
        from.reduce(1, *) == to.reduce(1, *)
      else { return nil }
      value = editor.resolve(x)
    }
  }

  private struct Fused {
    let op: Attention
    let inputs: [ValueID?]
    let shape: [Int]
  }

  private func attention(
    _ node: Node, _ values: ValueID, _ softmaxNode: Node, _ softmax: Softmax, _ editor: inout GraphEditor
  ) -> Fused? {
    guard !softmax.isLogarithm, softmax.dtype == .float32, let x = softmaxNode.inputs[0],
      let scores = editor.signature(x)?.fixedShape, scores.count == 3 || scores.count == 4,
      softmax.axis == -1 || softmax.axis == scores.count - 1, editor.useCount(softmaxNode.outputs[0]) == 1
    else { return nil }
    // Scale and mask.
    var scale = 1.0
    var mask: ValueID?
    var raw = x
    if let (_, scaled) = editor.producer(of: x), let pointwise = scaled.op as? Pointwise {
      guard editor.useCount(x) == 1, let form = ScoreForm(pointwise.program) else { return nil }
      scale = form.scale
      mask = form.mask.flatMap { scaled.inputs[$0] }
      guard let operand = scaled.inputs[form.scores], editor.signature(operand)?.fixedShape == scores else { return nil }
      raw = operand
    }
    guard let productValue = source(of: raw, editor, where: { editor.producer(of: $0)?.node.op is MatMul }),
      let (_, first) = editor.producer(of: productValue), let product = first.op as? MatMul, isPlain(product, first),
      let q = first.inputs[0], let k = first.inputs[1], let qShape = editor.signature(q)?.fixedShape,
      let vShape = editor.signature(values)?.fixedShape, editor.signature(productValue)?.rank ?? 0 >= 3
    else { return nil }
    scale *= product.alpha
    let batch = scores.count == 4 ? [scores[0], scores[1]] : [1, scores[0]]
    let (queries, keys) = (scores[scores.count - 2], scores[scores.count - 1])
    let (depth, valueDepth) = (qShape[qShape.count - 1], vShape[vShape.count - 1])
    let heads = batch[0] * batch[1]
    guard qShape.reduce(1, *) == heads * queries * depth, vShape.reduce(1, *) == heads * keys * valueDepth,
      editor.signature(k)?.fixedShape?.reduce(1, *) == heads * depth * keys, heads > 0, depth > 0
    else { return nil }
    if let mask, let type = editor.signature(mask) {
      guard let shape = type.fixedShape, Shape.broadcast(shape, batch + [queries, keys]) == batch + [queries, keys],
        type.dtype == .float32, scores.count == 4
      else { return nil }
    }
    let position = editor.producer(of: node.outputs[0])!.position
    func shaped(_ value: ValueID, _ shape: [Int]) -> ValueID {
      if let known = source(of: value, editor, where: { editor.signature($0)?.fixedShape == shape }) { return known }
      return editor.insert(
        Reshape(shape: shape.map { .constant($0) }), [value], type: .tensor(TensorSignature(TensorType(.float32, shape))),
        before: position, source: node.source)
    }
    let transposedKeys = shaped(k, batch + [depth, keys])
    let keyRows = editor.insert(
      Permute(axes: [0, 1, 3, 2]), [transposedKeys],
      type: .tensor(TensorSignature(TensorType(.float32, batch + [keys, depth]))), before: position, source: node.source)
    return Fused(
      op: Attention(scale: scale),
      inputs: [shaped(q, batch + [queries, depth]), keyRows, shaped(values, batch + [keys, valueDepth]), mask],
      shape: batch + [queries, valueDepth])
  }
}

/// `scores * scale + mask`, or less, read off a pointwise program.
private struct ScoreForm {
  private(set) var scores: Int
  private(set) var scale = 1.0
  private(set) var mask: Int?

  init?(_ program: PointwiseProgram) {
    guard program.types.allSatisfy({ $0 == .float32 }) else { return nil }
    let instructions = program.instructions
    func literal(_ register: Int) -> Double? {
      if case .literal(let scalar, _) = instructions[register] { scalar.doubleValue } else { nil }
    }
    func load(_ register: Int) -> Int? {
      if case .load(let operand, _) = instructions[register] { operand } else { nil }
    }
    /// `load * literal`, `load / literal` or `load`.
    func scaled(_ register: Int) -> (operand: Int, scale: Double)? {
      if let operand = load(register) { return (operand, 1) }
      guard case .binary(let function, let a, let b) = instructions[register] else { return nil }
      if function == .mul, let operand = load(a), let factor = literal(b) { return (operand, factor) }
      if function == .mul, let operand = load(b), let factor = literal(a) { return (operand, factor) }
      if function == .div, let operand = load(a), let divisor = literal(b), divisor != 0 { return (operand, 1 / divisor) }
      return nil
    }
    let last = instructions.count - 1
    if let (operand, factor) = scaled(last) {
      scores = operand
      scale = factor
      return
    }
    guard case .binary(.add, let a, let b) = instructions[last], let left = scaled(a), let addend = load(b) else { return nil }
    scores = left.operand
    scale = left.scale
    mask = addend
  }
}
