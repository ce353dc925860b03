package import MartletTensor

/// Rotation of pairs of float32 elements by angles.
package struct RotaryKernel: Sendable {
  /// Contiguous, both of the same shape.
  package var x: TensorView
  package var y: TensorView
  /// With the shape of `x`, without the last axis if interleaved; the last axis contiguous.
  package var cosines: TensorView
  package var sines: TensorView
  /// True if the two elements of a pair are neighbours along the last axis of `x`, of extent 2; false if they lie in its two halves.
  package var isInterleaved: Bool

  package init(x: TensorView, cosines: TensorView, sines: TensorView, y: TensorView, isInterleaved: Bool) {
    self.x = x
    self.y = y
    self.cosines = cosines
    self.sines = sines
    self.isInterleaved = isInterleaved
  }

  package var kernel: Kernel {
    if y.isEmpty { return { _ in } }
    let shape = cosines.shape
    let length = shape[shape.count - 1]
    let pairs = isInterleaved ? length : length / 2
    let rows = y.elementCount / (2 * pairs)
    let outer = Array(shape.dropLast())
    let strides = (Array(cosines.strides.dropLast()), Array(sines.strides.dropLast()))
    let me = self
    return { context in
      let x = unsafe UnsafePointer(context.pointer(me.x, as: Float.self)), y = unsafe context.pointer(me.y, as: Float.self)
      let cosines = unsafe UnsafePointer(context.pointer(me.cosines, as: Float.self))
      let sines = unsafe UnsafePointer(context.pointer(me.sines, as: Float.self))
      context.parallelRanges(rows, grain: max(1, 8192 / pairs)) { part, _ in
        for row in part {
          var (rest, first, second) = (row, 0, 0)
          var axis = outer.count - 1
          while axis >= 0 {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: outer[axis])
            first += remainder * strides.0[axis]
            second += remainder * strides.1[axis]
            rest = quotient
            axis -= 1
          }
          unsafe mk_rotary_f32(
            x + row * 2 * pairs, cosines + first, sines + second, pairs, me.isInterleaved ? 1 : 0, y + row * 2 * pairs)
        }
      }
    }
  }
}
