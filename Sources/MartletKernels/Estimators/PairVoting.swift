package import MartletTensor

import MartletSystem

/// Results for classes from machines for each pair of them, as in libsvm.
package enum PairVoting {
  /// Scratch memory of a worker for `classes` classes, in bytes.
  package static func scratchByteCount(classes: Int) -> Int { (Extent(classes) * (Extent(classes) * 2 + 2) * 8).clamped }

  /// Writes the number of pairs that each class wins, or the classes' probabilities.
  /// - Parameters:
  ///   - sums: [rows, classes, classes - 1] of float64, row-major: of the vectors of a class, for the machine with each other class.
  ///   - offsets: one for each pair (0, 1), (0, 2), …, (1, 2), …; float64.
  ///   - a, b: the parameters of each pair's probability; nil for votes.
  ///   - y: [rows, classes] of float64, row-major.
  ///   - scratch: `scratchByteCount` for each worker.
  package static func kernel(
    sums: TensorView, offsets: TensorView, a: TensorView?, b: TensorView?, y: TensorView, scratch: TensorView
  ) -> Kernel {
    let (rows, classes) = (y.shape[0], y.shape[1])
    return { context in
      let sums = context.elements(sums, as: Double.self)
      let offsets = context.elements(offsets, as: Double.self)
      let a = a.map { context.elements($0, as: Double.self) }
      let b = b.map { context.elements($0, as: Double.self) }
      let y = context.elements(y, as: Double.self)
      context.parallelRanges(rows, grain: max(1, 4096 / max(classes * classes, 1)), largest: 4096) { range, worker in
        let own = unsafe context.scratch(scratch, worker: worker, as: Double.self)
        let memory = unsafe Elements<Double>(base: own, count: classes * (2 * classes + 2))
        for row in range {
          /// The value of the machine of classes `i < j`.
          func decision(_ i: Int, _ j: Int, _ pair: Int) -> Double {
            let place = row * classes * (classes - 1)
            return sums[place + i * (classes - 1) + j - 1] + sums[place + j * (classes - 1) + i] - offsets[pair]
          }
          for i in 0..<classes { y[row * classes + i] = 0 }
          var pair = 0
          for i in 0..<classes {
            for j in i + 1..<max(classes, i + 1) {
              let value = decision(i, j, pair)
              if let a, let b {
                let probability = min(max(sigmoid(value * a[pair] + b[pair]), leastProbability), 1 - leastProbability)
                memory[i * classes + j] = probability
                memory[j * classes + i] = 1 - probability
              } else {
                y[row * classes + (value > 0 ? i : j)] += 1
              }
              pair += 1
            }
          }
          if a != nil { couple(memory, classes, y, row * classes) }
        }
      }
    }
  }

  private static let leastProbability = 1e-7

  /// 1 / (1 + e^x), without overflow.
  private static func sigmoid(_ x: Double) -> Double { x >= 0 ? exp(-x) / (1 + exp(-x)) : 1 / (1 + exp(x)) }

  /// The classes' probabilities from those of pairs: method 2 of Wu, Lin and Weng, "Probability Estimates for Multi-class Classification by
  /// Pairwise Coupling", with libsvm's limits on iterations and error.
  /// - Parameter memory: the pairs' probabilities, then room for as many numbers and twice the number of classes.
  private static func couple(_ memory: Elements<Double>, _ k: Int, _ p: Elements<Double>, _ first: Int) {
    if k == 1 {
      p[first] = 1
      return
    }
    func q(_ i: Int, _ j: Int) -> Int { k * k + i * k + j }
    func qp(_ i: Int) -> Int { 2 * k * k + i }
    let tolerance = 0.005 / Double(k)
    for t in 0..<k {
      p[first + t] = 1 / Double(k)
      memory[q(t, t)] = 0
      for j in 0..<k where j != t {
        let r = memory[j * k + t]
        memory[q(t, t)] += r * r
        memory[q(t, j)] = -r * memory[t * k + j]
      }
    }
    for _ in 0..<max(100, k) {
      var pqp = 0.0
      for t in 0..<k {
        var sum = 0.0
        for j in 0..<k { sum += memory[q(t, j)] * p[first + j] }
        memory[qp(t)] = sum
        pqp += p[first + t] * sum
      }
      var largest = 0.0
      for t in 0..<k { largest = max(largest, abs(memory[qp(t)] - pqp)) }
      if largest < tolerance { break }
      for t in 0..<k {
        let diagonal = memory[q(t, t)]
        let difference = (pqp - memory[qp(t)]) / diagonal
        p[first + t] += difference
        pqp = (pqp + difference * (difference * diagonal + 2 * memory[qp(t)])) / (1 + difference) / (1 + difference)
        for j in 0..<k {
          memory[qp(j)] = (memory[qp(j)] + difference * memory[q(t, j)]) / (1 + difference)
          p[first + j] /= 1 + difference
        }
      }
    }
  }
}
