package import MartletGraph
package import MartletTensor

/// Windows of `size` positions along an axis, `step` apart, as a new last axis: `y[…, i, …, j] = x[…, i × step + j, …]`.
/// - Shapes: any; a tensor of rank 0 is treated as one position. - DTypes: all.
/// - Sources: ATen `unfold_copy.out`; MIL `sliding_windows`.
package struct Unfold: ViewOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var axis: Int
  package var size: Int
  package var step: Int
  package var name: String { "unfold" }

  package init(axis: Int, size: Int, step: Int) {
    self.axis = axis
    self.size = size
    self.step = step
  }

  package func view(of x: TensorView) throws(OperatorError) -> TensorView {
    let axis = try normalAxis(axis, rank: x.rank)
    let extent = x.rank == 0 ? 1 : x.shape[axis]
    guard size >= 0, size <= extent, step > 0 else {
      throw .invalid("windows of \(size), \(step) apart, do not fit an axis of extent \(extent)")
    }
    var view = x
    if x.rank > 0 {
      // In range: the size is at most the extent.
      let count = (extent - size) / step + 1
      view.shape[axis] = count
      // In range: with two windows, the step is at most the extent.
      view.strides[axis] = count > 1 ? x.strides[axis] * step : x.strides[axis]
    }
    view.shape.append(size)
    view.strides.append(x.rank == 0 ? 1 : x.strides[axis])
    return view
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0) else { return nil }
    if x.isEmpty { return [.fixed(size)] }
    return operands.shape(0, replacing: axis, by: nil).map { $0 + [.fixed(size)] }
  }
}
