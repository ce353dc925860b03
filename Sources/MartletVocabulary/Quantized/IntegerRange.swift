/// Scale, zero point and bounds of int8 results.
package struct IntegerRange: Sendable, Hashable {
  package var scale: Float
  package var zeroPoint: Int32
  package var lowest: Int32
  package var highest: Int32

  package init(scale: Float, zeroPoint: Int32, lowest: Int32 = -128, highest: Int32 = 127) {
    self.scale = scale
    self.zeroPoint = zeroPoint
    self.lowest = lowest
    self.highest = highest
  }

  /// The range after clamping the real numbers to these bounds.
  package func clamped(_ low: Float, _ high: Float) -> IntegerRange {
    func step(_ value: Float) -> Int32 {
      let steps = (value / scale).rounded(.toNearestOrEven) + Float(zeroPoint)
      // In range: between the bounds.
      return steps <= Float(lowest) ? lowest : steps >= Float(highest) ? highest : Int32(steps)
    }
    var result = self
    result.lowest = low.isNaN ? lowest : step(low)
    result.highest = max(result.lowest, high.isNaN ? highest : step(high))
    return result
  }
}
