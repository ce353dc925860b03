import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Pooling over one to three axes.
extension GraphWriting {
  /// Pools the last axes of `x` [N, C, …]. Windows of three axes are pooled plane by plane and then along the first of the axes: a maximum
  /// of maxima, or an average of averages over equal numbers of elements.
  ///
  /// - Parameter ceil: true if a last window may exceed the padded operand.
  @_semantics("optimize.sil.specialize.generic.never")
  func pooled(_ x: ValueID, _ window: SpatialWindow, _ reduction: PoolReduction, ceil: Bool) throws(CallError) -> ValueID {
    let kernel = window.kernel
    let rank = try signature(of: x).rank
    guard (1...3).contains(kernel.count) else { throw CallError("a window of \(kernel.count) axes is not supported") }
    guard rank == kernel.count + 2 else { throw CallError("x has rank \(rank), not \(kernel.count + 2)") }
    // Padding that depends on run-time extents becomes elements of the operand. This is only correct if padding elements do not change the
    // result.
    let isNeutral = window.explicit != nil || reduction == .maximum || reduction == .average(countsPadding: true, divisor: nil)
    var (x, padding) = try padded(x, window, with: .double(reduction == .maximum ? -.infinity : 0))
    if !isNeutral, padding.allSatisfy({ $0 == (0, 0) }), try signature(of: x).fixedShape == nil {
      throw CallError("an average without the padding is not supported for flexible extents")
    }
    func sliding(_ axes: Range<Int>, before: Int = 0) -> Pool {
      let unit = Array(repeating: 1, count: before)
      let none = Array(repeating: 0, count: before)
      return Pool(
        .sliding(
          kernel: axes.map { kernel[$0] } + unit, stride: axes.map { window.stride[$0] } + unit,
          before: axes.map { padding[$0].before } + none, after: axes.map { padding[$0].after } + none,
          dilation: axes.map { _ in 1 } + unit, ceil: ceil), reduction: reduction)
    }
    switch kernel.count {
    case 2: return try applied(sliding(0..<2), [x])
    case 1: return try applied(Squeeze(axes: [3]), [try applied(sliding(0..<1, before: 1), [try unsqueezed(x, axis: 3)])])
    default:
      let extents = try extents(of: x)
      let planes = try reshaped(x, [extents[0], try arithmetic(.mul, extents[1], extents[2]), extents[3], extents[4]])
      x = try applied(sliding(1..<3), [planes])
      let pooled = try self.extents(of: x)
      let columns = try reshaped(x, [extents[0], extents[1], extents[2], try arithmetic(.mul, pooled[2], pooled[3])])
      x = try applied(sliding(0..<1, before: 1), [columns])
      return try reshaped(x, [extents[0], extents[1], try extent(of: x, axis: 2), pooled[2], pooled[3]])
    }
  }

  /// The square root of the sum of squares of each window, computed in float32.
  func rootOfPooledSquares(_ x: ValueID, _ window: SpatialWindow, ceil: Bool) throws -> ValueID {
    let squares = try pointwise("square", values: [x], in: .float32, try signature(of: x).with(.float32)) { build, x in
      build.unary(.square, x[0])
    }
    let sums = try pooled(squares, window, .average(countsPadding: true, divisor: 1), ceil: ceil)
    return try pointwise("sqrt", values: [sums], in: .float32, try signature(of: sums)) { build, x in build.unary(.sqrt, x[0]) }
  }
}
