package import MartletTensor
package import MartletVocabulary

import MartletSystem

extension VectorKernel {
  /// Writes `y[row, group, m]`, the sum over the vectors of a group of `coefficients[m, vector]` times the function of row and vector.
  ///
  /// - Parameters:
  ///   - x: [rows, columns] of float64, row-major.
  ///   - blocks: the vectors, in `SampleBlocks`.
  ///   - coefficients: [results, vectors] of float64, row-major.
  ///   - groups: the numbers of vectors of each group; vectors are sorted by group.
  ///   - y: [rows, groups * results] of float64, row-major.
  package func kernel(x: TensorView, blocks: TensorView, coefficients: TensorView, groups: [Int], y: TensorView) -> Kernel {
    let (rows, columns) = (x.shape[0], x.shape[1])
    let (results, vectors) = (coefficients.shape[0], coefficients.shape[1])
    let width = groups.count * results
    // The place in a row of sums of each vector.
    let places = groups.enumerated().flatMap { group, count in [Int](repeating: group * results, count: count) }
    let lanes = SampleBlocks.laneCount
    return { context in
      let source = unsafe context.pointer(x, as: Double.self)
      let samples = unsafe context.pointer(blocks, as: Double.self)
      let weights = unsafe context.pointer(coefficients, as: Double.self)
      let sums = unsafe context.pointer(y, as: Double.self)
      let grain = max(1, (1 << 17) / max(vectors * (columns + 16), 1))
      context.parallelRanges(rows, grain: grain, largest: 64) { range, _ in
        unsafe withUnsafeTemporaryAllocation(of: Double.self, capacity: SampleBlocks.rowCount * lanes) { values in
          let values = values.baseAddress!
          var start = range.lowerBound
          while start < range.upperBound {
            let count = min(SampleBlocks.rowCount, range.upperBound - start)
            for index in start * width..<(start + count) * width { unsafe sums[index] = 0 }
            for block in 0..<(vectors + lanes - 1) / lanes {
              unsafe fill(values, source + start * columns, columns, Int32(count), samples + block * lanes * columns)
              let present = min(lanes, vectors - block * lanes)
              for row in 0..<count {
                for lane in 0..<present {
                  let value = unsafe values[row * lanes + lane]
                  let vector = block * lanes + lane
                  let target = unsafe sums + (start + row) * width + places[vector]
                  for result in 0..<results { unsafe target[result] += weights[result * vectors + vector] * value }
                }
              }
            }
            start += count
          }
        }
      }
    }
  }

  /// Computes the function for rows and the vectors of a block.
  private func fill(
    _ values: UnsafeMutablePointer<Double>, _ x: UnsafePointer<Double>, _ columns: Int, _ rows: Int32, _ block: UnsafePointer<Double>
  ) {
    let count = Int(rows) * SampleBlocks.laneCount
    switch self {
    case .linear: unsafe mk_sample_products(x, columns, rows, block, columns, values)
    case .rbf(let gamma):
      unsafe mk_sample_distances(x, columns, rows, block, columns, values)
      for index in 0..<count { unsafe values[index] = exp(-gamma * values[index]) }
    case .polynomial(let degree, let c, let gamma):
      unsafe mk_sample_products(x, columns, rows, block, columns, values)
      for index in 0..<count { unsafe values[index] = Self.power(gamma * values[index] + c, degree) }
    case .sigmoid(let gamma, let c):
      unsafe mk_sample_products(x, columns, rows, block, columns, values)
      for index in 0..<count { unsafe values[index] = tanh(gamma * values[index] + c) }
    }
  }

  /// A power by repeated squaring, as libsvm computes it.
  private static func power(_ base: Double, _ degree: Int) -> Double {
    var (factor, result, rest) = (base, 1.0, degree)
    while rest > 0 {
      if rest % 2 == 1 { result *= factor }
      factor *= factor
      rest /= 2
    }
    return result
  }
}
