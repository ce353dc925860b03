package import MartletTensor

/// Running sums along the middle axis of dense arrays of shape (`outer`, `count`, `inner`).
package enum RunningSum {
  /// - Parameters:
  ///   - source, destination: dense, of one type: float32 (accumulated in float64), float64 or int64 (wraps around).
  ///   - isExclusive: true if a sum excludes the element at its own position.
  ///   - isReversed: true if sums start at the end of the axis.
  package static func kernel(
    outer: Int, count: Int, inner: Int, from source: TensorView, to destination: TensorView, isExclusive: Bool = false,
    isReversed: Bool = false
  ) -> Kernel {
    let form = (isExclusive, isReversed)
    return { context in
      context.parallelRanges(outer * inner, grain: max(1, 16 * 1024 / max(count, 1))) { range, _ in
        switch source.dtype {
        case .float32:
          scan(context, range, count, inner, form, context.elements(source, as: Float.self), context.elements(destination)) {
            (sum: inout Double, x: Float) in
            sum += Double(x)
          } result: {
            Float($0)
          }
        case .float64:
          scan(context, range, count, inner, form, context.elements(source, as: Double.self), context.elements(destination)) {
            (sum: inout Double, x: Double) in
            sum += x
          } result: {
            $0
          }
        default:
          scan(context, range, count, inner, form, context.elements(source, as: Int64.self), context.elements(destination)) {
            (sum: inout Int64, x: Int64) in
            sum &+= x
          } result: {
            $0
          }
        }
      }
    }
  }

  @inline(__always)
  private static func scan<T: BitwiseCopyable, Sum: Numeric>(
    _ context: KernelContext, _ lines: Range<Int>, _ count: Int, _ inner: Int, _ form: (isExclusive: Bool, isReversed: Bool),
    _ x: Elements<T>, _ y: Elements<T>, _ add: (inout Sum, T) -> Void, result: (Sum) -> T
  ) {
    for line in lines {
      let (block, lane) = line.quotientAndRemainder(dividingBy: inner)
      let start = block * count * inner + lane
      var sum: Sum = 0
      context.inRanges(count) { range in
        for i in range {
          let place = start + (form.isReversed ? count - 1 - i : i) * inner
          let value = x[place]
          if form.isExclusive { y[place] = result(sum) }
          add(&sum, value)
          if !form.isExclusive { y[place] = result(sum) }
        }
      }
    }
  }
}
