import CoreML
import Testing

/// Gathering, replacing and slicing.
struct TensorIndexingTests {
  private let x = MLTensor(shape: [3, 3], scalars: [0, 1, 2, 10, 11, 12, 20, 21, 22])

  @Test func `gathering along an axis puts the indices' shape in its place`() async {
    let indices = MLTensor([2, 1] as [Int32])
    #expect(await matches(x.gathering(atIndices: indices, alongAxis: 0), [2, 3], [20, 21, 22, 10, 11, 12]))
    #expect(await matches(x.gathering(atIndices: indices, alongAxis: 1), [3, 2], [2, 1, 12, 11, 22, 21]))
    #expect(await matches(x.gathering(atIndices: indices.reshaped(to: [1, 2]), alongAxis: -1), [3, 1, 2], [2, 1, 12, 11, 22, 21]))
    #expect(await matches(x.gathering(atIndices: MLTensor(Int32(1)), alongAxis: 0), [3], [10, 11, 12]))
    #expect(await matches(x.gathering(atIndices: MLTensor([-1] as [Int32]), alongAxis: 0), [1, 3], [20, 21, 22]))
    #expect(await matches(x.gathering(atIndices: MLTensor([] as [Int32]), alongAxis: 0), [0, 3], []))
    // A table of embeddings.
    let ids = MLTensor(shape: [1, 2], scalars: [2, 0] as [Int32])
    #expect(await matches(x.gathering(atIndices: ids, alongAxis: 0), [1, 2, 3], [20, 21, 22, 0, 1, 2]))
    for type in scalarTypes {
      #expect(await matches(MLTensor([0, 1, 1], shape: [3], as: type).gathering(atIndices: indices, alongAxis: 0), [2], [1, 1], type))
    }
    await #expect(processExitsWith: .failure) {
      _ = await MLTensor([1.0]).gathering(atIndices: MLTensor([1] as [Int32]), alongAxis: 0).shapedArray(of: Float.self)
    }
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0]).gathering(atIndices: MLTensor([0.0]), alongAxis: 0) }
  }

  @Test func `gathering with index vectors`() async {
    let pairs = MLTensor(shape: [2, 2], scalars: [0, 0, 1, 1] as [Int32])
    #expect(await matches(x.gathering(atIndices: pairs), [2], [0, 11]))
    let rows = MLTensor(shape: [2, 1], scalars: [2, 0] as [Int32])
    #expect(await matches(x.gathering(atIndices: rows), [2, 3], [20, 21, 22, 0, 1, 2]))
    #expect(await matches(x.gathering(atIndices: MLTensor([2, 1] as [Int32])), [], [21]))
    await #expect(processExitsWith: .failure) {
      _ = MLTensor([1.0]).gathering(atIndices: MLTensor(shape: [1, 2], scalars: [0, 0] as [Int32]))
    }
  }

  @Test func `replacing where a mask is true`() async {
    let y = MLTensor([1, 2, 3] as [Float])
    let mask = MLTensor([false, true, false])
    #expect(await matches(y.replacing(with: MLTensor([4, 5, 6] as [Float]), where: mask), [3], [1, 5, 3], Float.self))
    #expect(await matches(y.replacing(with: Float(9), where: mask), [3], [1, 9, 3]))
    #expect(await matches(x.replacing(with: -1.0, where: mask), [3, 3], [0, -1, 2, 10, -1, 12, 20, -1, 22]))
    let bounded = x.replacing(with: -Float.infinity, where: x .> 11)
    #expect(await matches(bounded, [3, 3], [0, 1, 2, 10, 11, -.infinity, -.infinity, -.infinity, -.infinity]))
    // A mask for rows.
    let tall = MLTensor(shape: [2, 3], scalars: [1, 2, 3, 4, 5, 6])
    #expect(await matches(tall.replacing(with: Float(0), where: MLTensor([true, false])), [2, 3], [0, 0, 0, 4, 5, 6]))
    for type in scalarTypes {
      let tensor = MLTensor([1, 0, 1], shape: [3], as: type)
      #expect(await matches(tensor.replacing(with: MLTensor([0, 1, 0], shape: [3], as: type), where: mask), [3], [1, 1, 1], type))
    }
    // The type stays the tensor's.
    #expect(await matches(MLTensor([1, 2, 3] as [Int32]).replacing(with: Float(2.5), where: mask), [3], [1, 2, 3], Int32.self))
    #expect(await matches(y.replacing(with: MLTensor([7] as [Int32]), where: mask), [3], [1, 7, 3], Float.self))
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0]).replacing(with: Float(1), where: MLTensor([Int32(1)])) }
  }

  @Test func `replacing at indices along an axis`() async {
    let y = MLTensor(shape: [2, 3], scalars: [10, 30, 20, 60, 40, 50])
    let indices = MLTensor(shape: [2, 1], scalars: [1, 0] as [Int32])
    #expect(await matches(y.replacing(atIndices: indices, with: Float(99), alongAxis: 1), [2, 3], [10, 99, 20, 99, 40, 50]))
    let source = MLTensor(shape: [2, 1], scalars: [7, 8] as [Float])
    #expect(await matches(y.replacing(with: source, atIndices: indices, alongAxis: -1), [2, 3], [10, 7, 20, 8, 40, 50]))
    let rows = MLTensor(shape: [1, 3], scalars: [1, 0, -1] as [Int32])
    #expect(await matches(y.replacing(atIndices: rows, with: Float(0), alongAxis: 0), [2, 3], [10, 0, 20, 0, 40, 0]))
    for type in scalarTypes {
      let tensor = MLTensor([1, 0, 0], shape: [3], as: type)
      #expect(await matches(tensor.replacing(atIndices: MLTensor([2] as [Int32]), with: true, alongAxis: 0), [3], [1, 0, 1], type))
    }
    // The tensor itself stays as it was.
    #expect(await matches(y, [2, 3], [10, 30, 20, 60, 40, 50]))
    await #expect(processExitsWith: .failure) {
      _ = MLTensor(zeros: [2, 3], scalarType: Float.self).replacing(atIndices: MLTensor([0] as [Int32]), with: Float(0), alongAxis: 1)
    }
  }

  @Test func `slices by positions and ranges`() async {
    let y = MLTensor(rangeFrom: Float(0), to: 24, by: 1).reshaped(to: [2, 3, 4])
    #expect(await matches(y[0], [3, 4], (0..<12).map { Double($0) }))
    #expect(await matches(y[-1, 0], [4], [12, 13, 14, 15]))
    #expect(await matches(y[nil, -1], [2, 4], [8, 9, 10, 11, 20, 21, 22, 23]))
    #expect(await matches(y[nil, 1, nil], [2, 4], [4, 5, 6, 7, 16, 17, 18, 19]))
    #expect(await matches(y[..., 0], [2, 3], [0, 4, 8, 12, 16, 20]))
    #expect(await matches(y[0, ..., 1], [3], [1, 5, 9]))
    #expect(await matches(y[0, 1, ...], [4], [4, 5, 6, 7]))
    #expect(await matches(y[0, 1, 2, ...], [], [6]))
    #expect(await matches(y[..., 1..<3], [2, 3, 2], [1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22]))
    #expect(await matches(y[..., 2...], [2, 3, 2], [2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23]))
    #expect(await matches(y[0..., 0, 0...], [2, 4], [0, 1, 2, 3, 12, 13, 14, 15]))
    #expect(await matches(y[1, 0...1, ..<2], [2, 2], [12, 13, 16, 17]))
    #expect(await matches(y[1, ...0, (-2)...], [1, 2], [14, 15]))
    #expect(await matches(y[0, 0, ..<(-1)], [3], [0, 1, 2]))
    #expect(await matches(y[0, 0, ...(-1)], [4], [0, 1, 2, 3]))
    #expect(await matches(y[0, 0, ...(-2)], [3], [0, 1, 2]))
    // Ends are moved to within the dimension.
    #expect(await matches(y[0, 0, 2..<99], [2], [2, 3]))
    #expect(await matches(y[0, 0, 9...], [0], []))
    #expect(y[3...].shape == [0, 3, 4])
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0])[2] }
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0])[0, 0] }
  }

  @Test func `slices by members, with strides`() async {
    let y = MLTensor(rangeFrom: Float(0), to: 6, by: 1)
    #expect(await matches(y[.range(1..<6, stride: 2)], [3], [1, 3, 5]))
    #expect(await matches(y[.closedRange(0...4, stride: 4)], [2], [0, 4]))
    #expect(await matches(y[.partialRangeFrom(1..., stride: 3)], [2], [1, 4]))
    #expect(await matches(y[.partialRangeUpTo(..<5, stride: 2)], [3], [0, 2, 4]))
    #expect(await matches(y[.partialRangeUpTo(...4, stride: 2)], [3], [0, 2, 4]))
    #expect(await matches(y[.partialRangeFrom(0..., stride: -2)], [3], [5, 3, 1]))
    #expect(await matches(y[.index(-2)], [], [4]))
    #expect(await matches(y[.newAxis, ...], [1, 6], [0, 1, 2, 3, 4, 5]))
    #expect(await matches(y[.fillAll, .newAxis], [6, 1], [0, 1, 2, 3, 4, 5]))
    #expect(await matches(y.reshaped(to: [1, 6])[.squeezeAxis, ...], [6], [0, 1, 2, 3, 4, 5]))
    let image = MLTensor(randomNormal: [1, 3, 28, 28], scalarType: Float.self)
    #expect(image[.squeezeAxis, ...].shape == [3, 28, 28])
    #expect(image[..., 0].shape == [1, 3, 28])
    #expect(image[..., .range(0..<2, stride: 1)].shape == [1, 3, 28, 2])
    #expect(image[..., ...3].shape == [1, 3, 28, 4])
    for type in scalarTypes { #expect(await matches(MLTensor([0, 1, 1], shape: [3], as: type)[1...], [2], [1, 1], type)) }
  }
}
