import CoreML
import Testing

/// Shapes, joining and taking apart, padding, images.
struct TensorShapeTests {
  private func counting(_ shape: [Int], as type: any MLTensorScalar.Type = Float.self) -> MLTensor {
    MLTensor((0..<shape.elementCount).map { Double($0) }, shape: shape, as: type)
  }

  @Test func `other shapes of the same scalars`() async {
    let x = counting([2, 3])
    let numbers = (0..<6).map { Double($0) }
    #expect(await matches(x.reshaped(to: [3, 2]), [3, 2], numbers))
    #expect(await matches(x.reshaped(to: [-1]), [6], numbers))
    #expect(await matches((x + 0).reshaped(to: [1, -1, 2]), [1, 3, 2], numbers))
    #expect(await matches(x.flattened(), [6], numbers))
    #expect(await matches(MLTensor(Float(4)).reshaped(to: [1, 1]), [1, 1], [4]))
    #expect(await matches(MLTensor([Float(4)]).reshaped(to: []), [], [4]))
    #expect(await matches(counting([0, 3]).reshaped(to: [3, 0, 2]), [3, 0, 2], []))
    #expect(await matches(x.expandingShape(at: 0), [1, 2, 3], numbers))
    #expect(await matches(x.expandingShape(at: -1), [2, 3, 1], numbers))
    // One after the other, as two calls would.
    #expect(await matches(x.expandingShape(at: 1, 1), [2, 1, 1, 3], numbers))
    #expect(await matches(x.expandingShape(at: [2, 0]), [1, 2, 3, 1], numbers))
    let y = x.reshaped(to: [1, 2, 1, 3])
    #expect(await matches(y.squeezingShape(), [2, 3], numbers))
    #expect(await matches(y.squeezingShape(at: 0), [2, 1, 3], numbers))
    #expect(await matches(y.squeezingShape(at: 0, -2), [2, 3], numbers))
    // Those of another extent stay.
    #expect(await matches(y.squeezingShape(at: [1, 2]), [1, 2, 3], numbers))
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0]).reshaped(to: [3]) }
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0]).reshaped(to: [-1, -1]) }
  }

  @Test func `dimensions in another order`() async {
    for type in scalarTypes where type != Bool.self {
      #expect(await matches(counting([2, 3], as: type).transposed(), [3, 2], [0, 3, 1, 4, 2, 5], type))
    }
    let shape = [2, 3, 1, 2]
    let permutation = [3, 0, 2, 1]
    let expected = permutation.map { shape[$0] }.positions.map { position in
      var source = [0, 0, 0, 0]
      for (axis, original) in permutation.enumerated() { source[original] = position[axis] }
      return Double(shape.offset(of: source))
    }
    #expect(await matches(counting(shape).transposed(permutation: permutation), [2, 2, 1, 3], expected))
    #expect(await matches(counting(shape).transposed(permutation: 3, 0, 2, 1), [2, 2, 1, 3], expected))
    #expect(await matches(MLTensor(Float(1)).transposed(), [], [1]))
    #expect(await matches(counting([3]).transposed(), [3], [0, 1, 2]))
    await #expect(processExitsWith: .failure) { _ = MLTensor(zeros: [2, 3], scalarType: Float.self).transposed(permutation: 0, 0) }
  }

  @Test func `reversed, tiled and banded`() async {
    let x = counting([2, 3])
    #expect(await matches(x.reversed(alongAxes: 1), [2, 3], [2, 1, 0, 5, 4, 3]))
    #expect(await matches(x.reversed(alongAxes: [0, -1]), [2, 3], [5, 4, 3, 2, 1, 0]))
    #expect(await matches(x.reversed(alongAxes: []), [2, 3], [0, 1, 2, 3, 4, 5]))
    #expect(await matches(x.tiled(multiples: [1, 2]), [2, 6], [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]))
    #expect(await matches(x.tiled(multiples: [2, 1]), [4, 3], [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]))
    #expect(await matches(x.tiled(multiples: [0, 1]), [0, 3], []))
    for type in scalarTypes {
      let small = MLTensor([1, 0], shape: [2], as: type)
      #expect(await matches(small.tiled(multiples: [2]), [4], [1, 0, 1, 0], type))
      #expect(await matches(small.reversed(alongAxes: 0), [2], [0, 1], type))
      let band = MLTensor([1, 1, 1, 1], shape: [2, 2], as: type).bandPart(lowerBandCount: 0, upperBandCount: -1)
      #expect(await matches(band, [2, 2], [1, 1, 0, 1], type))
    }
    let square = counting([4, 4]) + 1
    for lower in [-1, 0, 1, 9] {
      for upper in [-1, 0, 2, 9] {
        let expected = [4, 4].positions.map { place in
          let (i, j) = (place[0], place[1])
          return (lower < 0 || i - j <= lower) && (upper < 0 || j - i <= upper) ? Double(4 * i + j + 1) : 0
        }
        #expect(await matches(square.bandPart(lowerBandCount: lower, upperBandCount: upper), [4, 4], expected))
      }
    }
    let flat = MLTensor(ones: [2, 1, 2], scalarType: Int32.self)
    #expect(await matches(flat.bandPart(lowerBandCount: 0, upperBandCount: 0), [2, 1, 2], [1, 0, 1, 0]))
  }

  @Test func `tensors are joined`() async {
    let (x, y) = (counting([2, 2]), counting([2, 1]) * 10)
    #expect(await matches(MLTensor(concatenating: [x, y], alongAxis: 1), [2, 3], [0, 1, 0, 2, 3, 10]))
    #expect(await matches(MLTensor(concatenating: [x, x]), [4, 2], [0, 1, 2, 3, 0, 1, 2, 3]))
    #expect(await matches(x.concatenated(with: y, alongAxis: -1), [2, 3], [0, 1, 0, 2, 3, 10]))
    #expect(await matches(x.concatenated(with: counting([0, 2])), [2, 2], [0, 1, 2, 3]))
    #expect(await matches(MLTensor(stacking: [x, x * 2]), [2, 2, 2], [0, 1, 2, 3, 0, 2, 4, 6]))
    #expect(await matches(MLTensor(stacking: [x, x * 2], alongAxis: -1), [2, 2, 2], [0, 0, 1, 2, 2, 4, 3, 6]))
    #expect(await matches(MLTensor([x, x], alongAxis: 1), [2, 2, 2], [0, 1, 0, 1, 2, 3, 2, 3]))
    #expect(await matches(MLTensor(stacking: [1.0, 2.0] as [MLTensor]), [2], [1, 2], Float.self))
    for type in scalarTypes {
      let part = MLTensor([1, 0], shape: [2], as: type)
      #expect(await matches(MLTensor(concatenating: [part, part]), [4], [1, 0, 1, 0], type))
    }
    let mixed = MLTensor(concatenating: [MLTensor([Int32(1)]), MLTensor([Float(0.5)])])
    #expect(await matches(mixed, [2], [1, 0.5], Float.self))
    await #expect(processExitsWith: .failure) {
      _ = MLTensor(concatenating: [MLTensor(zeros: [2, 2], scalarType: Float.self), MLTensor(zeros: [3, 3], scalarType: Float.self)])
    }
    await #expect(processExitsWith: .failure) { _ = MLTensor(stacking: [MLTensor([1.0]), MLTensor([1.0, 2.0])]) }
  }

  @Test func `tensors are taken apart`() async {
    let x = counting([2, 6])
    let parts = x.split(count: 3, alongAxis: 1)
    #expect(parts.count == 3 && parts.allSatisfy { $0.shape == [2, 2] })
    #expect(await matches(parts[1], [2, 2], [2, 3, 8, 9]))
    let uneven = x.split(sizes: [1, 0, 5], alongAxis: -1)
    #expect(await matches(uneven[0], [2, 1], [0, 6]))
    #expect(await matches(uneven[1], [2, 0], []))
    #expect(await matches(uneven[2], [2, 5], [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]))
    #expect(x.split(count: 2).map(\.shape) == [[1, 6], [1, 6]])
    let rows = x.unstacked()
    #expect(rows.count == 2)
    #expect(await matches(rows[1], [6], [6, 7, 8, 9, 10, 11]))
    #expect(await matches(x.unstacked(alongAxis: 1)[5], [2], [5, 11]))
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0, 3.0]).split(count: 2) }
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0, 3.0]).split(sizes: [1, 1]) }
  }

  @Test func `padding in all modes`() async {
    let x = counting([2, 3]) + 1
    let columns = [(before: 0, after: 0), (before: 2, after: 2)]
    #expect(
      await matches(
        x.padded(forSizes: columns, mode: .constant(0)), [2, 7], [0, 0, 1, 2, 3, 0, 0, 0, 0, 4, 5, 6, 0, 0]))
    #expect(
      await matches(x.padded(forSizes: columns, mode: .reflection), [2, 7], [3, 2, 1, 2, 3, 2, 1, 6, 5, 4, 5, 6, 5, 4]))
    #expect(
      await matches(x.padded(forSizes: columns, mode: .symmetric), [2, 7], [2, 1, 1, 2, 3, 3, 2, 5, 4, 4, 5, 6, 6, 5]))
    #expect(await matches(x.padded(forSizes: [(1, 0), (0, 1)], with: -1), [3, 4], [-1, -1, -1, -1, 1, 2, 3, -1, 4, 5, 6, -1]))
    #expect(await matches(x.padded(forSizes: [(2, 1), (0, 0)], mode: .symmetric), [5, 3], [4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]))
    for type in scalarTypes {
      let padded = MLTensor([1, 1], shape: [2], as: type).padded(forSizes: [(1, 0)], with: 0)
      #expect(await matches(padded, [3], [0, 1, 1], type))
    }
    #expect(await matches(counting([0]).padded(forSizes: [(1, 1)], with: 3), [2], [3, 3]))
    await #expect(processExitsWith: .failure) { _ = MLTensor([1.0, 2.0]).padded(forSizes: [(2, 0)], mode: .reflection) }
  }

  @Test func `images of other sizes`() async {
    let image = counting([1, 1, 2, 2])
    #expect(
      await matches(
        image.resized(to: (newHeight: 4, newWidth: 4)), [1, 1, 4, 4], [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]))
    #expect(
      await matches(
        image.squeezingShape(at: 0).resized(to: (3, 3), method: .bilinear(alignCorners: true)), [1, 3, 3],
        [0, 0.5, 1, 1, 1.5, 2, 2, 2.5, 3], tolerance: 1e-6))
    // PyTorch's interpolate with align_corners=False.
    #expect(
      await matches(
        image.resized(to: (2, 4), method: .bilinear(alignCorners: false)), [1, 1, 2, 4],
        [0, 0.25, 0.75, 1, 2, 2.25, 2.75, 3], tolerance: 1e-6))
    for type in scalarTypes {
      let pixels = MLTensor([1, 0, 1, 0], shape: [1, 2, 2], as: type)
      #expect(await matches(pixels.resized(to: (2, 4)), [1, 2, 4], [1, 1, 0, 0, 1, 1, 0, 0], type))
      #expect(await matches(pixels.resized(to: (1, 2), method: .bilinear(alignCorners: true)), [1, 1, 2], [1, 0], type))
    }
    await #expect(processExitsWith: .failure) { _ = MLTensor(zeros: [2, 2], scalarType: Float.self).resized(to: (4, 4)) }
  }
}
