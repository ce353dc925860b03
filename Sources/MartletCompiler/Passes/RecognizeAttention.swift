package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Replaces `softmax(scale * Q Kᵀ + mask) V`, written as two products, pointwise nodes and a softmax with views in between, by one
/// attention node. Scales may be applied to the scores or to Q and K. Masks are added, or select between a score and -inf. The softmax
/// may return zeros for rows whose keys are all hidden. Extents may be symbolic.
package struct RecognizeAttention: GraphPass {
  package let name = "recognize-attention"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Softmax.self), graph.applies(MatMul.self) else { return false }
    var rewriter = AttentionRewriter(taking: &graph)
    for position in rewriter.editor.positions { rewriter.rewrite(position) }
    return rewriter.editor.finish(into: &graph)
  }
}

private struct AttentionRewriter {
  typealias Extent = SymbolicExtent
  /// An extent together with its declaration in the file.
  struct Axis {
    var extent: Extent
    var dimension: Dimension
    static let one = Axis(extent: .fixed(1), dimension: .fixed(1))
  }

  var editor: GraphEditor
  private var shapes: SymbolicShapes
  /// Origins of the nodes being inserted.
  private var origins: [NodeOrigin] = []

  init(taking graph: inout Graph) {
    shapes = SymbolicShapes(graph)
    editor = GraphEditor(taking: &graph)
  }

  private func shape(_ value: ValueID) -> [Extent]? { shapes[editor.resolve(value)] }

  private func axes(_ value: ValueID) -> [Axis]? {
    guard let shape = shape(value), let signature = editor.signature(value), signature.rank == shape.count else { return nil }
    return zip(shape, signature.dimensions).map { Axis(extent: $0, dimension: $1) }
  }

  private func dtype(_ value: ValueID) -> DType? { editor.dtype(value) }

  /// The operand of a node that preserves the elements and their order.
  private func viewed(_ node: Node) -> ValueID? {
    guard let x = node.inputs.first ?? nil else { return nil }
    let traits = node.traits
    if traits.contains(.keepsElementOrder) { return editor.resolve(x) }
    guard traits.contains(.isIdentityForEqualShapes), let from = shape(x), let to = shape(node.outputs[0]), to.count >= from.count,
      to == Array(repeating: .fixed(1), count: to.count - from.count) + from
    else { return nil }
    return editor.resolve(x)
  }

  private func root(_ value: ValueID) -> ValueID {
    var value = editor.resolve(value)
    while let node = editor.producer(of: value)?.node, let x = viewed(node) { value = x }
    return value
  }

  private func isPlain(_ product: MatMul, _ node: Node) -> Bool {
    [.float32, .float16, .bfloat16].contains(product.dtype) && product.activation == .none
      && node.inputs.dropFirst(2).allSatisfy { $0 == nil }
  }

  // MARK: Parts

  private struct Probabilities {
    var softmax: Node
    var isSafe: Bool
  }

  /// The softmax of which a product's left operand is a view.
  private func probabilities(_ weights: ValueID) -> Probabilities? {
    var value = editor.resolve(weights)
    var safe: SafeSoftmax?
    while let node = editor.producer(of: value)?.node {
      if let softmax = node.op(as: Softmax.self) {
        guard !softmax.isLogarithm, let rank = editor.signature(value)?.rank, softmax.axis == -1 || softmax.axis == rank - 1,
          let x = node.inputs[0], editor.useCount(value) == (safe?.useCount ?? 1)
        else { return nil }
        if let safe {
          guard root(safe.scores) == root(x), let compared = shape(safe.scores), compared == shape(x) else { return nil }
        }
        return Probabilities(softmax: node, isSafe: safe != nil)
      }
      if let x = viewed(node) {
        value = x
      } else if safe == nil, let form = SafeSoftmax(node, editor) {
        safe = form
        value = form.probabilities
      } else {
        return nil
      }
    }
    return nil
  }

  private struct Scores {
    var product: Node
    var productValue: ValueID
    var scale: Double
    var mask: (value: ValueID, kind: MaskKind, shape: [Axis])?
  }

  private enum MaskKind { case added, visible, hidden }

  /// The product that computes the scores, and the operations applied to it.
  private func scores(_ value: ValueID, scale: Double = 1, depth: Int = 0) -> Scores? {
    guard depth < 16, let node = editor.producer(of: value)?.node else { return nil }
    if let product = node.op(as: MatMul.self) {
      guard isPlain(product, node) else { return nil }
      return Scores(product: node, productValue: editor.resolve(value), scale: scale * product.alpha, mask: nil)
    }
    if let x = viewed(node) { return scores(x, scale: scale, depth: depth + 1) }
    guard let own = axes(value), dtype(value).map({ $0.isFloatingPoint }) == true else { return nil }
    for form in ScoreForm.readings(of: node, editor) {
      guard let x = node.inputs[form.scores], dtype(x) == dtype(value), let extents = shape(x), extents == own.map(\.extent) else {
        continue
      }
      guard let mask = form.mask else {
        if let found = scores(x, scale: scale * form.scale, depth: depth + 1) { return found }
        continue
      }
      // A factor applied after the mask would scale the mask too. At most one mask is supported.
      guard scale == 1, var found = scores(x, scale: form.scale, depth: depth + 1), found.mask == nil else { continue }
      let (operand, kind): (Int, MaskKind) =
        switch mask {
        case .added(let operand): (operand, .added)
        case .selecting(let operand, let hides): (operand, hides ? .hidden : .visible)
        }
      guard let value = node.inputs[operand], fits(value, own, isAdded: kind == .added) else { continue }
      found.mask = (editor.resolve(value), kind, own)
      return found
    }
    return nil
  }

  private func fits(_ mask: ValueID, _ scores: [Axis], isAdded: Bool) -> Bool {
    guard let axes = axes(mask), axes.count <= scores.count, let dtype = dtype(mask),
      isAdded ? dtype.isFloatingPoint && dtype != .float64 : dtype == .bool
    else { return false }
    return zip(axes.reversed(), scores.reversed()).allSatisfy { own, whole in
      if own.extent == .fixed(1) || own.extent == whole.extent { return true }
      // Open extents with equal bounds are equal: see `SymbolicShapes`. One that may be as large as a fixed extent is that, or 1.
      guard case .symbolic(let bound?) = own.dimension else { return false }
      return bound == 1 || whole.dimension.upperBound == bound
    }
  }

  // MARK: Rewriting

  mutating func rewrite(_ position: Int) {
    guard let node = editor.node(at: position), let product = node.op(as: MatMul.self), isPlain(product, node), product.alpha == 1,
      let weights = node.inputs[0], let v = node.inputs[1], let found = probabilities(weights),
      let x = found.softmax.inputs[0], let softmaxAxes = axes(x), let scores = scores(x), let q = scores.product.inputs[0],
      let k = scores.product.inputs[1], [q, k, v].allSatisfy({ dtype($0) == product.dtype }), dtype(x) == product.dtype,
      dtype(scores.productValue) == product.dtype, found.softmax.op(as: Softmax.self)?.dtype == product.dtype
    else { return }
    let whole = scores.mask?.shape ?? softmaxAxes
    guard whole.count == 3 || whole.count == 4, let qAxes = axes(q), let kAxes = axes(k), let vAxes = axes(v),
      let weightShape = shape(weights), let productShape = shape(scores.productValue), let result = axes(node.outputs[0]),
      let depth = qAxes.last, depth.extent != .fixed(0), let valueDepth = vAxes.last, qAxes.count >= 3, kAxes.count >= 3,
      vAxes.count >= 3
    else { return }
    let (queries, keys) = (whole[whole.count - 2], whole[whole.count - 1])
    let ends = [queries.extent, keys.extent]
    // Views in between may only merge or split batch axes, and nothing is broadcast.
    guard softmaxAxes.suffix(2).map(\.extent) == ends, weightShape.suffix(2) == ends[...], productShape.suffix(2) == ends[...],
      qAxes[qAxes.count - 2].extent == queries.extent, kAxes[kAxes.count - 1].extent == keys.extent,
      vAxes[vAxes.count - 2].extent == keys.extent, qAxes.dropLast(2).map(\.extent) == kAxes.dropLast(2).map(\.extent),
      qAxes.dropLast(2).map(\.extent) == Array(productShape.dropLast(2)),
      vAxes.dropLast(2).map(\.extent) == Array(weightShape.dropLast(2)),
      result.dropLast(2).map(\.extent) == Array(weightShape.dropLast(2))
    else { return }
    let batch = whole.count == 4 ? [whole[0], whole[1]] : [.one, whole[0]]
    if batch.contains(where: { $0.extent == .fixed(0) }) { return }
    let source = "\(found.softmax.source), \(node.source)"
    origins = scores.product.origins.joined(with: node.origins).absorbing(found.softmax.origins)
    var scale = scores.scale
    let rows = shaped(q, batch + [queries, depth], &scale, position, source)
    let columns = shaped(k, batch + [depth, keys], &scale, position, source)
    let keyRows = insert(Permute(axes: [0, 1, 3, 2]), [columns], batch + [keys, depth], product.dtype, position, source)
    // The result is linear in V, but a factor of V is not a factor of the scores.
    var gain = 1.0
    let values = shaped(v, batch + [keys, valueDepth], &gain, takesFactors: false, position, source)
    let attention = insert(
      Attention(scale: scale, hiddenIsZero: found.isSafe), [rows, keyRows, values, mask(scores, position, source)],
      batch + [queries, valueDepth], product.dtype, position, source)
    let (op, operands) = reshape(attention, result, position, source)
    var view = node
    view.op = op
    view.inputs = operands
    editor.replace(position, with: view)
  }

  private mutating func mask(_ scores: Scores, _ position: Int, _ source: String) -> ValueID? {
    guard let (value, kind, _) = scores.mask else { return nil }
    guard kind == .hidden, let axes = axes(value) else { return value }
    var program = PointwiseProgram()
    program.append(.unary(.logicalNot, program.append(.load(operand: 0, as: .int64))))
    return insert(Pointwise(program, dtype: .bool, label: "logical_not"), [value], axes, .bool, position, source)
  }

  /// The value, or the value it is a view of, reshaped to these axes. Factors on the way are multiplied into `scale` if `takesFactors`.
  private mutating func shaped(
    _ value: ValueID, _ axes: [Axis], _ scale: inout Double, takesFactors: Bool = true, _ position: Int, _ source: String
  ) -> ValueID {
    let wanted = axes.map(\.extent)
    var current = editor.resolve(value)
    var best: (value: ValueID, scale: Double)?
    var factor = 1.0
    while true {
      if shape(current) == wanted { best = (current, factor) }
      guard let node = editor.producer(of: current)?.node else { break }
      if let x = viewed(node) {
        current = x
      } else if takesFactors, let (operand, scale) = ScoreForm.factor(of: node, editor), let x = node.inputs[operand],
        shape(x) == shape(current), dtype(x) == dtype(current)
      {
        factor *= scale
        current = editor.resolve(x)
      } else {
        break
      }
    }
    if let best {
      scale *= best.scale
      return best.value
    }
    return reshaped(value, axes, position, source)
  }

  private mutating func reshaped(_ value: ValueID, _ axes: [Axis], _ position: Int, _ source: String) -> ValueID {
    let (op, operands) = reshape(value, axes, position, source)
    return insert(op, operands, axes, dtype(value) ?? .float32, position, source)
  }

  /// A reshape to `axes`, with operands for extents that are known only at run time.
  private mutating func reshape(_ value: ValueID, _ axes: [Axis], _ position: Int, _ source: String) -> (Reshape, [ValueID?]) {
    var operands: [ValueID?] = [value]
    var list: [IntArgument] = []
    for axis in axes {
      switch axis.extent {
      case .fixed(let extent): list.append(.constant(extent))
      case .number(let number):
        list.append(.operand(operands.count))
        operands.append(number)
      case .axis(let model, let index):
        list.append(.operand(operands.count))
        operands.append(editor.insert(TensorExtent(axis: index), [model], type: .scalar(.int), before: position, source: source))
      }
    }
    return (Reshape(shape: list), operands)
  }

  private mutating func insert(
    _ op: any Operator, _ operands: [ValueID?], _ axes: [Axis], _ dtype: DType, _ position: Int, _ source: String
  ) -> ValueID {
    let type = TensorSignature(dtype: dtype, dimensions: axes.map(\.dimension))
    let value = editor.insert(op, operands, type: .tensor(type), before: position, source: source, origins: origins)
    shapes[value] = axes.map(\.extent)
    return value
  }
}
