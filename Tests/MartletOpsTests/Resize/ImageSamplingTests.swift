import Foundation
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

private func floats(_ tensor: HostTensor) -> [Float] {
  tensor.dtype == .float16 ? tensor.elements(as: Float16.self).map(Float.init) : tensor.elements(as: Float.self)
}

private func expectClose(_ result: HostTensor, _ shape: [Int], _ expected: [Float], _ tolerance: Float = 1e-4, _ comment: Comment = "") {
  #expect(result.shape == shape, comment)
  let values = floats(result)
  #expect(values.count == expected.count && zip(values, expected).allSatisfy { abs($0 - $1) <= tolerance }, "\(values) \(comment)")
}

private func counting(_ shape: [Int], from start: Float = 0) -> HostTensor {
  HostTensor(.float32, shape, (0..<shape.reduce(1, *)).map { start + Float($0) })
}

@Suite struct PlaneSampleTests {
  /// Results of `torch.nn.functional.grid_sample` on the numbers 0 to 11 as an image of 3 by 4 pixels. Its reflection is about pixel
  /// centres with aligned corners, and else about edges.
  static let recorded: [(nearest: Bool, padding: PlaneSampling.Padding, corners: Bool, expected: [Float])] = [
    (false, .constant(0), true, [0.22, 6.85, 6.393, 0.15, 11, 0]), (false, .constant(0), false, [0, 7.5, 0, 0, 2.75, 0]),
    (false, .border, true, [0.4, 6.85, 10.655, 0.75, 11, 3]), (false, .border, false, [0, 7.5, 11, 0.5, 11, 3]),
    (false, .reflection, true, [0.85, 6.85, 9.055, 3.95, 11, 8.2]), (false, .symmetric, false, [0.1, 7.5, 10.6, 3.3, 11, 8.3]),
    (true, .constant(0), true, [0, 6, 11, 0, 11, 0]), (true, .constant(0), false, [0, 6, 0, 0, 0, 0]),
    (true, .border, true, [0, 6, 11, 1, 11, 3]), (true, .border, false, [0, 6, 11, 0, 11, 3]),
    (true, .reflection, true, [0, 6, 11, 5, 11, 9]), (true, .symmetric, false, [0, 6, 11, 4, 11, 8]),
  ]
  static let places: [Float] = [-1.3, -0.9, 0.1, 0.3, 0.77, 1.4, -0.5, -1.8, 1.0, 1.0, 2.6, -3.1]

  @Test(arguments: recorded.indices) func gridsGiveWhatTheReferenceGives(_ index: Int) throws {
    let (nearest, padding, corners, expected) = Self.recorded[index]
    let x = counting([1, 1, 3, 4])
    for coordinates in [PlaneSampling.Coordinates.minusOneToOne, .zeroToOne, .pixels] {
      let grid = Self.places.enumerated().map { position, value -> Float in
        switch coordinates {
        case .minusOneToOne: return value
        case .zeroToOne: return (value + 1) / 2
        case .pixels:
          let extent: Float = position % 2 == 0 ? 4 : 3
          return corners ? (value + 1) / 2 * (extent - 1) : ((value + 1) * extent - 1) / 2
        }
      }
      let op = PlaneSample(PlaneSampling(takesNearest: nearest, padding: padding, coordinates: coordinates, alignCorners: corners))
      for operand in layouts(x) {
        let result = try runTensorOperator(op, [operand, .tensor(HostTensor(.float32, [1, 1, 6, 2], grid))])
        expectClose(result, [1, 1, 1, 6], expected, 1e-3, "\(coordinates)")
      }
    }
  }

  @Test func affineMapsGiveWhatTheReferenceGives() throws {
    // torch.nn.functional.affine_grid and grid_sample.
    let matrix = HostTensor(.float32, [1, 6], [0.8, 0.3, 0.1, -0.2, 1.1, -0.3] as [Float])
    for (corners, expected) in [
      (true, [0, 0.72, 0.96, 8.9, 9.3, 6.58]), (false, [0.30833, 1.015, 1.295, 7.23333, 7.5, 7.18667]),
    ] as [(Bool, [Float])] {
      let op = PlaneSample(
        PlaneSampling(takesNearest: false, padding: .constant(0), coordinates: .minusOneToOne, alignCorners: corners),
        size: [.constant(2), .constant(3)])
      expectClose(try runTensorOperator(op, [.tensor(counting([1, 1, 3, 4])), .tensor(matrix)]), [1, 1, 2, 3], expected)
    }
  }

  @Test func aPaddingValueStandsOutsideAndWholeNumberGridsAreTaken() throws {
    let op = PlaneSample(PlaneSampling(takesNearest: false, padding: .constant(-4), coordinates: .pixels, alignCorners: true))
    let grid = HostTensor(.float32, [1, 1, 4, 2], [-0.25, 0, 3.5, 2, 9, 9, .nan, 0] as [Float])
    expectClose(
      try runTensorOperator(op, [.tensor(counting([1, 1, 3, 4])), .tensor(grid)]), [1, 1, 1, 4], [-1, 3.5, -4, -4])
    let whole = HostTensor(.int32, [1, 1, 2, 2], [1, 2, 3, 0] as [Int32])
    expectClose(try runTensorOperator(op, [.tensor(counting([1, 1, 3, 4])), .tensor(whole)]), [1, 1, 1, 2], [9, 3])
    #expect(throws: (any Error).self) {
      try runTensorOperator(op, [.tensor(counting([1, 1, 3, 4])), .tensor(HostTensor(zeros: .float32, shape: [2, 1, 1, 2]))])
    }
    #expect(throws: (any Error).self) {
      try runTensorOperator(op, [.tensor(HostTensor(zeros: .float32, shape: [1, 1, 0, 4])), .tensor(whole)])
    }
  }
}

@Suite struct SampledResizeTests {
  /// The documented points of each convention for 2 pixels resized to 5 and to 6, with the values 0 and 1.
  static let documented: [(SamplingMode, [Float], [Float])] = [
    (.unalignCorners, [0, 0.1, 0.5, 0.9, 1], [0, 0, 1 / 3, 2 / 3, 1, 1]),
    (.strictAlignCorners, [0, 0.25, 0.5, 0.75, 1], [0, 0.2, 0.4, 0.6, 0.8, 1]),
    (.alignCorners, [0, 0.25, 0.5, 0.75, 1], [0, 0.2, 0.4, 0.6, 0.8, 1]),
    (.regular, [0, 0.4, 0.8, 1, 1], [0, 1 / 3, 2 / 3, 1, 1, 1]),
    (.offsetCorners, [0.1, 0.3, 0.5, 0.7, 0.9], [1 / 12, 0.25, 5 / 12, 7 / 12, 0.75, 11 / 12]),
  ]

  @Test(arguments: documented.indices) func pointsLieWhereTheConventionSays(_ index: Int) throws {
    let (mode, five, six) = Self.documented[index]
    for expected in [five, six] {
      let count = SampledResize.Extent.count(.constant(expected.count))
      let row = SampledResize(height: .count(.constant(0)), width: count, mode: mode, takesNearest: false)
      expectClose(try runTensorOperator(row, [.tensor(counting([1, 1, 2]))]), [1, 1, expected.count], expected, 1e-6)
      let column = SampledResize(height: count, width: .factor(1), mode: mode, takesNearest: false)
      expectClose(try runTensorOperator(column, [.tensor(counting([2, 1]))]), [expected.count, 1], expected, 1e-6)
    }
  }

  @Test func aSinglePointIsTheFirstOrTheMiddle() throws {
    for (mode, expected) in [(SamplingMode.strictAlignCorners, 0), (.alignCorners, 1.5), (.regular, 0), (.offsetCorners, 1.5)] {
      let op = SampledResize(height: .count(.constant(0)), width: .count(.constant(1)), mode: mode, takesNearest: false)
      expectClose(try runTensorOperator(op, [.tensor(counting([1, 4]))]), [1, 1], [Float(expected)])
    }
  }

  @Test func nearestPixelsHoldTheMiddlesOrTheBeginningsOfTheResults() throws {
    func run(_ mode: SamplingMode, _ count: SampledResize.Extent, _ x: HostTensor) throws -> [Float] {
      floats(
        try runTensorOperator(SampledResize(height: count, width: .count(.constant(0)), mode: mode, takesNearest: true), [.tensor(x)]))
    }
    let column = counting([2, 1])
    #expect(try run(.unalignCorners, .count(.constant(3)), column) == [0, 1, 1])
    #expect(try run(.unalignCorners, .factor(2), column) == [0, 0, 1, 1])
    #expect(try run(.unalignCorners, .factor(2.5), column) == [0, 0, 1, 1, 1])
    #expect(try run(.unalignCorners, .count(.constant(2)), counting([5, 1])) == [1, 3])
    #expect(try run(.regular, .count(.constant(3)), column) == [0, 0, 1])
    #expect(try run(.regular, .factor(2), column) == [0, 0, 1, 1])
    // coremltools' test of upsample_nearest_neighbor: factors 0.67 and 1.12.
    #expect(try run(.regular, .factor(0.67), counting([3, 1])) == [0, 1])
    #expect(try run(.regular, .factor(1.12), counting([3, 1])) == [0, 1, 2])
    #expect(try run(.strictAlignCorners, .count(.constant(4)), counting([3, 1])) == [0, 1, 1, 2])
  }

  @Test func sizesThatCannotBeAreErrors() {
    let x = TestOperand.tensor(counting([1, 2, 2]))
    let extents: [SampledResize.Extent] = [
      .count(.constant(-1)), .count(.constant(1 << 40)), .factor(0), .factor(.nan), .factor(1e300), .factor(-1),
    ]
    for extent in extents {
      #expect(throws: (any Error).self) {
        try runTensorOperator(SampledResize(height: extent, width: .factor(1), mode: .regular, takesNearest: false), [x])
      }
    }
  }
}

@Suite struct CropResizeTests {
  private func sampling(
    _ mode: SamplingMode = .alignCorners, _ form: CropSampling.BoxForm = .corners(widthFirst: false), normalized: Bool = false,
    scale: Float = 1, padding: Float = 0
  ) -> CropSampling {
    CropSampling(mode: mode, boxForm: form, isNormalized: normalized, scale: scale, padding: padding)
  }

  private func run(
    _ sampling: CropSampling, _ boxes: [Float], _ width: Int = 4, size: Int = 2, image: HostTensor = counting([1, 1, 4, 4], from: 1)
  ) throws -> HostTensor {
    try runTensorOperator(
      CropResize(height: .constant(size), width: .constant(size), sampling: sampling),
      [.tensor(image), .tensor(HostTensor(.float32, [boxes.count / width, width], boxes))])
  }

  @Test func boxesGiveWhatTheReferenceGives() throws {
    // Expected values of coremltools' test of the operator.
    expectClose(try run(sampling(), [1, 1, 2, 2]), [1, 1, 1, 2, 2], [6, 7, 10, 11])
    expectClose(
      try run(sampling(), [1, 1, 2, 2], size: 4), [1, 1, 1, 4, 4],
      [
        6, 6.333333, 6.66666, 7, 7.333333, 7.666666, 8, 8.333333, 8.666666, 9, 9.3333333, 9.666666, 10, 10.333333, 10.666666, 11,
      ])
    expectClose(try run(sampling(), [1, 1, 2, 2], size: 1), [1, 1, 1, 1, 1], [8.5])
    let third: [Float] = [0, 0, 0, 1 / 3, 1 / 3]
    expectClose(try run(sampling(normalized: true), third, 5), [1, 1, 2, 2], [1, 2, 5, 6])
    expectClose(try run(sampling(), [2, 2, 1, 1]), [1, 1, 1, 2, 2], [11, 10, 7, 6])
  }

  @Test func formsOfBoxesDescribeTheSameBox() throws {
    let expected = try run(sampling(), [0, 1, 2, 3])
    #expect(try run(sampling(.alignCorners, .corners(widthFirst: true)), [1, 0, 3, 2]).equals(expected))
    #expect(try run(sampling(.alignCorners, .centerSize(widthFirst: false)), [1, 2, 2, 2]).equals(expected))
    #expect(try run(sampling(.alignCorners, .centerSize(widthFirst: true)), [2, 1, 2, 2]).equals(expected))
    #expect(try run(sampling(scale: 0.5), [0, 2, 4, 6]).equals(expected))
  }

  @Test func pointsOutsideGetThePaddingAndImagesAreChosen() throws {
    expectClose(try run(sampling(padding: -7), [2, 2, 4, 4]), [1, 1, 1, 2, 2], [11, -7, -7, -7])
    expectClose(try run(sampling(padding: -7), [.nan, 0, 1, 1]), [1, 1, 1, 2, 2], [-7, -7, -7, -7])
    let images = counting([2, 1, 2, 2])
    let op = CropResize(height: .constant(1), width: .constant(1), sampling: sampling())
    let boxes = TestOperand.tensor(HostTensor(.float32, [2, 4], [0, 0, 0, 0, 1, 1, 1, 1] as [Float]))
    expectClose(
      try runTensorOperator(op, [.tensor(images), boxes, .tensor(HostTensor(.int32, [2], [1, 0] as [Int32]))]), [2, 1, 1, 1], [4, 3])
    expectClose(try runTensorOperator(op, [.tensor(images), boxes, .absent]), [2, 2, 1, 1, 1], [0, 4, 3, 7])
    for bad in [2, -1] as [Int32] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(op, [.tensor(images), boxes, .tensor(HostTensor(.int32, [2], [bad, 0]))])
      }
    }
    #expect(throws: (any Error).self) { try run(sampling(), [0, 0, 1, 1], size: 0) }
    #expect(throws: (any Error).self) { try run(sampling(), [0, 0, 1], 3) }
  }
}
