import CoreML
import Testing

/// Reductions, positions, orders and running results, against the same computation on lists of numbers.
struct TensorReductionTests {
  /// What a function makes of the numbers along some axes.
  private func reduced(
    _ numbers: [Double], _ shape: [Int], _ axes: [Int], keepRank: Bool, _ function: ([Double]) -> Double
  ) -> (numbers: [Double], shape: [Int]) {
    let kept = shape.indices.map { axes.contains($0) ? 1 : shape[$0] }
    let inner = shape.indices.map { axes.contains($0) ? shape[$0] : 1 }
    let results = kept.positions.map { outer in
      function(inner.positions.map { position in numbers[shape.offset(of: zip(outer, position).map { $0 + $1 })] })
    }
    return (results, keepRank ? kept : shape.indices.filter { !axes.contains($0) }.map { shape[$0] })
  }

  @Test(arguments: 0..<9)
  func `reductions along all subsets of axes`(number: Int) async {
    let type = scalarTypes[number]
    let sumType: any MLTensorScalar.Type = type == Bool.self ? Int32.self : type
    let meanType: any MLTensorScalar.Type = type == Bool.self ? Float.self : type
    let isInteger = meanType != Float.self && meanType != Float16.self
    let tolerance = type == Float16.self ? 2e-3 : 1e-6
    for shape in [[], [1], [5], [2, 3], [2, 1, 3], [2, 3, 1, 2]] as [[Int]] {
      // Few enough that no type's sums overflow.
      let numbers = samples(shape.elementCount, as: type).map { isInteger ? ($0 / 3).rounded(.towardZero) : $0 }
      let tensor = MLTensor(numbers, shape: shape, as: type)
      for bits in 0..<(1 << shape.count) {
        let axes = shape.indices.filter { bits >> $0 & 1 == 1 }
        for keepRank in [false, true] {
          func check(
            _ tensor: MLTensor, _ type: any MLTensorScalar.Type, _ function: @escaping ([Double]) -> Double
          ) async -> Bool {
            let expected = reduced(numbers, shape, axes, keepRank: keepRank, function)
            return await matches(tensor, expected.shape, expected.numbers, type, tolerance: tolerance)
          }
          #expect(await check(tensor.sum(alongAxes: axes, keepRank: keepRank), sumType) { $0.reduce(0, +) })
          #expect(await check(tensor.max(alongAxes: axes, keepRank: keepRank), type) { $0.max()! })
          #expect(await check(tensor.min(alongAxes: axes, keepRank: keepRank), type) { $0.min()! })
          #expect(
            await check(tensor.mean(alongAxes: axes, keepRank: keepRank), meanType) {
              let mean = $0.reduce(0, +) / Double($0.count)
              return isInteger ? mean.rounded(.towardZero) : mean
            })
          if type == Float.self || type == Int32.self || type == Bool.self {
            #expect(await check(tensor.product(alongAxes: axes, keepRank: keepRank), sumType) { $0.reduce(1, *) })
          }
          if type == Bool.self {
            #expect(await check(tensor.all(alongAxes: axes, keepRank: keepRank), type) { $0.contains(0) ? 0 : 1 })
            #expect(await check(tensor.any(alongAxes: axes, keepRank: keepRank), type) { $0.contains(1) ? 1 : 0 })
          }
        }
      }
    }
  }

  @Test func `reductions of all scalars, and with axes as arguments`() async {
    let x = MLTensor(shape: [2, 3], scalars: [1, 2, 3, 4, 5, 6])
    #expect(await matches(x.sum(), [], [21]))
    #expect(await matches(x.sum(keepRank: true), [1, 1], [21]))
    #expect(await matches(x.sum(alongAxes: 0), [3], [5, 7, 9]))
    #expect(await matches(x.sum(alongAxes: -1, keepRank: true), [2, 1], [6, 15]))
    #expect(await matches(x.sum(alongAxes: 0, 1), [], [21]))
    #expect(await matches(x.mean(), [], [3.5]))
    #expect(await matches(x.mean(alongAxes: 1), [2], [2, 5]))
    #expect(await matches(x.product(), [], [720]))
    #expect(await matches(x.product(alongAxes: 1), [2], [6, 120]))
    #expect(await matches(x.max(), [], [6]))
    #expect(await matches(x.max(alongAxes: 0, keepRank: true), [1, 3], [4, 5, 6]))
    #expect(await matches(x.min(), [], [1]))
    #expect(await matches(x.min(alongAxes: -2), [3], [1, 2, 3]))
    let truth = x .> 2
    #expect(await matches(truth.all(), [], [0], Bool.self))
    #expect(await matches(truth.any(), [], [1], Bool.self))
    #expect(await matches(truth.all(alongAxes: 1), [2], [0, 1]))
    #expect(await matches(truth.any(alongAxes: 0, keepRank: true), [1, 3], [1, 1, 1]))
    #expect(await matches(MLTensor([1, .nan, 3] as [Float]).max(), [], [.nan]))
    #expect(await matches(MLTensor([1, .nan, 3] as [Float]).min(), [], [.nan]))
    // Of nothing.
    let nothing = MLTensor(zeros: [0, 2], scalarType: Float.self)
    #expect(await matches(nothing.sum(alongAxes: 0), [2], [0, 0]))
    #expect(await matches(nothing.product(alongAxes: 0), [2], [1, 1]))
    #expect(await matches(nothing.sum(alongAxes: 1), [0], []))
    #expect(await matches(nothing.mean(), [], [.nan]))
    await #expect(processExitsWith: .failure) { _ = MLTensor(zeros: [0, 2], scalarType: Float.self).max() }
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0]).sum(alongAxes: 1) }
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0]).all() }
  }

  @Test func `positions of extrema`() async {
    let x = MLTensor(shape: [2, 3], scalars: [2, 7, 7, -1, -5, 0])
    #expect(await matches(x.argmax(), [], [1], Int32.self))
    #expect(await matches(x.argmin(), [], [4], Int32.self))
    #expect(await matches(x.argmax(alongAxis: 0), [3], [0, 0, 0], Int32.self))
    #expect(await matches(x.argmax(alongAxis: -1), [2], [1, 2]))
    #expect(await matches(x.argmin(alongAxis: 1, keepRank: true), [2, 1], [0, 1]))
    #expect(await matches(x.argmax(alongAxis: 0, keepRank: true), [1, 3], [0, 0, 0]))
    #expect(await matches(MLTensor([1, .nan, 5, .nan] as [Float]).argmax(), [], [1]))
    #expect(await matches(MLTensor([4, .nan, 1] as [Float]).argmin(), [], [1]))
    for type in scalarTypes {
      let tensor = MLTensor([0, 1, 1, 0], shape: [4], as: type)
      #expect(await matches(tensor.argmax(), [], [1]))
      #expect(await matches(tensor.argmin(), [], [0]))
    }
    #expect(await matches(MLTensor(Float(3)).argmax(), [], [0]))
  }

  @Test func `orders are stable both ways`() async {
    for type in scalarTypes where type != Bool.self {
      let numbers = [3.0, 1, 2, 1, 3, 0]
      let tensor = MLTensor(numbers, shape: [6], as: type)
      #expect(await matches(tensor.argsort(), [6], [5, 1, 3, 2, 0, 4], Int32.self))
      #expect(await matches(tensor.argsort(descendingOrder: true), [6], [0, 4, 2, 1, 3, 5], Int32.self))
    }
    let x = MLTensor(shape: [2, 3], scalars: [3, 1, 2, 0, 5, 4])
    #expect(await matches(x.argsort(alongAxis: 0), [2, 3], [1, 0, 0, 0, 1, 1]))
    #expect(await matches(x.argsort(alongAxis: 1, descendingOrder: true), [2, 3], [0, 2, 1, 1, 2, 0]))
    #expect(await matches(MLTensor([1, .nan, 0] as [Float]).argsort(), [3], [2, 0, 1]))
    #expect(await matches(MLTensor(zeros: [0], scalarType: Float.self).argsort(), [0], []))
  }

  @Test func `the greatest scalars of the last axis`() async {
    let x = MLTensor(shape: [2, 4], scalars: [1, 4, 4, 2, -1, -2, 0, -3])
    let (values, indices) = x.topK(2)
    #expect(await matches(values, [2, 2], [4, 4, 0, -1], Float.self))
    #expect(await matches(indices, [2, 2], [1, 2, 2, 0], Int32.self))
    #expect(await matches(x.topK(0).values, [2, 0], []))
    #expect(await matches(x.cast(to: Int8.self).topK(1).values, [2, 1], [4, 0], Int8.self))
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0]).topK(3) }
  }

  @Test func `running sums and products along any axis`() async {
    for type in scalarTypes {
      let result: any MLTensorScalar.Type = type == Bool.self ? Int32.self : type
      for shape in [[1], [5], [0], [2, 3], [3, 1, 4], [0, 2], [2, 0, 2], [2, 2, 3, 2]] as [[Int]] {
        let isReal = type == Float.self || type == Float16.self
        let numbers = samples(shape.elementCount, as: type).map { isReal ? $0 : ($0 / 3).rounded(.towardZero) }
        let tensor = MLTensor(numbers, shape: shape, as: type)
        for axis in -shape.count..<shape.count {
          let normal = axis < 0 ? axis + shape.count : axis
          func running(_ start: Double, _ combine: (Double, Double) -> Double) -> [Double] {
            shape.positions.map { position in
              (0...position[normal]).reduce(start) { total, index in
                var other = position
                other[normal] = index
                return combine(total, numbers[shape.offset(of: other)])
              }
            }
          }
          let tolerance = type == Float16.self ? 4e-3 : 1e-6
          #expect(await matches(tensor.cumulativeSum(alongAxis: axis), shape, running(0, +), result, tolerance: tolerance))
          #expect(await matches(tensor.cumulativeProduct(alongAxis: axis), shape, running(1, *), result, tolerance: tolerance))
        }
      }
    }
    let long = MLTensor(rangeFrom: Float(0), to: 1000, by: 1)
    #expect(await matches(long.cumulativeSum()[999], [], [499_500]))
    #expect(await matches((long * 0 + 1.01).cumulativeProduct()[999], [], [Foundation.pow(Double(Float(1.01)), 1000)], tolerance: 1e-3))
    await #expect(processExitsWith: .failure) { _ = MLTensor(Float(1)).cumulativeSum() }
  }
}
