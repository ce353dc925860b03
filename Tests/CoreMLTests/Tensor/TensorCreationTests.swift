import CoreML
import Testing

/// How tensors come to be, and what is known of them at once.
struct TensorCreationTests {
  @Test func `scalars make tensors of their type`() async {
    #expect(await matches(MLTensor([1.0, 2.5] as [Float]), [2], [1, 2.5], Float.self))
    #expect(await matches(MLTensor([1.0, 2.5]), [2], [1, 2.5], Float.self))
    #expect(await matches(MLTensor([1, 2, 3] as [Int32]), [3], [1, 2, 3], Int32.self))
    #expect(await matches(MLTensor(Int32(2)..<5), [3], [2, 3, 4], Int32.self))
    #expect(await matches(MLTensor([1, 2, 3], scalarType: Float.self), [3], [1, 2, 3], Float.self))
    #expect(await matches(MLTensor([false, true, false]), [3], [0, 1, 0], Bool.self))
    #expect(await matches(MLTensor([Float16(0.5)]), [1], [0.5], Float16.self))
    #expect(await matches(MLTensor(Float(7)), [], [7], Float.self))
    #expect(await matches(MLTensor(3, scalarType: Int8.self), [], [3], Int8.self))
    #expect(await matches(MLTensor(true), [], [1], Bool.self))
    #expect(await matches(MLTensor(shape: [2, 2], scalars: [1, 2, 3, 4]), [2, 2], [1, 2, 3, 4], Float.self))
    #expect(await matches(MLTensor(shape: [2, 1], scalars: [1, 2] as [Int32]), [2, 1], [1, 2], Int32.self))
    #expect(await matches(MLTensor(shape: [1, 2], scalars: [1, 2], scalarType: UInt8.self), [1, 2], [1, 2], UInt8.self))
    #expect(await matches(MLTensor(shape: [0, 3], scalars: [] as [Float]), [0, 3], [], Float.self))
  }

  @Test func `every scalar type survives the way in and out`() async {
    for type in scalarTypes {
      for shape in sampleShapes {
        let numbers = samples(shape.elementCount, as: type)
        #expect(await matches(MLTensor(numbers, shape: shape, as: type), shape, numbers, type))
      }
    }
  }

  @Test func `literals are tensors of rank 0, and lists stack them`() async {
    let float: MLTensor = 1.5
    let integer: MLTensor = 3
    let truth: MLTensor = true
    let list: MLTensor = [[1.0, 2.0], [3.0, 4.0]]
    #expect(float.isScalar && integer.isScalar && truth.isScalar)
    #expect(float.scalarType == Float.self && integer.scalarType == Int32.self && truth.scalarType == Bool.self)
    #expect(await matches(float, [], [1.5]))
    #expect(await matches(integer, [], [3]))
    #expect(await matches(truth, [], [1]))
    #expect(await matches(list, [2, 2], [1, 2, 3, 4], Float.self))
    let empty: MLTensor = []
    #expect(await matches(empty, [0], [], Float.self))
  }

  @Test func `properties are known before anything is computed`() {
    let tensor = MLTensor(zeros: [2, 3, 4], scalarType: Float16.self)
    #expect(tensor.rank == 3 && tensor.shape == [2, 3, 4] && tensor.scalarCount == 24 && !tensor.isScalar)
    #expect(tensor.has(Float16.self))
    #expect("\(tensor)" == "MLTensor(shape: [2, 3, 4], scalarType: Float16)")
    #expect(Mirror(reflecting: tensor).children.map(\.label) == ["scalarType", "shape"] || Mirror(reflecting: tensor).children.count == 2)
    let sum = tensor.sum(alongAxes: 1) .> 0
    #expect(sum.shape == [2, 4] && sum.scalarType == Bool.self)
  }

  @Test func `shaped arrays and slices become tensors and back, and do not change them`() async {
    var array = MLShapedArray<Float>(scalars: [0, 1, 2, 3, 4, 5], shape: [2, 3])
    let tensor = MLTensor(array)
    let row = MLTensor(array[1])
    let transposed = MLTensor(array.transposed(permutation: [1, 0]))
    array[scalarAt: [1, 0]] = 30
    #expect(await matches(tensor, [2, 3], [0, 1, 2, 3, 4, 5]))
    #expect(await matches(row, [3], [3, 4, 5]))
    #expect(await matches(transposed, [3, 2], [0, 3, 1, 4, 2, 5]))
    var result = await tensor.shapedArray(of: Float.self)
    result[scalarAt: [0, 0]] = 100
    #expect(await matches(tensor, [2, 3], [0, 1, 2, 3, 4, 5]))
    #expect(await matches(tensor + 1, [2, 3], [1, 2, 3, 4, 5, 6]))
  }

  @Test func `memory becomes a tensor, and goes back when nobody needs it`() async {
    let data = [Float](arrayLiteral: 1, 2, 3, 4).withUnsafeBytes { Data($0) }
    #expect(await matches(MLTensor(shape: [2, 2], data: data, scalarType: Float.self), [2, 2], [1, 2, 3, 4]))
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 12, alignment: 4)
    for (index, number) in [5, 6, 7].enumerated() { memory.storeBytes(of: Int32(number), toByteOffset: 4 * index, as: Int32.self) }
    final class Flag: @unchecked Sendable { var isSet = false }
    let released = Flag()
    func sum() async -> Bool {
      let tensor = MLTensor(
        bytesNoCopy: UnsafeRawBufferPointer(memory), shape: [3], scalarType: Int32.self,
        deallocator: .custom { pointer, count in
          released.isSet = count == 12
          pointer.deallocate()
        })
      return await matches(tensor * 2, [3], [10, 12, 14], Int32.self)
    }
    #expect(await sum())
    #expect(released.isSet)
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      _ = try MLTensor(unsafeUninitializedShape: [2], scalarType: Float.self) { _ in throw Failure() }
    }
    let filled = MLTensor(unsafeUninitializedShape: [2], scalarType: Int16.self) { bytes in
      bytes.storeBytes(of: -1, toByteOffset: 0, as: Int16.self)
      bytes.storeBytes(of: 9, toByteOffset: 2, as: Int16.self)
    }
    #expect(await matches(filled, [2], [-1, 9], Int16.self))
  }

  @Test func `constants and sequences`() async {
    for shape in sampleShapes {
      let ones = [Double](repeating: 1, count: shape.elementCount)
      #expect(await matches(MLTensor(zeros: shape, scalarType: Int32.self), shape, ones.map { _ in 0 }, Int32.self))
      #expect(await matches(MLTensor(ones: shape, scalarType: Float.self), shape, ones, Float.self))
      #expect(await matches(MLTensor(ones: shape, scalarType: UInt8.self), shape, ones, UInt8.self))
      #expect(await matches(MLTensor(repeating: -1e9, shape: shape), shape, ones.map { _ in -1e9 }, Float.self))
      #expect(await matches(MLTensor(repeating: Int32(4), shape: shape), shape, ones.map { _ in 4 }, Int32.self))
      #expect(await matches(MLTensor(repeating: true, shape: shape), shape, ones, Bool.self))
    }
    let infinite = MLTensor(repeating: -.infinity, shape: [2], scalarType: Float.self)
    #expect(await matches(infinite, [2], [-.infinity, -.infinity]))
    #expect(await matches(MLTensor(rangeFrom: 0, to: 2, by: 0.5), [4], [0, 0.5, 1, 1.5], Float.self))
    #expect(await matches(MLTensor(rangeFrom: Int32(5), to: 0, by: -2), [3], [5, 3, 1], Int32.self))
    #expect(await matches(MLTensor(rangeFrom: 0, to: 3, by: 1, scalarType: Float16.self), [3], [0, 1, 2], Float16.self))
    #expect(await matches(MLTensor(rangeFrom: Float(1), to: 1, by: 1), [0], [], Float.self))
    #expect(await matches(MLTensor(linearSpaceFrom: 0, through: 1, count: 5), [5], [0, 0.25, 0.5, 0.75, 1], Float.self))
    #expect(await matches(MLTensor(linearSpaceFrom: 3, through: 9, count: 1), [1], [3]))
    #expect(await matches(MLTensor(linearSpaceFrom: Float16(2), through: -2, count: 3), [3], [2, 0, -2], Float16.self))
  }

  @Test func `random numbers have their distribution, and equal seeds equal numbers`() async {
    let uniform = await MLTensor(randomUniform: [20000], in: -1..<3, seed: 1, scalarType: Float.self).numbers()
    #expect(uniform.allSatisfy { $0 >= -1 && $0 < 3 })
    let mean = uniform.reduce(0, +) / 20000
    let variance = uniform.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20000
    #expect(abs(mean - 1) < 0.05 && abs(variance - 16.0 / 12) < 0.05)
    let normal = await MLTensor(randomNormal: [20001], mean: 2, standardDeviation: 3, seed: 2, scalarType: Float.self).numbers()
    let center = normal.reduce(0, +) / 20001
    #expect(abs(center - 2) < 0.1)
    let squares = normal.map { (number: Double) -> Double in (number - center) * (number - center) }
    let deviation = (squares.reduce(0, +) / 20001).squareRoot()
    #expect(abs(deviation - 3) < 0.1)
    let integers = await MLTensor(randomUniform: [6000], in: 1...6, seed: 3, scalarType: Int32.self).numbers()
    for face in 1...6 { #expect(abs(integers.count { $0 == Double(face) } - 1000) < 150) }
    let halves = await MLTensor(randomUniform: [5000], scalarType: Float16.self).numbers()
    #expect(halves.allSatisfy { $0 >= 0 && $0 < 1 })
    func draw(_ seed: UInt64?) async -> [Double] { await MLTensor(randomNormal: [64], seed: seed, scalarType: Float.self).numbers() }
    #expect(await draw(7) == draw(7))
    #expect(await draw(7) != draw(8))
    #expect(await draw(nil) != draw(nil))
    // All uses of one tensor see the same numbers.
    let noise = MLTensor(randomNormal: [3, 3], scalarType: Float.self)
    #expect(await matches(noise - noise, [3, 3], Array(repeating: 0, count: 9)))
    #expect(await noise.numbers() == (noise + 0).numbers())
  }

  @Test func `casts convert scalars`() async {
    let tensor = MLTensor([-1.5, 0, 2.75] as [Float])
    #expect(await matches(tensor.cast(to: Int32.self), [3], [-1, 0, 2], Int32.self))
    #expect(await matches(tensor.cast(to: Bool.self), [3], [1, 0, 1], Bool.self))
    #expect(await matches(tensor.cast(to: Float16.self), [3], [-1.5, 0, 2.75], Float16.self))
    #expect(await matches(tensor.cast(like: MLTensor([Int8(1)])), [3], [-1, 0, 2], Int8.self))
    let type: any MLTensorScalar.Type = UInt16.self
    #expect(await matches(MLTensor([true, false]).cast(to: type), [2], [1, 0], UInt16.self))
    for from in scalarTypes {
      for to in scalarTypes {
        let numbers = samples(6, as: Bool.self)
        #expect(await matches(MLTensor(numbers, shape: [2, 3], as: from).cast(to: to), [2, 3], numbers, to))
      }
    }
  }
}
