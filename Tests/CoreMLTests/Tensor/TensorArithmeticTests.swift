import CoreML
import Testing

/// Operators, against the same computation on lists of numbers.
struct TensorArithmeticTests {
  private typealias Operator = (MLTensor, MLTensor) -> MLTensor

  /// Pairs of shapes that broadcast.
  private let pairs: [([Int], [Int])] = [
    ([], []), ([3], []), ([], [2, 3]), ([3], [2, 3]), ([2, 1], [1, 3]), ([2, 3], [2, 3]), ([4, 1, 2], [3, 1]), ([2, 1, 1, 3], [2, 1, 1]),
    ([0], [1]), ([2, 0], [1]), ([1, 1], [1, 1, 1]),
  ]

  @Test(arguments: 0..<9)
  func `sums, differences and products of every type broadcast`(number: Int) async {
    let type = scalarTypes[number]
    let result: any MLTensorScalar.Type = type == Bool.self ? Int32.self : type
    let operators: [(Operator, (Double, Double) -> Double)] = [({ $0 + $1 }, { $0 + $1 }), ({ $0 * $1 }, { $0 * $1 })]
    for (first, second) in pairs {
      let (x, y) = (samples(first.elementCount, as: type), samples(second.elementCount, as: type, from: 4))
      let (a, b) = (MLTensor(x, shape: first, as: type), MLTensor(y, shape: second, as: type))
      for (tensors, numbers) in operators {
        let expected = broadcast((x, first), (y, second), numbers)
        #expect(await matches(tensors(a, b), expected.shape, expected.numbers, result))
      }
      // Unsigned numbers stay above 0.
      let difference = broadcast((x, first), (y, second)) { $0 + 10 - $1 }
      #expect(await matches((a + 10) - b, difference.shape, difference.numbers, result))
    }
  }

  @Test func `extrema and comparisons`() async {
    for type in scalarTypes {
      let (x, y) = (samples(6, as: type), samples(3, as: type, from: 5))
      let (a, b) = (MLTensor(x, shape: [2, 3], as: type), MLTensor(y, shape: [3], as: type))
      func check(_ tensor: MLTensor, _ result: any MLTensorScalar.Type, _ function: @escaping (Double, Double) -> Double) async -> Bool {
        await matches(tensor, [2, 3], broadcast((x, [2, 3]), (y, [3]), function).numbers, result)
      }
      #expect(await check(pointwiseMax(a, b), type) { max($0, $1) })
      #expect(await check(pointwiseMin(a, b), type) { min($0, $1) })
      #expect(await check(a .== b, Bool.self) { $0 == $1 ? 1 : 0 })
      #expect(await check(a .!= b, Bool.self) { $0 != $1 ? 1 : 0 })
      #expect(await check(a .< b, Bool.self) { $0 < $1 ? 1 : 0 })
      #expect(await check(a .> b, Bool.self) { $0 > $1 ? 1 : 0 })
      #expect(await check(a .<= b, Bool.self) { $0 <= $1 ? 1 : 0 })
      #expect(await check(a .>= b, Bool.self) { $0 >= $1 ? 1 : 0 })
    }
    let x = MLTensor([-1, 0, 2] as [Float])
    let zero: Float = 0
    #expect(await matches(x .> zero, [3], [0, 0, 1], Bool.self))
    #expect(await matches(x .>= zero, [3], [0, 1, 1]))
    #expect(await matches(x .< zero, [3], [1, 0, 0]))
    #expect(await matches(x .<= zero, [3], [1, 1, 0]))
    #expect(await matches(x .== zero, [3], [0, 1, 0]))
    #expect(await matches(x .!= 0.0, [3], [1, 0, 1]))
    #expect(await matches(pointwiseMax(x, zero), [3], [0, 0, 2]))
    #expect(await matches(pointwiseMin(zero, x), [3], [-1, 0, 0]))
  }

  @Test func `NaN is greater than and less than nothing, and the extremum of what it is part of`() async {
    let x = MLTensor([Float.nan, 1, -.infinity])
    let y = MLTensor([1, Float.nan, 0])
    #expect(await matches(pointwiseMax(x, y), [3], [.nan, .nan, 0]))
    #expect(await matches(pointwiseMin(x, y), [3], [.nan, .nan, -.infinity]))
    #expect(await matches(x .== x, [3], [0, 1, 1]))
    #expect(await matches(x .!= x, [3], [1, 0, 0]))
    #expect(await matches(x .< y, [3], [0, 0, 1]))
    #expect(await matches(x + y, [3], [.nan, .nan, -.infinity]))
  }

  @Test func `quotients and remainders`() async {
    let x = MLTensor([7, -7, 7, -7] as [Float])
    let y = MLTensor([2, 2, -2, -2] as [Float])
    #expect(await matches(x / y, [4], [3.5, -3.5, -3.5, 3.5], Float.self))
    #expect(await matches(x % y, [4], [1, 1, -1, -1], Float.self))
    let (i, j) = (x.cast(to: Int32.self), y.cast(to: Int32.self))
    #expect(await matches(i / j, [4], [3, -3, -3, 3], Int32.self))
    #expect(await matches(i % j, [4], [1, 1, -1, -1], Int32.self))
    #expect(await matches(x / 0.0, [4], [.infinity, -.infinity, .infinity, -.infinity]))
    #expect(await matches(MLTensor([5.5, -5.5] as [Float]) % 2.0, [2], [1.5, 0.5]))
    // Int32 beyond what Float holds.
    #expect(await matches(MLTensor([2_000_000_001] as [Int32]) / 2, [1], [1_000_000_000], Int32.self))
    #expect(await matches(1 / MLTensor([4.0]), [1], [0.25]))
    #expect(await matches(7 % MLTensor([4] as [Int32]), [1], [3], Int32.self))
    #expect(await matches(7 - MLTensor([4] as [Int32]), [1], [3], Int32.self))
  }

  @Test func `integers wrap around`() async {
    #expect(await matches(MLTensor([Int8(127)]) + 1, [1], [-128], Int8.self))
    #expect(await matches(MLTensor([UInt8(3)]) - MLTensor([UInt8(5)]), [1], [254], UInt8.self))
    #expect(await matches((MLTensor([UInt8(200)]) * 2) / 2, [1], [72], UInt8.self))
    #expect(await matches(MLTensor([Int32.max]) + 1, [1], [Double(Int32.min)], Int32.self))
    #expect(await matches(-MLTensor([UInt32(1)]), [1], [4_294_967_295], UInt32.self))
  }

  @Test func `types of operands are joined, and numbers take the tensor's type if that is of their kind`() async {
    let half = MLTensor([Float16(2)])
    let integer = MLTensor([Int32(3)])
    let truth = MLTensor([true, false])
    let float: Float = 0.5
    #expect(await matches(half * float, [1], [1], Float16.self))
    #expect(await matches(half * 0.5, [1], [1], Float16.self))
    #expect(await matches(half * 2, [1], [4], Float16.self))
    #expect(await matches(half * MLTensor([Float(3)]), [1], [6], Float.self))
    #expect(await matches(integer * 2, [1], [6], Int32.self))
    #expect(await matches(integer * float, [1], [1.5], Float.self))
    #expect(await matches(integer + half, [1], [5], Float16.self))
    #expect(await matches(truth * 1000.0, [2], [1000, 0], Float.self))
    #expect(await matches(truth * 3, [2], [3, 0], Int32.self))
    #expect(await matches(truth + truth, [2], [2, 0], Int32.self))
    #expect(await matches(MLTensor([UInt8(1)]) + integer, [1], [4], Int32.self))
    #expect(await matches(MLTensor([UInt8(1)]) + MLTensor([Int8(-1)]), [1], [0], Int16.self))
    let literal: MLTensor = 0.5
    #expect(await matches(literal + literal, [], [1], Float.self))
    #expect(await matches(half + (literal + literal), [1], [3], Float16.self))
  }

  @Test func `compound assignments and negation`() async {
    var x = MLTensor([1, 2, 3] as [Float])
    x += MLTensor([1.0])
    #expect(await matches(x, [3], [2, 3, 4]))
    x -= 1.0
    x *= 3.0
    #expect(await matches(x, [3], [3, 6, 9]))
    x /= 2.0
    #expect(await matches(x, [3], [1.5, 3, 4.5]))
    x %= 2.0
    #expect(await matches(-x, [3], [-1.5, -1, -0.5]))
  }

  @Test func `logic of truth values`() async {
    let x = MLTensor([false, false, true, true])
    let y = MLTensor([false, true, false, true])
    #expect(await matches(x .& y, [4], [0, 0, 0, 1], Bool.self))
    #expect(await matches(x .| y, [4], [0, 1, 1, 1], Bool.self))
    #expect(await matches(x .^ y, [4], [0, 1, 1, 0], Bool.self))
    #expect(await matches(.!x, [4], [1, 1, 0, 0], Bool.self))
    #expect(await matches(x .| true, [4], [1, 1, 1, 1], Bool.self))
  }

  @Test func `operands that do not fit stop the program, and say so`() async {
    func text(_ result: ExitTest.Result?) -> String { String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) }
    let shapes = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MLTensor(zeros: [2, 3], scalarType: Float.self) + MLTensor(zeros: [2], scalarType: Float.self)
    }
    #expect(text(shapes).contains("MLTensor.+") && text(shapes).contains("[2, 3]"))
    let truth = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = MLTensor([1.0]) .& MLTensor([true]) }
    #expect(text(truth).contains("MLTensor..&"))
    let types = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MLTensor([Int32(1)]) + MLTensor([UInt32(1)])
    }
    #expect(text(types).contains("no common type"))
    let wanted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await MLTensor([1.0]).shapedArray(of: Int32.self)
    }
    #expect(text(wanted).contains("Float"))
    // The engine's reasons, and those that only data have.
    let axis = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = MLTensor([1.0]).sum(alongAxes: 1) }
    #expect(text(axis).contains("MLTensor.sum(alongAxes:keepRank:): axis 1"))
    let index = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await MLTensor([1.0]).gathering(atIndices: MLTensor([1] as [Int32]), alongAxis: 0).shapedArray(of: Float.self)
    }
    #expect(text(index).contains("cannot be computed"))
  }
}
