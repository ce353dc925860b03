package import MartletTensor

/// Orthonormal Walsh-Hadamard transforms of rows, and their product with a Hadamard matrix of order 28.
package enum HadamardTransform {
  /// Signs of the rows of a Hadamard matrix of order 28 of Williamson's type: bit `27 - column` is set for +1.
  static let signs28: [UInt32] = [
    0x818694c, 0x41c14a6, 0x20e2a13, 0x1071549, 0x0838ae4, 0x041e532, 0x030d299,
    0x3d019d2, 0x1e82ca9, 0x8e43654, 0xc621b2a, 0xe210d95, 0xf00a6ca, 0x7807325,
    0x5b3201e, 0xac9900f, 0x564c847, 0xab24463, 0xd590271, 0x6ac8178, 0xb4640bc,
    0x66b70c0, 0xb35b820, 0xd8adc10, 0x6d54e08, 0x37a8704, 0x9ad4382, 0xcd6a181,
  ]

  /// Returns true if rows of this extent can be transformed: a power of two, or 28 times one.
  package static func takes(extent: Int) -> Bool {
    let power = extent % 28 == 0 ? extent / 28 : extent
    return power > 0 && power & (power - 1) == 0
  }

  /// Transforms `rows` dense rows of `extent` elements of type float32 or float64. A row of `28 * p` elements is a matrix of 28 rows: each
  /// row is transformed, then each column is multiplied by the matrix of order 28, without scaling.
  package static func kernel(rows: Int, extent: Int, from source: TensorView, to target: TensorView) -> Kernel {
    let isWide = extent % 28 == 0
    let power = isWide ? extent / 28 : extent
    return { context in
      context.parallelRanges(rows, grain: max(1, 4096 / extent)) { range, _ in
        for row in range {
          if target.dtype == .float64 {
            let y = unsafe context.pointer(target, as: Double.self) + row * extent
            unsafe y.update(from: context.pointer(source, as: Double.self) + row * extent, count: extent)
            unsafe transform(y, power, isWide: isWide)
          } else {
            let y = unsafe context.pointer(target, as: Float.self) + row * extent
            unsafe y.update(from: context.pointer(source, as: Float.self) + row * extent, count: extent)
            unsafe transform(y, power, isWide: isWide)
          }
        }
      }
    }
  }

  private static func transform<T: BinaryFloatingPoint>(_ y: UnsafeMutablePointer<T>, _ power: Int, isWide: Bool) {
    let scale = T(1 / Double(power).squareRoot())
    for block in 0..<(isWide ? 28 : 1) {
      let x = unsafe y + block * power
      var step = 1
      while step < power {
        for first in stride(from: 0, to: power, by: 2 * step) {
          for i in first..<first + step {
            let (a, b) = unsafe (x[i], x[i + step])
            unsafe x[i] = a + b
            unsafe x[i + step] = a - b
          }
        }
        step *= 2
      }
      for i in 0..<power { unsafe x[i] *= scale }
    }
    if !isWide { return }
    unsafe withUnsafeTemporaryAllocation(of: T.self, capacity: 28) { column in
      for i in 0..<power {
        for row in 0..<28 { unsafe column[row] = y[row * power + i] }
        for row in 0..<28 {
          let signs = signs28[row]
          var sum: T = 0
          for k in 0..<28 { unsafe sum += signs >> UInt32(27 - k) & 1 == 1 ? column[k] : -column[k] }
          unsafe y[row * power + i] = sum
        }
      }
    }
  }
}
