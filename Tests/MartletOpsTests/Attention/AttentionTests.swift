import Foundation
import MartletOps
import MartletTensor
import MartletTesting
import Testing

@Suite struct AttentionTests {
  /// `softmax(scale * q kᵀ + mask) v` in double precision for [batch, heads, rows, depth]; rows that see nothing give `hidden`.
  private func reference(
    _ q: [Float], _ k: [Float], _ v: [Float], mask: (Int, Int, Int, Int) -> Double, _ extents: (b: Int, h: Int, s: Int, t: Int, d: Int),
    scale: Double, hidden: Double
  ) -> [Double] {
    let (batches, heads, queries, keys, depth) = extents
    var result: [Double] = []
    for b in 0..<batches {
      for h in 0..<heads {
        let head = b * heads + h
        for i in 0..<queries {
          let scores = (0..<keys).map { j in
            (0..<depth).reduce(0.0) {
              $0 + Double(q[(head * queries + i) * depth + $1]) * Double(k[(head * keys + j) * depth + $1])
            } * scale + mask(b, h, i, j)
          }
          let highest = scores.max() ?? 0
          let weights = scores.map { exp($0 - highest) }
          let sum = weights.reduce(0, +)
          for c in 0..<depth {
            let total = (0..<keys).reduce(0.0) { $0 + weights[$1] * Double(v[(head * keys + $1) * depth + c]) }
            result.append(highest == -.infinity ? hidden : total / sum)
          }
        }
      }
    }
    return result
  }

  /// Numbers of queries for which kernels differ, and masks that repeat along any axis.
  @Test(arguments: [1, 3, 9, 70], [[2, 2, 1, 1], [1, 2, 1, 1], [2, 1, 0, 1], [1, 1, 0, 1], [1, 1, 0, 0], [1, 1, 1, 0]])
  func masksOfEveryShapeHideKeys(_ queries: Int, _ form: [Int]) throws {
    let extents = (b: 2, h: 2, s: queries, t: 37, d: 8)
    let shape = [form[0], form[1], form[2] == 0 ? 1 : queries, form[3] == 0 ? 1 : 37]
    var random = SeededGenerator(seed: UInt64(queries * 100 + form.reduce(0) { $0 * 3 + $1 }))
    let (q, k, v) = (random.floats(4 * queries * 8), random.floats(4 * 37 * 8), random.floats(4 * 37 * 8))
    let visible = random.floats(shape.reduce(1, *)).map { $0 > -0.2 }
    func sees(_ b: Int, _ h: Int, _ i: Int, _ j: Int) -> Bool {
      let index = zip([b, h, i, j], shape).reduce(0) { $0 * $1.1 + ($1.1 == 1 ? 0 : $1.0) }
      return visible[index]
    }
    let tensor = { (shape: [Int], elements: [Float]) in TestOperand.tensor(HostTensor(.float32, shape, elements)) }
    let operands = [tensor([2, 2, queries, 8], q), tensor([2, 2, 37, 8], k), tensor([2, 2, 37, 8], v)]
    let masks = [
      TestOperand.tensor(HostTensor(.bool, shape, visible)),
      .tensor(HostTensor(.float32, shape, visible.map { $0 ? Float(0) : -.infinity })),
    ]
    for hiddenIsZero in [true, false] {
      let expected = reference(
        q, k, v, mask: { sees($0, $1, $2, $3) ? 0 : -.infinity }, extents, scale: 0.4, hidden: hiddenIsZero ? 0 : .nan)
      for mask in masks {
        let result = try runTensorOperator(Attention(scale: 0.4, hiddenIsZero: hiddenIsZero), operands + [mask])
        #expect(result.shape == [2, 2, queries, 8])
        for (index, (own, wanted)) in zip(result.elements(as: Float.self), expected).enumerated() {
          if wanted.isNaN ? !own.isNaN : !(abs(Double(own) - wanted) < 1e-5) {
            Issue.record("element \(index): \(own), expected \(wanted)")
            return
          }
        }
      }
    }
  }
}
