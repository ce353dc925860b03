import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Pooling of images and volumes.
extension NetworkCall {
  func add(_ pool: NetworkPool) throws {
    let input = try input()
    if pool.isGlobal { return try poolAll(pool.kind, axes: [-2, -1]) }
    let isPlanar = pool.kernel.count == 2
    let x = isPlanar ? try image(input) : input
    let (window, ceil) = try pool.window()
    let result: ValueID
    switch pool.kind {
    case .max: result = try pooled(x, window, .maximum, ceil: ceil)
    case .average:
      result = try pooled(x, window, .average(countsPadding: !pool.excludesPadding, divisor: nil), ceil: ceil)
    case .l2: result = try rootOfPooledSquares(x, window, ceil: ceil)
    }
    if isPlanar { try set(image: result, like: input) } else { try set(result) }
  }

  /// One window that covers all of the axes.
  func poolAll(_ kind: NetworkPool.Kind, axes: [Int]) throws {
    let input = try input()
    let x = axes.count == 2 ? try image(input) : input
    let function: Reduce.Function =
      switch kind {
      case .max: .max
      case .average: .mean
      case .l2: .sumSquares
      }
    let rank = try rank(x)
    var result = try applied(
      Reduce(function, axes: try axes.map { try normalized($0, rank: rank) }, keepsAxes: true, dtype: .float32), [x])
    if kind == .l2 {
      result = try pointwise("sqrt", values: [result], in: .float32, try signature(of: result)) { build, x in build.unary(.sqrt, x[0]) }
    }
    if axes.count == 2 { try set(image: result, like: input) } else { try set(result) }
  }
}

extension NetworkPool {
  /// The window, and true if the last one may exceed the padded image.
  fileprivate func window() throws(CallError) -> (SpatialWindow, ceil: Bool) {
    let amounts: SpatialWindow.Padding
    var ceil = false
    switch padding {
    case .borders(let borders): amounts = .explicit(zip(borders.before, borders.after).map { ($0, $1) })
    case .same(let isHeavyAtStart): amounts = .same(isLower: isHeavyAtStart)
    case .includeLastPixel(let borders):
      amounts = .explicit(borders.map { ($0, $0) })
      ceil = true
    }
    return (
      try SpatialWindow(kernel: kernel, stride: stride, dilation: kernel.map { _ in 1 }, padding: amounts), ceil
    )
  }
}
