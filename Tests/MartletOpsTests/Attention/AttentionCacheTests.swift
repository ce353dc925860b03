import Foundation
import MartletGraph
import MartletOps
import MartletTensor
import MartletTesting
import Testing

/// Attention over caches: 8-bit keys with scales, keys of other types than the queries', the keys of the current step apart.
@Suite struct AttentionCacheTests {
  /// Batches, query heads, key heads, queries, capacity, depth and value depth.
  struct Extents: Sendable {
    var b = 1, h = 4, g = 2, s = 1, t = 37, d = 8, e = 8
  }

  /// A cache [b, g, t, d] and the numbers that it holds, in double precision.
  private struct Cache {
    var operands: [TestOperand] = []
    var numbers: [Double]
    var scales: HostTensor?
    var zeroPoints: HostTensor?

    init(_ type: DType, _ extents: Extents, depth: Int, _ random: inout SeededGenerator) {
      let shape = [extents.b, extents.g, extents.t, depth]
      let rows = extents.b * extents.g * extents.t
      if type == .int8 {
        let stored = random.floats(rows * depth).map { Int8(clamping: Int($0 * 128)) }
        let scales = random.floats(rows).map { abs($0) * 0.05 + 0.001 }
        let points = random.floats(rows).map { Int8(clamping: Int($0 * 100)) }
        numbers = stored.enumerated().map { Double(Int($1) - Int(points[$0 / depth])) * Double(scales[$0 / depth]) }
        operands = [.tensor(HostTensor(.int8, shape, stored))]
        self.scales = HostTensor(.float32, shape.dropLast() + [1], scales)
        zeroPoints = HostTensor(.int8, shape.dropLast() + [1], points)
        return
      }
      // Numbers that half precision has, too.
      let values = random.floats(rows * depth).map { ($0 * 64).rounded() / 64 }
      numbers = values.map(Double.init)
      switch type {
      case .float16: operands = [.tensor(HostTensor(.float16, shape, values.map { Self.float16($0) }))]
      case .bfloat16: operands = [.tensor(HostTensor(.bfloat16, shape, values.map { UInt16($0.bitPattern >> 16) }))]
      default: operands = [.tensor(HostTensor(.float32, shape, values))]
      }
    }

    /// The pattern of a multiple of 1/64 of magnitude up to 1.
    private static func float16(_ value: Float) -> UInt16 {
      let magnitude = abs(value)
      let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
      guard magnitude > 0 else { return sign }
      return sign | UInt16(Int(magnitude.exponent) + 15) << 10 | UInt16(magnitude.significandBitPattern >> 13)
    }
  }

  private func reference(
    _ q: [Float], _ k: [Double], _ v: [Double], _ x: Extents, scale: Double, sees: (Int, Int) -> Bool
  ) -> [Double] {
    var result: [Double] = []
    for b in 0..<x.b {
      for h in 0..<x.h {
        let head = b * x.g + h / (x.h / x.g)
        for i in 0..<x.s {
          let row = ((b * x.h + h) * x.s + i) * x.d
          let scores = (0..<x.t).map { (j: Int) -> Double in
            guard sees(i, j) else { return -.infinity }
            let key = (head * x.t + j) * x.d
            var sum = 0.0
            for c in 0..<x.d { sum += Double(q[row + c]) * k[key + c] }
            return sum * scale
          }
          let highest = scores.max()!
          let weights = scores.map { exp($0 - highest) }
          let sum = weights.reduce(0, +)
          for c in 0..<x.e {
            var weighted = 0.0
            for j in 0..<x.t where weights[j] != 0 { weighted += weights[j] * v[(head * x.t + j) * x.e + c] }
            result.append(weighted / sum)
          }
        }
      }
    }
    return result
  }

  private static let shapes = [
    Extents(), Extents(b: 2, h: 6, g: 2, t: 600, d: 20, e: 33), Extents(h: 7, g: 1, t: 300, d: 64, e: 64),
    Extents(h: 2, g: 2, s: 3, t: 50, d: 5, e: 7), Extents(h: 4, g: 2, s: 9, t: 70, d: 16, e: 16),
    Extents(h: 14, g: 2, s: 1, t: 1100, d: 16, e: 16),
  ]

  @Test(arguments: [DType.float32, .float16, .bfloat16, .int8], shapes.indices)
  func readsOnlyWhatCounts(_ type: DType, _ number: Int) throws {
    let x = Self.shapes[number]
    var random = SeededGenerator(seed: UInt64(number))
    let q = random.floats(x.b * x.h * x.s * x.d)
    let keys = Cache(type, x, depth: x.d, &random), values = Cache(type, x, depth: x.e, &random)
    for start in [0, x.t / 3, x.t - x.s] {
      for hasLatest in [false, true] {
        var (k, v) = (keys.numbers, values.numbers)
        let latestK = random.floats(x.b * x.g * x.s * x.d), latestV = random.floats(x.b * x.g * x.s * x.e)
        if hasLatest {
          for head in 0..<x.b * x.g {
            for row in 0..<x.s {
              for c in 0..<x.d { k[(head * x.t + start + row) * x.d + c] = Double(latestK[(head * x.s + row) * x.d + c]) }
              for c in 0..<x.e { v[(head * x.t + start + row) * x.e + c] = Double(latestV[(head * x.s + row) * x.e + c]) }
            }
          }
        }
        func optional(_ tensor: HostTensor?) -> TestOperand { tensor.map { .tensor($0) } ?? .absent }
        let operands: [TestOperand] =
          [.tensor(HostTensor(.float32, [x.b, x.h, x.s, x.d], q)), keys.operands[0], values.operands[0], .absent]
          + [keys.scales, keys.zeroPoints, values.scales, values.zeroPoints].map(optional)
          + (hasLatest
            ? [
              .tensor(HostTensor(.float32, [x.b, x.g, x.s, x.d], latestK)), .tensor(HostTensor(.float32, [x.b, x.g, x.s, x.e], latestV)),
            ] : [.absent, .absent])
          + [.runtimeNumber(.int(Int64(start)))]
        var op = Attention(scale: 0.2, isCausal: true, start: .operand(Attention.tensorCount))
        if hasLatest { op.latestStart = .operand(Attention.tensorCount) }
        let expected = reference(q, k, v, x, scale: 0.2) { $1 <= start + $0 }
        var single: [UInt32] = []
        for threads in [1, 2, 3] {
          let result = try runTensorOperator(op, operands, threads: threads)
          let own = result.elements(as: Float.self)
          for (index, (value, wanted)) in zip(own, expected).enumerated() where !(abs(Double(value) - wanted) < 2e-5 * max(abs(wanted), 1))
          {
            Issue.record("\(type), shape \(number), start \(start), latest \(hasLatest), element \(index): \(value), expected \(wanted)")
            return
          }
          // Results do not depend on the number of threads.
          if single.isEmpty { single = own.map(\.bitPattern) }
          #expect(single == own.map(\.bitPattern))
        }
      }
    }
  }

  /// Keys that a mask hides from every query are not read: what lies there, NaN for instance, has no effect.
  @Test(arguments: [1, 3], [false, true]) func hiddenKeysAreNotRead(_ queries: Int, _ isBool: Bool) throws {
    let x = Extents(h: 4, g: 2, s: queries, t: 700, d: 16, e: 16)
    var random = SeededGenerator(seed: 7)
    let q = random.floats(x.h * x.s * x.d)
    var (k, v) = (random.floats(x.g * x.t * x.d), random.floats(x.g * x.t * x.e))
    // A window that neither begins nor ends at a block of keys.
    let visible = 203..<451
    for head in 0..<x.g {
      for row in 0..<x.t where !visible.contains(row) {
        for c in 0..<16 {
          k[(head * x.t + row) * 16 + c] = .nan
          v[(head * x.t + row) * 16 + c] = .nan
        }
      }
    }
    let seen = (0..<x.s).flatMap { i in (0..<x.t).map { visible.contains($0) && $0 % 7 != i } }
    let mask = isBool ? HostTensor(.bool, [x.s, x.t], seen) : HostTensor(.float32, [x.s, x.t], seen.map { $0 ? Float(0) : -.infinity })
    let result = try runTensorOperator(
      Attention(scale: 0.2),
      [
        .tensor(HostTensor(.float32, [1, x.h, x.s, x.d], q)), .tensor(HostTensor(.float32, [1, x.g, x.t, x.d], k)),
        .tensor(HostTensor(.float32, [1, x.g, x.t, x.e], v)), .tensor(mask),
      ])
    let expected = reference(q, k.map(Double.init), v.map(Double.init), x, scale: 0.2) { seen[$0 * x.t + $1] }
    for (value, wanted) in zip(result.elements(as: Float.self), expected) { #expect(abs(Double(value) - wanted) < 1e-5) }
  }

  @Test func operandsThatDoNotFitAreRejected() {
    let q = TestOperand.tensor(HostTensor(.float32, [1, 2, 1, 4], [Float](repeating: 1, count: 8)))
    let k = TestOperand.tensor(HostTensor(.int8, [1, 2, 3, 4], [Int8](repeating: 1, count: 24)))
    let scales = TestOperand.tensor(HostTensor(.float32, [1, 2, 3, 1], [Float](repeating: 1, count: 6)))
    let wide = TestOperand.tensor(HostTensor(.float32, [1, 2, 3, 4], [Float](repeating: 1, count: 24)))
    #expect(throws: (any Error).self) { try runOperator(Attention(scale: 1), [q, k, k]) }
    #expect(throws: (any Error).self) { try runOperator(Attention(scale: 1), [q, k, k, .absent, scales, .absent, wide]) }
    #expect(throws: (any Error).self) { try runOperator(Attention(scale: 1), [q, k, wide, .absent, scales, .absent, scales]) }
    #expect(throws: Never.self) { try runOperator(Attention(scale: 1), [q, k, k, .absent, scales, .absent, scales]) }
    // A position beyond the cache is an error when the plan runs.
    var latest = Attention(scale: 1)
    latest.latestStart = .operand(Attention.tensorCount)
    let row = TestOperand.tensor(HostTensor(.float32, [1, 2, 1, 4], [Float](repeating: 1, count: 8)))
    let none = [TestOperand](repeating: .absent, count: 5)
    for (position, fits) in [(0, true), (2, true), (3, false), (-1, false)] {
      let operands = [q, wide, wide] + none + [row, row, .runtimeNumber(.int(Int64(position)))]
      if fits {
        #expect(throws: Never.self) { try runOperator(latest, operands) }
      } else {
        #expect(throws: (any Error).self) { try runOperator(latest, operands) }
      }
    }
  }
}
