package import MartletGraph
package import MartletTensor

/// A diagonal of the planes spanned by two axes, as a new last axis: `y[…, i] = x[…, i, …, i + offset, …]`.
/// - Shapes: any of rank at least 2. - DTypes: all.
/// - Sources: ATen `diagonal_copy.out`.
package struct Diagonal: ViewOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// Above the main diagonal if positive, below it if negative.
  package var offset: Int
  package var axis1: Int
  package var axis2: Int
  package var name: String { "diagonal" }

  package init(offset: Int, axis1: Int, axis2: Int) {
    self.offset = offset
    self.axis1 = axis1
    self.axis2 = axis2
  }

  package func view(of x: TensorView) throws(OperatorError) -> TensorView {
    guard x.rank >= 2 else { throw .invalid("a diagonal needs rank at least 2, not \(x.rank)") }
    let first = try normalAxis(axis1, rank: x.rank)
    let second = try normalAxis(axis2, rank: x.rank)
    guard first != second else { throw .invalid("a diagonal needs two different axes") }
    let rows = (Extent(x.shape[first]) + min(offset, 0)).value ?? 0
    let columns = (Extent(x.shape[second]) - max(offset, 0)).value ?? 0
    let count = max(min(rows, columns), 0)
    var view = x
    // In range: a diagonal with elements begins at a position of the tensor.
    if count > 0 { view.offset += offset < 0 ? -offset * x.strides[first] : offset * x.strides[second] }
    view.shape.append(count)
    // In range: strides of a tensor.
    view.strides.append(x.strides[first] + x.strides[second])
    for axis in [max(first, second), min(first, second)] {
      view.shape.remove(at: axis)
      view.strides.remove(at: axis)
    }
    return view
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0), let first = Shape.normalizedAxis(axis1, rank: x.count),
      let second = Shape.normalizedAxis(axis2, rank: x.count)
    else { return nil }
    return x.indices.filter { $0 != first && $0 != second }.map { x[$0] } + [nil]
  }
}
