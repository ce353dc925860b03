package import MartletTensor

/// Scale and zero point of an affine quantisation that covers a range of real numbers.
package enum QuantizationChoice {
  /// Lower bound of the scale.
  private static let smallestScale: Float = 6.1e-5

  /// The scale that maps `[min(low, 0), max(high, 0)]` onto `range`, and the zero point nearest to the image of 0. The scale is at least
  /// 6.1e-5; for an empty range it is 0.1.
  package static func parameters(low: Float, high: Float, range: ClosedRange<Int64>) -> (scale: Double, zeroPoint: Int64) {
    var low = low < 0 ? low : 0
    var high = high > 0 ? high : 0
    let steps = Double(range.upperBound) - Double(range.lowerBound)
    var scale = (Double(high) - Double(low)) / steps
    if Float(scale) == 0 || (1 / Float(scale)).isInfinite { scale = 0.1 }
    if scale < Double(smallestScale) {
      let factor = smallestScale / Float(scale)
      scale = Double(smallestScale)
      if low == 0 {
        high = smallestScale * Float(steps)
      } else if high == 0 {
        low = -smallestScale * Float(steps)
      } else {
        low *= factor
        high *= factor
      }
    }
    // The zero point is computed from the end with smaller terms, where the rounding error is smaller.
    let (first, last) = (Double(range.lowerBound), Double(range.upperBound))
    let (lowSteps, highSteps) = (Double(low) / scale, Double(high) / scale)
    let zero = abs(first) - abs(lowSteps) < abs(last) - abs(highSteps) ? first - lowSteps : last - highSteps
    if !(zero >= first) { return (scale, range.lowerBound) }
    if zero > last { return (scale, range.upperBound) }
    return (scale, Int64(Double(Float(zero).rounded(.toNearestOrEven))))
  }

  /// A kernel that chooses parameters for each of `rows` dense float32 rows of `count` elements, at least one.
  /// - Parameters: `scales` are float64 and `zeroPoints` int64, with one element per row.
  package static func kernel(
    rows: Int, count: Int, range: ClosedRange<Int64>, from source: TensorView, scales: TensorView, zeroPoints: TensorView
  ) -> Kernel {
    { context in
      let scales = context.elements(scales, as: Double.self)
      let zeroPoints = context.elements(zeroPoints, as: Int64.self)
      context.parallelRanges(rows, grain: max(1, 16 * 1024 / count)) { part, _ in
        for row in part {
          let x = unsafe context.pointer(source, as: Float.self) + row * count
          var low: Float = 0
          var high: Float = 0
          unsafe mk_reduce_rows_f32(Int32(MK_REDUCE_MIN.rawValue), 1, count, count, x, &low)
          unsafe mk_reduce_rows_f32(Int32(MK_REDUCE_MAX.rawValue), 1, count, count, x, &high)
          (scales[row], zeroPoints[row]) = parameters(low: low, high: high, range: range)
        }
      }
    }
  }
}
