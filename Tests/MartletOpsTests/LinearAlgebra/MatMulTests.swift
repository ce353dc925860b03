import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// `a b + bias` in double precision for one matrix.
private func product(_ a: [Float], _ b: [Float], m: Int, k: Int, n: Int, bias: [Float]?) -> [Double] {
  (0..<m * n).map { index in
    let (i, j) = index.quotientAndRemainder(dividingBy: n)
    return (0..<k).reduce(bias.map { Double($0[j]) } ?? 0) { $0 + Double(a[i * k + $1]) * Double(b[$1 * n + j]) }
  }
}

private func expectClose(_ actual: [Float], _ expected: [Double], k: Int, _ comment: Comment) {
  let bound = 4e-7 * Double(max(k, 1))
  for (index, pair) in zip(actual, expected).enumerated() where abs(Double(pair.0) - pair.1) > bound {
    Issue.record("element \(index): \(pair.0), expected \(pair.1); \(comment)")
    return
  }
}

@Suite struct MatMulTests {
  static let extents = [(1, 1, 1), (1, 5, 3), (3, 0, 2), (0, 4, 2), (5, 7, 9), (14, 32, 32), (15, 33, 65), (29, 17, 31), (49, 130, 40)]

  @Test(arguments: extents) func constantAndVariableRightSidesGiveTheProduct(_ extent: (Int, Int, Int)) throws {
    let (m, k, n) = extent
    var random = SeededGenerator(seed: UInt64(m * 1000 + k * 100 + n))
    let a = random.floats(m * k)
    let b = random.floats(k * n)
    let bias = random.floats(n)
    let expected = product(a, b, m: m, k: k, n: n, bias: bias)
    let left = HostTensor(.float32, [m, k], a)
    let right = HostTensor(.float32, [k, n], b)
    let biases = TestOperand.constant(HostTensor(.float32, [n], bias))
    for side in [TestOperand.constant(right), .laidOutConstant(right, [1, 0]), .tensor(right), .laidOut(right, [1, 0])] {
      for leftSide in [TestOperand.tensor(left), .laidOut(left, [1, 0])] {
        let result = try runTensorOperator(MatMul(dtype: .float32), [leftSide, side, biases])
        #expect(result.shape == [m, n])
        expectClose(result.elements(), expected, k: k, "\(extent)")
      }
    }
  }

  @Test func batchesBroadcast() throws {
    var random = SeededGenerator(seed: 7)
    let a = random.floats(2 * 3 * 4 * 5)
    let b = random.floats(3 * 5 * 6)
    let right = HostTensor(.float32, [3, 5, 6], b)
    for side in [TestOperand.tensor(right), .constant(right), .laidOutConstant(right, [2, 0, 1])] {
      let result = try runTensorOperator(MatMul(dtype: .float32), [.tensor(HostTensor(.float32, [2, 3, 4, 5], a)), side])
      #expect(result.shape == [2, 3, 4, 6])
      for batch in 0..<6 {
        let expected = product(
          Array(a[batch * 20..<batch * 20 + 20]), Array(b[batch % 3 * 30..<batch % 3 * 30 + 30]), m: 4, k: 5, n: 6, bias: nil)
        expectClose(Array(result.elements(as: Float.self)[batch * 24..<batch * 24 + 24]), expected, k: 5, "batch \(batch)")
      }
    }
  }

  @Test func integersWrapAndDoublesKeepTheirPrecision() throws {
    let a = HostTensor(.int32, [1, 2], [Int32.max, 1])
    let b = HostTensor(.int32, [2, 1], [Int32(2), 5])
    #expect(try runTensorOperator(MatMul(dtype: .int32), [.tensor(a), .tensor(b)]).elements(as: Int32.self) == [3])
    let x = HostTensor(.float64, [1, 2], [1.0, 1e-17])
    let y = HostTensor(.float64, [2, 1], [1e-17, 1.0])
    #expect(try runTensorOperator(MatMul(dtype: .float64), [.tensor(x), .tensor(y)]).elements(as: Double.self) == [2e-17])
  }

  @Test func complexMatricesMultiply() throws {
    // (1 + 2i)(3 - i) + (-i)(2 + i) = 5 + 5i + 1 - 2i
    let a = HostTensor(.complex64, [1, 2], [SIMD2<Float>(1, 2), SIMD2(0, -1)])
    let b = HostTensor(.complex64, [2, 1], [SIMD2<Float>(3, -1), SIMD2(2, 1)])
    let product = try runTensorOperator(MatMul(dtype: .complex64), [.tensor(a), .tensor(b)])
    #expect(product.elements(as: SIMD2<Float>.self) == [SIMD2(6, 3)])
    // A real factor, a bias, batches, and complex128.
    let x = HostTensor(.complex128, [2, 1, 1], [SIMD2<Double>(1, 1e-17), SIMD2(0, 2)])
    let y = HostTensor(.float64, [1, 2], [3.0, -1])
    let bias = HostTensor(.complex128, [2], [SIMD2<Double>(0, 0), SIMD2(0, 1)])
    let sums = try runTensorOperator(MatMul(dtype: .complex128), [.tensor(x), .tensor(y), .tensor(bias)])
    #expect(sums.elements(as: SIMD2<Double>.self) == [SIMD2(3, 3e-17), SIMD2(-1, 1), SIMD2(0, 6), SIMD2(0, -1)])
    #expect(throws: (any Error).self) { try runTensorOperator(MatMul(dtype: .float32), [.tensor(a), .tensor(b)]) }
  }

  @Test func activationsApplyAfterBias() throws {
    let a = HostTensor(.float32, [1, 1], [Float(2)])
    let b = HostTensor(.float32, [1, 2], [Float(1), -3])
    let bias = HostTensor(.float32, [2], [Float(1), 1])
    let result = try runTensorOperator(
      MatMul(dtype: .float32, activation: .relu), [.tensor(a), .constant(b), .constant(bias)])
    #expect(result.elements(as: Float.self) == [3, 0])
  }

  @Test func extentsThatDoNotMatchAreRefused() {
    let a = HostTensor(zeros: .float32, shape: [2, 3])
    #expect(throws: (any Error).self) { try runTensorOperator(MatMul(dtype: .float32), [.tensor(a), .tensor(a)]) }
  }
}
