import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

@Suite struct QuantizedTests {
  /// The definition, step by step in float32.
  private func quantized(_ x: Float, _ scale: Double, _ zeroPoint: Int64, _ range: ClosedRange<Int64>) -> Int64 {
    let steps = (x * (1 / Float(scale))).rounded(.toNearestOrEven) + Float(zeroPoint)
    if steps.isNaN { return range.lowerBound }
    return Int64(max(min(Double(steps), Double(range.upperBound)), Double(range.lowerBound)))
  }

  static let values: [Float] = [0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.049, 0.051, 3.3, 127, -129, 1e9, -1e9, .infinity, -.infinity, .nan]

  private func integers(_ tensor: HostTensor) -> [Int64] {
    switch tensor.dtype {
    case .int8: tensor.elements(as: Int8.self).map { Int64($0) }
    case .uint8: tensor.elements(as: UInt8.self).map { Int64($0) }
    case .int16: tensor.elements(as: Int16.self).map { Int64($0) }
    case .uint16: tensor.elements(as: UInt16.self).map { Int64($0) }
    default: tensor.elements(as: Int32.self).map { Int64($0) }
    }
  }

  @Test(
    arguments: [
      (DType.int8, Int64(-128)...127, 0.1, 3), (.int8, -127...127, 1, 0), (.uint8, 0...255, 0.02, 128), (.int16, -32768...32767, 0.5, -7),
      (.uint16, 0...65535, 0.1, 1000), (.int32, -2_147_483_648...2_147_483_647, 0.001, 5), (.int8, -8...7, 0.3, 1),
    ] as [(DType, ClosedRange<Int64>, Double, Int64)])
  func quantisingRoundsHalfToEvenAndClamps(_ dtype: DType, _ range: ClosedRange<Int64>, _ scale: Double, _ zeroPoint: Int64) throws {
    let x = Self.values
    let expected = x.map { quantized($0, scale, zeroPoint, range) }
    let operand = TestOperand.tensor(HostTensor(.float32, [x.count], x))
    let known = try runTensorOperator(
      Pointwise.quantize(QuantizationParameters(scale: scale, zeroPoint: zeroPoint), to: range, from: .float32, as: dtype), [operand])
    #expect(integers(known) == expected)
    let inverse = try runTensorOperator(Pointwise.inverseScales, [.tensor(HostTensor(.float64, [], [scale]))])
    let point = try runTensorOperator(Pointwise.roundedZeroPoints, [.tensor(HostTensor(.int64, [], [zeroPoint]))])
    let given = try runTensorOperator(
      Pointwise.quantize(to: range, from: .float32, as: dtype), [operand, .tensor(inverse), .tensor(point)])
    #expect(integers(given) == expected)
    let back = try runTensorOperator(
      Pointwise.dequantize(QuantizationParameters(scale: scale, zeroPoint: zeroPoint), from: dtype, as: .float32), [.tensor(known)])
    #expect(back.elements(as: Float.self) == expected.map { Float($0 - zeroPoint) * Float(scale) })
  }

  @Test func parametersOfChannelsBroadcast() throws {
    let x: [Int8] = [1, 2, 3, -4, 5, -6]
    let tensor = TestOperand.tensor(HostTensor(.int8, [2, 3], x))
    let scales = TestOperand.tensor(HostTensor(.float64, [3], [0.5, 0.25, 2]))
    let points = TestOperand.tensor(HostTensor(.int32, [3], [Int32(1), 0, -1]))
    let with = try runTensorOperator(Pointwise.dequantize(hasZeroPoints: true, from: .int8, as: .float32), [tensor, scales, points])
    #expect(with.elements(as: Float.self) == [0, 0.5, 8, -2.5, 1.25, -10])
    let without = try runTensorOperator(Pointwise.dequantize(hasZeroPoints: false, from: .int8, as: .float64), [tensor, scales])
    #expect(without.elements(as: Double.self) == [0.5, 0.5, 6, -2, 1.25, -12])
  }

  /// Scales for all, for an axis, for blocks of two axes, and for every element.
  @Test(
    arguments: [[1, 1, 1], [4, 1, 1], [1, 3, 1], [1, 1, 8], [4, 1, 2], [2, 3, 4], [4, 3, 8]], [DType.int8, .uint8, .int16, .int32])
  func storedIntegersStandForRealNumbers(_ blocks: [Int], _ dtype: DType) throws {
    let shape = [4, 3, 8]
    var random = SeededGenerator(seed: UInt64(blocks.reduce(1) { $0 * 10 + $1 }))
    let stored = random.floats(96).map { Int64($0 * (dtype == .int8 ? 127 : 100)) + (dtype == .uint8 ? 100 : 0) }
    let count = blocks.reduce(1, *)
    let scales = random.floats(count)
    let points = (0..<count).map { Int32($0 % 5) - 2 }
    let tensor =
      switch dtype {
      case .int8: HostTensor(dtype, shape, stored.map { Int8($0) })
      case .uint8: HostTensor(dtype, shape, stored.map { UInt8($0) })
      case .int16: HostTensor(dtype, shape, stored.map { Int16($0) })
      default: HostTensor(dtype, shape, stored.map { Int32($0) })
      }
    let expected = (0..<96).map { index -> Float in
      let position = [index / 24, index / 8 % 3, index % 8]
      let block = zip(position, zip(shape, blocks)).reduce(0) { $0 * $1.1.1 + $1.0 / ($1.1.0 / $1.1.1) }
      return Float(stored[index] - Int64(points[block]) - 3) * scales[block]
    }
    for operand in [TestOperand.tensor(tensor), .laidOut(tensor, [2, 0, 1]), .constant(tensor)] {
      let result = try runTensorOperator(
        Dequantize(zeroPoint: 3), [operand, .tensor(HostTensor(.float32, blocks, scales)), .constant(HostTensor(.int32, blocks, points))])
      #expect(result.elements(as: Float.self) == expected)
    }
  }

  @Test(arguments: [1, 2, 5, 8]) func pairsOfFourBitNumbersStartRowsAtWholeBytes(_ extent: Int) throws {
    let rows = 3
    let numbers = (0..<rows * extent).map { UInt8($0 * 7 % 16) }
    var bytes: [UInt8] = []
    for row in 0..<rows {
      for column in stride(from: 0, to: extent, by: 2) {
        let low = numbers[row * extent + column]
        // What fills up the last byte means nothing.
        let high = column + 1 < extent ? numbers[row * extent + column + 1] : 9
        bytes.append(low | high << 4)
      }
    }
    let scales: [Float] = [0.5, 2, -1]
    let result = try runTensorOperator(
      Dequantize(storage: .nibbles(lastExtent: extent), zeroPoint: 8),
      [.tensor(HostTensor(.uint8, [rows, (extent + 1) / 2], bytes)), .tensor(HostTensor(.float32, [rows, 1], scales))])
    #expect(result.shape == [rows, extent])
    #expect(result.elements(as: Float.self) == numbers.enumerated().map { Float(Int($1) - 8) * scales[$0 / extent] })
  }

  @Test func scalesThatDoNotFitAreRefused() {
    let stored = TestOperand.tensor(HostTensor(.int8, [2, 3], [Int8](repeating: 1, count: 6)))
    for shape in [[2], [2, 2], [4, 1], [1, 1, 1]] {
      let scales = TestOperand.tensor(HostTensor(.float32, shape, [Float](repeating: 1, count: shape.reduce(1, *))))
      #expect(throws: (any Error).self, "\(shape)") { try runTensorOperator(Dequantize(), [stored, scales]) }
    }
    let scale = TestOperand.tensor(HostTensor(.float32, [1, 1], [Float(1)]))
    #expect(throws: (any Error).self) { try runTensorOperator(Dequantize(storage: .nibbles(lastExtent: 3)), [stored, scale]) }
  }

  @Test func sumsOfQuantisedOperandsAreQuantised() throws {
    let a: [UInt8] = [0, 10, 200, 255]
    let b: [UInt8] = [255, 7, 13, 255]
    let (pa, pb, pc) = (
      QuantizationParameters(scale: 0.1, zeroPoint: 5), QuantizationParameters(scale: 0.03, zeroPoint: 100),
      QuantizationParameters(scale: 0.11, zeroPoint: 20)
    )
    let result = try runTensorOperator(
      Pointwise.quantizedAdd(pa, pb, result: pc, to: 0...255, dtype: .uint8),
      [.tensor(HostTensor(.uint8, [4], a)), .tensor(HostTensor(.uint8, [4], b))])
    let expected = zip(a, b).map { x, y in
      let sum = (Float(x) - 5) * Float(0.1) + (Float(y) - 100) * Float(0.03)
      return quantized(sum, 0.11, 20, 0...255)
    }
    #expect(integers(result) == expected)
  }

  @Test func chosenParametersCoverZeroAndTheValues() throws {
    let rows: [[Float]] = [[1, 2, 4], [-3, -1, -2], [-1, 0, 3], [0, 0, 0], [1e-7, -1e-7, 0], [-100, 50, 7]]
    let tensor = TestOperand.tensor(HostTensor(.float32, [2, 3, 3], rows.flatMap { $0 }))
    let results = try runOperator(ChooseQuantization(.rows, range: -128...127), [tensor], outputs: 2)
    guard case .tensor(let scales) = results[0], case .tensor(let points) = results[1] else { throw HarnessError.noTensor }
    #expect(scales.shape == [2, 3, 1] && points.shape == [2, 3, 1])
    for (index, row) in rows.enumerated() {
      let low = Double(min(row.min()!, 0))
      let high = Double(max(row.max()!, 0))
      let scale = scales.elements(as: Double.self)[index]
      let point = points.elements(as: Int64.self)[index]
      let expected = high == low ? 0.1 : max((high - low) / 255, Double(Float(6.1e-5)))
      #expect(abs(scale - expected) < 1e-9 * expected)
      #expect((-128...127).contains(point))
      if expected > 1e-4, high > low { #expect(abs(Double(point) - (-128 - low / scale)) <= 0.5 + 1e-4) }
    }
    let whole = try runOperator(ChooseQuantization(.tensor(rank: 1), range: 0...255), [tensor], outputs: 2)
    guard case .tensor(let scale) = whole[0], case .tensor(let point) = whole[1] else { throw HarnessError.noTensor }
    #expect(scale.shape == [1] && abs(scale.elements(as: Double.self)[0] - 150.0 / 255) < 1e-12)
    #expect(point.elements(as: Int64.self) == [170])
    #expect(throws: (any Error).self) {
      try runOperator(ChooseQuantization(.rows, range: 0...255), [.tensor(HostTensor(zeros: .float32, shape: [2, 0]))], outputs: 2)
    }
  }

  @Test(arguments: [TablePacking.int8, .uint8, .int4, .lowInt4, .lowUInt4, .int2], [1, 2])
  func tablesUnpackAndScaleByGroups(_ packing: TablePacking, _ groups: Int) throws {
    let (rows, width) = (5, 8)
    var random = SeededGenerator(seed: 41)
    let limits: ClosedRange<Int> =
      switch packing {
      case .int8: -128...127
      case .uint8: 0...255
      case .int4, .lowInt4: -8...7
      case .lowUInt4: 0...15
      case .int2: -2...1
      }
    let values = (0..<rows * width).map { _ in Int.random(in: limits, using: &random) }
    var bytes: [UInt8] = []
    for first in stride(from: 0, to: values.count, by: packing.perByte) {
      switch packing {
      case .int8, .uint8: bytes.append(UInt8(truncatingIfNeeded: values[first]))
      case .int4: bytes.append(UInt8((values[first] + 8) << 4 | (values[first + 1] + 8)))
      case .lowInt4, .lowUInt4: bytes.append(UInt8(values[first] & 15 | (values[first + 1] & 15) << 4))
      case .int2:
        var byte = 0
        for place in 0..<4 { byte |= (values[first + place] + 2) << (2 * place) }
        bytes.append(UInt8(byte))
      }
    }
    let scales = random.floats(rows * groups, in: 0.1...2)
    let points = random.floats(rows * groups, in: -3...3)
    let indices: [Int32] = [4, 0, -3, 4, 1, -2]
    let shape = groups == 1 ? [rows] : [rows, groups]
    let dtype: DType = packing == .int8 ? .int8 : .uint8
    let result = try runTensorOperator(
      QuantizedEmbedding(packing, dtype: .float32, allowsNegative: true),
      [
        .constant(HostTensor(dtype, [rows, width / packing.perByte], bytes)), .constant(HostTensor(.float32, shape, scales)),
        .tensor(HostTensor(.float32, shape, points)), .tensor(HostTensor(.int32, [2, 3], indices)),
      ])
    #expect(result.shape == [2, 3, width])
    let expected = indices.flatMap { index in
      (0..<width).map { k -> Float in
        let row = index < 0 ? Int(index) + rows : Int(index)
        let group = row * groups + k / (width / groups)
        return (Float(values[row * width + k]) - points[group]) * scales[group]
      }
    }
    #expect(result.elements(as: Float.self) == expected)
  }

  @Test(arguments: [Int64(5), -1, Int64.max, Int64.min]) func indicesOutOfATableFailTheCall(_ index: Int64) {
    #expect(throws: ExecutionError.self) {
      try runTensorOperator(
        QuantizedEmbedding(.int4, dtype: .float32),
        [
          .tensor(HostTensor(zeros: .uint8, shape: [5, 2])), .tensor(HostTensor(zeros: .float32, shape: [5])), .absent,
          .tensor(HostTensor(.int64, [1], [index])),
        ])
    }
  }
}
