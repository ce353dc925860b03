package import MartletGraph
package import MartletTensor

/// Removes axes of extent 1.
/// - Shapes: any. Listed axes with another extent are kept; nil lists all axes.
/// - DTypes: all.
/// - Sources: ATen `squeeze_copy.dim_out`, `squeeze_copy.dims_out`; MIL `squeeze`.
package struct Squeeze: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var axes: [Int]?
  package var name: String { "squeeze" }

  package init(axes: [Int]?) { self.axes = axes }

  private func kept(_ shape: [Int]) throws(OperatorError) -> [Int] {
    var listed: [Int] = []
    for axis in axes ?? Array(shape.indices) { listed.append(try normalAxis(axis, rank: shape.count)) }
    guard Set(listed).count == listed.count else { throw .invalid("\(axes ?? []) lists an axis twice") }
    return shape.indices.filter { shape[$0] != 1 || !listed.contains($0) }
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    return [.tensor(TensorType(x.dtype, try kept(x.shape).map { x.shape[$0] }))]
  }

  package var traits: OperatorTraits { .movesElements.union(.keepsElementOrder).union(.isIdentityForEqualShapes) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0) else { return nil }
    let listed = axes.map { $0.map { $0 < 0 ? $0 + x.count : $0 } } ?? Array(x.indices)
    // An axis that a call may or may not drop leaves the rank open.
    for axis in listed where x.indices.contains(axis) {
      guard case .fixed = x[axis] else { return nil }
    }
    return x.indices.filter { !(listed.contains($0) && x[$0] == .fixed(1)) }.map { x[$0] }
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = node.input(0)
    return (try? kept(x.shape)).map { x.permuted($0) }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    throw .invalid("a tensor without axes of extent 1 is always a view")
  }
}

/// Inserts axes of extent 1.
/// - Shapes: any. The axes are those of the result; negative axes count from its end.
/// - DTypes: all.
/// - Sources: ATen `unsqueeze_copy.out`, `stack.out`; MIL `expand_dims`.
package struct Unsqueeze: ViewOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var axes: [Int]
  package var name: String { "unsqueeze" }

  package init(axes: [Int]) { self.axes = axes }

  package func view(of x: TensorView) throws(OperatorError) -> TensorView {
    let rank = x.rank + axes.count
    var added: Set<Int> = []
    for axis in axes {
      guard rank > 0, axis >= -rank, axis < rank, added.insert(axis < 0 ? axis + rank : axis).inserted else {
        throw .invalid("axes \(axes) cannot be inserted into a tensor of rank \(x.rank)")
      }
    }
    var view = x
    for axis in added.sorted() {
      // The stride of an axis of extent 1 is arbitrary; this one lets neighbouring axes be merged.
      // In range: the extent and stride of a view.
      let stride = axis < view.rank ? view.strides[axis] * view.shape[axis] : 1
      view.shape.insert(1, at: axis)
      view.strides.insert(stride, at: axis)
    }
    return view
  }

  package var traits: OperatorTraits { .movesElements.union(.keepsElementOrder).union(.isIdentityForEqualShapes) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard var x = operands.shape(0) else { return nil }
    let rank = x.count + axes.count
    for axis in axes.map({ $0 < 0 ? $0 + rank : $0 }).sorted() {
      guard axis >= 0, axis <= x.count else { return nil }
      x.insert(.fixed(1), at: axis)
    }
    return x
  }
}
