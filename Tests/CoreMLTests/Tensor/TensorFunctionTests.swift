import CoreML
import Testing

/// Functions of scalars, products of matrices and softmax.
struct TensorFunctionTests {
  private struct Case: Sendable {
    let name: String
    let tensor: @Sendable (MLTensor) -> MLTensor
    let number: @Sendable (Double) -> Double
    var range: ClosedRange<Double> = -3...3
    var isReal = true
  }

  @Test(arguments: 0..<24)
  func `functions of each scalar`(number: Int) async {
    let cases: [Case] = [
      Case(name: "abs", tensor: { $0.abs() }, number: { abs($0) }, isReal: false),
      Case(name: "acos", tensor: { $0.acos() }, number: { acos($0) }, range: -1...1),
      Case(name: "acosh", tensor: { $0.acosh() }, number: { acosh($0) }, range: 1...9),
      Case(name: "asin", tensor: { $0.asin() }, number: { asin($0) }, range: -1...1),
      Case(name: "asinh", tensor: { $0.asinh() }, number: { asinh($0) }),
      Case(name: "atan", tensor: { $0.atan() }, number: { atan($0) }),
      Case(name: "atanh", tensor: { $0.atanh() }, number: { atanh($0) }, range: -0.875...0.875),
      Case(name: "ceil", tensor: { $0.ceil() }, number: { ceil($0) }, isReal: false),
      Case(name: "cos", tensor: { $0.cos() }, number: { cos($0) }),
      Case(name: "cosh", tensor: { $0.cosh() }, number: { cosh($0) }),
      Case(name: "exp", tensor: { $0.exp() }, number: { exp($0) }),
      Case(name: "exp2", tensor: { $0.exp2() }, number: { exp2($0) }),
      Case(name: "floor", tensor: { $0.floor() }, number: { floor($0) }, isReal: false),
      Case(name: "log", tensor: { $0.log() }, number: { log($0) }, range: 0.125...9),
      Case(name: "reciprocal", tensor: { $0.reciprocal() }, number: { 1 / $0 }, range: 0.5...9),
      Case(name: "round", tensor: { $0.round() }, number: { $0.rounded(.toNearestOrEven) }, isReal: false),
      Case(name: "rsqrt", tensor: { $0.rsqrt() }, number: { 1 / $0.squareRoot() }, range: 0.5...9),
      Case(name: "sign", tensor: { $0.sign() }, number: { $0 > 0 ? 1 : $0 < 0 ? -1 : 0 }, isReal: false),
      Case(name: "sin", tensor: { $0.sin() }, number: { sin($0) }),
      Case(name: "sinh", tensor: { $0.sinh() }, number: { sinh($0) }),
      Case(name: "squareRoot", tensor: { $0.squareRoot() }, number: { $0.squareRoot() }, range: 0...9),
      Case(name: "squared", tensor: { $0.squared() }, number: { $0 * $0 }, isReal: false),
      Case(name: "tan", tensor: { $0.tan() }, number: { tan($0) }, range: -1.25...1.25),
      Case(name: "tanh", tensor: { $0.tanh() }, number: { tanh($0) }),
    ]
    let item = cases[number]
    for shape in sampleShapes {
      let count = shape.elementCount
      let width = item.range.upperBound - item.range.lowerBound
      // Multiples of 1/64, which Float16 holds too.
      let x = (0..<count).map { index in
        let part = Double(index * 5 % max(count, 1)) / Double(max(count, 1))
        return ((item.range.lowerBound + width * part) * 64).rounded(.up) / 64
      }
      let expected = x.map(item.number)
      let single = item.tensor(MLTensor(x, shape: shape, as: Float.self))
      #expect(await matches(single, shape, expected, Float.self, tolerance: 3e-6), "\(item.name) \(shape)")
      let half = item.tensor(MLTensor(x, shape: shape, as: Float16.self))
      #expect(await matches(half, shape, expected, Float16.self, tolerance: 2e-3), "\(item.name) \(shape)")
    }
    // 1 is in the domain of all functions but one.
    let expected = item.number(1)
    for type in scalarTypes where expected.isFinite && type != Float.self && type != Float16.self {
      let result: any MLTensorScalar.Type = item.isReal ? Float.self : type == Bool.self ? Int32.self : type
      let tensor = item.tensor(MLTensor([1], shape: [1], as: type))
      #expect(await matches(tensor, [1], [expected], result, tolerance: 3e-6), "\(item.name) of \(type)")
    }
  }

  @Test func `ties round to even numbers, and functions outside their domain give NaN or infinities`() async {
    #expect(await matches(MLTensor([0.5, 1.5, 2.5, -0.5, -1.5] as [Float]).round(), [5], [0, 2, 2, 0, -2]))
    #expect(await matches(MLTensor([-1, 0] as [Float]).log(), [2], [.nan, -.infinity]))
    #expect(await matches(MLTensor([-1, 0] as [Float]).squareRoot(), [2], [.nan, 0]))
    #expect(await matches(MLTensor([0] as [Float]).reciprocal(), [1], [.infinity]))
    #expect(await matches(MLTensor([0] as [Float]).rsqrt(), [1], [.infinity]))
  }

  @Test func `powers of scalars`() async {
    let x = MLTensor([1, 2, 3] as [Float])
    #expect(await matches(x.pow(2), [3], [1, 4, 9], Float.self))
    #expect(await matches(x.pow(Float(0.5)), [3], [1, 2.0.squareRoot(), 3.0.squareRoot()], Float.self, tolerance: 1e-6))
    #expect(await matches(x.pow(MLTensor([0, 3, -1] as [Float])), [3], [1, 8, 1.0 / 3], tolerance: 1e-6))
    #expect(await matches(MLTensor([2, -3] as [Int32]).pow(Int32(3)), [2], [8, -27], Int32.self))
    #expect(await matches(MLTensor([Float16(3)]).pow(2.0), [1], [9], Float16.self))
  }

  @Test func `bounds of scalars`() async {
    let x = MLTensor([-2, 0.25, 3, .nan] as [Float])
    #expect(await matches(x.clamped(to: -1...1), [4], [-1, 0.25, 1, .nan], Float.self))
    #expect(await matches(x.clamped(to: 0...), [4], [0, 0.25, 3, .nan]))
    #expect(await matches(x.clamped(to: ...0.5), [4], [-2, 0.25, 0.5, .nan]))
    #expect(await matches(MLTensor([-5, 0, 2_000_000_001] as [Int32]).clamped(to: -1...3e9), [3], [-1, 0, 2_000_000_001], Int32.self))
    #expect(await matches(MLTensor([Float16(9)]).clamped(to: ...2), [1], [2], Float16.self))
    for type in scalarTypes where type != Bool.self {
      #expect(await matches(MLTensor([0, 1, 5], shape: [3], as: type).clamped(to: 1...4), [3], [1, 1, 4], type))
    }
  }

  @Test func `products of matrices of every rank`() async {
    let shapes: [([Int], [Int])] = [
      ([4], [4]), ([3, 4], [4]), ([4], [4, 2]), ([3, 4], [4, 2]), ([2, 3, 4], [2, 4, 2]), ([2, 3, 4], [4, 2]), ([3, 4], [5, 4, 1]),
      ([2, 1, 3, 4], [5, 4, 2]), ([1, 4], [4, 1]), ([0, 4], [4, 2]), ([3, 0], [0, 2]), ([2, 3, 4], [4]),
    ]
    for (first, second) in shapes {
      for type: any MLTensorScalar.Type in [Float.self, Float16.self, Int32.self] as [any MLTensorScalar.Type] {
        let (x, y) = (samples(first.elementCount, as: type), samples(second.elementCount, as: type, from: 3))
        let (left, right) = (first.count == 1 ? [1] + first : first, second.count == 1 ? second + [1] : second)
        let (m, k, n) = (left[left.count - 2], left[left.count - 1], right[right.count - 1])
        // Each batch's numbers, broadcast.
        let leftBatch = (Array(left.dropLast(2)), (0..<left.dropLast(2).reduce(1, *)).map { Double($0) })
        let rightBatch = (Array(right.dropLast(2)), (0..<right.dropLast(2).reduce(1, *)).map { Double($0) })
        let (pairs, batch) = broadcast((leftBatch.1, leftBatch.0), (rightBatch.1, rightBatch.0)) { $0 * 1000 + $1 }
        var expected: [Double] = []
        for pair in pairs {
          let (a, b) = (Int(pair) / 1000 * m * k, Int(pair) % 1000 * k * n)
          for i in 0..<m {
            for j in 0..<n {
              var sum = 0.0
              for step in 0..<k { sum += x[a + i * k + step] * y[b + step * n + j] }
              expected.append(sum)
            }
          }
        }
        let shape = batch + (first.count == 1 ? [] : [m]) + (second.count == 1 ? [] : [n])
        let product = MLTensor(x, shape: first, as: type).matmul(MLTensor(y, shape: second, as: type))
        #expect(await matches(product, shape, expected, type, tolerance: type == Float16.self ? 2e-3 : 1e-6))
      }
    }
    for type in scalarTypes {
      let result: any MLTensorScalar.Type = type == Bool.self ? Int32.self : type
      let (a, b) = (MLTensor([1, 0, 1, 1], shape: [2, 2], as: type), MLTensor([1, 1, 0, 1], shape: [2, 2], as: type))
      #expect(await matches(a.matmul(b), [2, 2], [1, 1, 1, 2], result))
      #expect(await matches(a.matmul(MLTensor(ones: [2, 2], scalarType: Float.self)), [2, 2], [1, 1, 2, 2], Float.self))
    }
    await #expect(processExitsWith: .failure) {
      _ = MLTensor(zeros: [2, 3], scalarType: Float.self).matmul(MLTensor(zeros: [2, 3], scalarType: Float.self))
    }
  }

  @Test func `softmax along any axis`() async {
    let shape = [2, 3, 4]
    let x = samples(24, as: Float.self)
    for axis in -3..<3 {
      let normal = axis < 0 ? axis + 3 : axis
      let expected = shape.positions.map { position in
        func power(_ index: Int) -> Double {
          var other = position
          other[normal] = index
          return exp(x[shape.offset(of: other)])
        }
        return power(position[normal]) / (0..<shape[normal]).reduce(0) { $0 + power($1) }
      }
      let tensor = MLTensor(x, shape: shape, as: Float.self)
      #expect(await matches(tensor.softmax(alongAxis: axis), shape, expected, Float.self, tolerance: 1e-6))
    }
    #expect(await matches(MLTensor([1000, 1000] as [Float]).softmax(), [2], [0.5, 0.5]))
    #expect(await matches(MLTensor([Float16(0), -.infinity]).softmax(), [2], [1, 0], Float16.self))
    #expect(await matches(MLTensor(zeros: [0, 2], scalarType: Float.self).softmax(), [0, 2], []))
    for type in scalarTypes where type != Float16.self {
      #expect(await matches(MLTensor([1, 1], shape: [2], as: type).softmax(), [2], [0.5, 0.5], Float.self))
    }
  }

  @Test func `a long expression of literals and tensors compiles and is exact`() async {
    let x = MLTensor([-1, 0, 0.5, 2] as [Float])
    let gelu = 0.5 * x * (1 + (sqrt(2 / Float.pi) * (x + 0.044715 * x.pow(3))).tanh())
    let expected = [-1, 0, 0.5, 2].map { (x: Double) -> Double in
      let inner: Double = x + 0.044715 * x * x * x
      return 0.5 * x * (1 + tanh((2 / Double.pi).squareRoot() * inner))
    }
    #expect(await matches(gelu, [4], expected, Float.self, tolerance: 1e-6))
  }
}
