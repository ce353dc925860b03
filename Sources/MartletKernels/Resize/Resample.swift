package import MartletTensor

/// Weighted means of windows along one axis.
package enum Resample {
  /// - Parameters:
  ///   - x, y: of equal shape except along `axis`, dense with the axes in `order`, outermost first.
  @_specialize(where T == Float)
  @_specialize(where T == Double)
  package static func kernel<T: ResampleElement>(
    _ x: TensorView, axis: Int, order: [Int], _ windows: ResampleWindows<T>, to y: TensorView
  ) -> Kernel {
    // Number of elements of the axes inside `axis`, and number of blocks outside it.
    let inner = order.reversed().prefix { $0 != axis }.reduce(1) { $0 * y.shape[$1] }
    let count = y.shape[axis]
    let extent = x.shape[axis]
    let outer = y.elementCount / (inner * count)
    return { context in
      let source = context.elements(x, as: T.self)
      let target = context.elements(y, as: T.self)
      context.parallelRanges(outer * count, grain: max(1, 4 * 1024 / (inner * windows.stride))) { lines, _ in
        for line in lines {
          let (block, position) = line.quotientAndRemainder(dividingBy: count)
          let from = (block * extent + windows.starts[position]) * inner
          let to = line * inner
          let weights = position * windows.stride
          let first = windows.weights[weights]
          for lane in 0..<inner { target[to + lane] = first * source[from + lane] }
          for index in 1..<max(windows.counts[position], 1) {
            let weight = windows.weights[weights + index]
            let row = from + index * inner
            for lane in 0..<inner { target[to + lane] += weight * source[row + lane] }
          }
        }
      }
    }
  }
}
