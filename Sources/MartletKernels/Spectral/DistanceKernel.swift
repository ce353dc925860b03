package import MartletTensor

import MartletSystem

/// The p-norms of differences of vectors, accumulated in double precision. NaN propagates.
package struct DistanceKernel: Sendable {
  /// Not negative; 0 counts the components that differ, infinity takes the largest difference.
  package var p: Double

  package init(p: Double) { self.p = p }

  /// `y[b, i, j]` is the distance of row `i` of `x1[b]` and row `j` of `x2[b]`.
  /// - Parameters: tensors row-major, float32 or float64; `x1` [batches, rows, width], `x2` [batches, columns, width].
  package func kernel(
    batches: Int, rows: Int, columns: Int, width: Int, x1: TensorView, x2: TensorView, y: TensorView
  ) -> Kernel {
    { context in
      context.parallelRanges(batches * rows, grain: max(1, 8192 / max(columns * width, 1))) { range, _ in
        if y.dtype == .float64 {
          fill(range, rows, columns, width, context.elements(x1, as: Double.self), context.elements(x2), context.elements(y))
        } else {
          fill(range, rows, columns, width, context.elements(x1, as: Float.self), context.elements(x2), context.elements(y))
        }
      }
    }
  }

  private func fill<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ range: Range<Int>, _ rows: Int, _ columns: Int, _ width: Int, _ x1: Elements<T>, _ x2: Elements<T>, _ y: Elements<T>
  ) {
    for row in range {
      let other = row / rows * columns
      for column in 0..<columns {
        y[row * columns + column] = T(distance(x1, row * width, x2, (other + column) * width, width))
      }
    }
  }

  /// Distances of all pairs of rows `i < j`, in order of `i`, then `j`.
  /// - Parameters: tensors row-major, float32 or float64; `x` [rows, width], `y` [rows * (rows - 1) / 2].
  package func pairKernel(rows: Int, width: Int, x: TensorView, y: TensorView) -> Kernel {
    { context in
      context.parallelRanges(rows, grain: max(1, 8192 / max(rows * width, 1))) { range, _ in
        if y.dtype == .float64 {
          fillPairs(range, rows, width, context.elements(x, as: Double.self), context.elements(y))
        } else {
          fillPairs(range, rows, width, context.elements(x, as: Float.self), context.elements(y))
        }
      }
    }
  }

  private func fillPairs<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ range: Range<Int>, _ rows: Int, _ width: Int, _ x: Elements<T>, _ y: Elements<T>
  ) {
    for i in range {
      let start = i * (2 * rows - i - 1) / 2
      for j in i + 1..<max(rows, i + 1) {
        y[start + j - i - 1] = T(distance(x, i * width, x, j * width, width))
      }
    }
  }

  @inline(__always)
  private func distance<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ a: Elements<T>, _ first: Int, _ b: Elements<T>, _ second: Int, _ width: Int
  ) -> Double {
    var sum = 0.0
    switch p {
    case 0:
      for k in 0..<width { sum += a[first + k] == b[second + k] ? 0 : 1 }
      return sum
    case 1:
      for k in 0..<width { sum += Double(abs(a[first + k] - b[second + k])) }
      return sum
    case 2:
      for k in 0..<width {
        let difference = Double(a[first + k] - b[second + k])
        sum += difference * difference
      }
      return sum.squareRoot()
    case .infinity:
      for k in 0..<width {
        let difference = Double(abs(a[first + k] - b[second + k]))
        if difference > sum || difference.isNaN { sum = difference }
        if sum.isNaN { break }
      }
      return sum
    default:
      for k in 0..<width { sum += pow(Double(abs(a[first + k] - b[second + k])), p) }
      return pow(sum, 1 / p)
    }
  }
}
