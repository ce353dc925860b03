import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// Products of integers, against their definition in 64-bit integers.
@Suite struct QuantizedProductTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var channels: (input: Int, output: Int)
    var groups = 1
    var extent: (height: Int, width: Int)
    var kernel = (3, 3)
    var stride = 1
    var dilation = 1
    var padding = 1
    /// Below and on the right, if it differs from that above and on the left.
    var after: (height: Int, width: Int)?
    var testDescription: String {
      "\(channels) in \(groups), \(extent), \(kernel) s\(stride) d\(dilation) p\(padding)\(after.map { "\($0)" } ?? "")"
    }
  }

  static let cases = [
    Case(channels: (3, 32), extent: (17, 13), stride: 2), Case(channels: (64, 40), extent: (9, 11)),
    Case(channels: (70, 33), extent: (7, 7), kernel: (1, 1), padding: 0),
    Case(channels: (64, 64), extent: (8, 9), kernel: (1, 1), padding: 0),
    Case(channels: (5, 1), extent: (1, 1), kernel: (1, 1), padding: 0), Case(channels: (6, 10), groups: 2, extent: (6, 5)),
    Case(channels: (16, 24), extent: (6, 6), dilation: 2, padding: 2), Case(channels: (48, 48), groups: 48, extent: (11, 9)),
    Case(channels: (35, 35), groups: 35, extent: (12, 17), stride: 2),
    Case(channels: (20, 20), groups: 20, extent: (9, 9), kernel: (5, 5), padding: 2),
    Case(channels: (17, 17), groups: 17, extent: (8, 8), kernel: (7, 2), stride: 2, padding: 1),
    Case(channels: (4, 8), groups: 4, extent: (5, 5)),
    // Blocks of 64 channels and what is left of them; rows in pairs and alone; images narrower than the kernel.
    Case(channels: (64, 64), groups: 64, extent: (4, 6)), Case(channels: (96, 96), groups: 96, extent: (5, 7), stride: 2),
    Case(channels: (112, 112), groups: 112, extent: (3, 3)), Case(channels: (32, 32), groups: 32, extent: (6, 1)),
    Case(channels: (32, 32), groups: 32, extent: (2, 2), stride: 2), Case(channels: (80, 80), groups: 80, extent: (7, 5), dilation: 2),
    Case(channels: (40, 40), groups: 40, extent: (6, 9), kernel: (5, 5), stride: 2, padding: 2),
    Case(channels: (70, 70), groups: 70, extent: (5, 11), kernel: (5, 5), padding: 2),
    Case(channels: (9, 9), groups: 9, extent: (4, 13), kernel: (3, 3), stride: 3),
    // Rows of the image that are merged: two, three and four of them.
    Case(channels: (3, 40), extent: (15, 18), kernel: (7, 7), stride: 2, padding: 3), Case(channels: (5, 7), extent: (9, 40)),
    Case(channels: (1, 33), extent: (11, 70), kernel: (4, 5), padding: 2),
    // Winograd tiles, some of them partly outside; and depthwise rows longer than what is widened at a time.
    Case(channels: (47, 70), extent: (10, 7)), Case(channels: (32, 16), extent: (9, 14), padding: 0),
    Case(channels: (24, 24), groups: 24, extent: (5, 270)),
    // More pixels than the tiles of a block.
    Case(channels: (16, 70), extent: (24, 25), kernel: (1, 1), padding: 0),
    // Rows and columns beyond the image on one side only.
    Case(channels: (64, 33), extent: (5, 8), kernel: (1, 1), padding: 0, after: (3, 0)),
    Case(channels: (20, 9), extent: (6, 5), kernel: (1, 1), stride: 2, padding: 0, after: (4, 3)),
    Case(channels: (16, 24), extent: (8, 7), padding: 0, after: (2, 3)), Case(channels: (3, 8), extent: (9, 9), stride: 2, after: (0, 4)),
    Case(channels: (36, 36), groups: 36, extent: (7, 9), padding: 0, after: (3, 1)),
  ]

  private func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [Int8] {
    (0..<count).map { _ in Int8.random(in: -128...127, using: &generator) }
  }

  /// Sums of products of numbers less the zero point, [N, O, H, W].
  private func sums(_ c: Case, _ x: [Int8], zeroPoint: Int, _ w: [Int8], images: Int, output: (height: Int, width: Int)) -> [Int] {
    let (inputs, outputs) = (c.channels.input / c.groups, c.channels.output / c.groups)
    var result: [Int] = []
    for image in 0..<images {
      for o in 0..<c.channels.output {
        for y in 0..<output.height {
          for column in 0..<output.width {
            var sum = 0
            for i in 0..<inputs {
              for ky in 0..<c.kernel.0 {
                for kx in 0..<c.kernel.1 {
                  let row = y * c.stride - c.padding + ky * c.dilation
                  let position = column * c.stride - c.padding + kx * c.dilation
                  guard (0..<c.extent.height).contains(row), (0..<c.extent.width).contains(position) else { continue }
                  let channel = o / outputs * inputs + i
                  let value = Int(x[((image * c.channels.input + channel) * c.extent.height + row) * c.extent.width + position]) - zeroPoint
                  sum += value * Int(w[((o * inputs + i) * c.kernel.0 + ky) * c.kernel.1 + kx])
                }
              }
            }
            result.append(sum)
          }
        }
      }
    }
    return result
  }

  /// `wholeBiases`: biases are whole units of the sums, as in XNNPACK's payloads, and are added to the sums themselves.
  @Test(arguments: cases, [false, true]) func convolutionsSumExactlyAndRoundOnce(_ c: Case, wholeBiases: Bool) throws {
    var generator = SeededGenerator(seed: UInt64(c.channels.input * 131 + c.extent.width))
    let images = 2
    let x = bytes(images * c.channels.input * c.extent.height * c.extent.width, &generator)
    let perChannel = c.channels.input / c.groups * c.kernel.0 * c.kernel.1
    let w = bytes(c.channels.output * perChannel, &generator)
    let scales = generator.floats(c.channels.output, in: 0.001...0.01)
    let unit: Float = 0.05
    var bias = generator.floats(c.channels.output, in: -2...2)
    let counts = zip(bias, scales).map { ($0 / (unit * $1)).rounded() }
    if wholeBiases { bias = zip(counts, scales).map { $0 * (unit * $1) } }
    let real = Convolution(
      stride: [c.stride, c.stride],
      padding: [(c.padding, c.after?.height ?? c.padding), (c.padding, c.after?.width ?? c.padding)], dilation: [c.dilation, c.dilation],
      outputPadding: [0, 0], groups: c.groups, dtype: .float32)
    let input = IntegerRange(scale: unit, zeroPoint: -7)
    let output = IntegerRange(scale: Float(perChannel) * 0.004, zeroPoint: 11, lowest: 3)
    let operands: [TestOperand] = [
      .tensor(HostTensor(.int8, [images, c.channels.input, c.extent.height, c.extent.width], x)),
      .constant(HostTensor(.int8, [c.channels.output, c.channels.input / c.groups, c.kernel.0, c.kernel.1], w)),
      .constant(HostTensor(.float32, [c.channels.output], bias)), .constant(HostTensor(.float32, [c.channels.output], scales)),
    ]
    let quantized = try runTensorOperator(QuantizedConvolution(real, input: input, output: .quantized(output)), operands)
    let sums = sums(c, x, zeroPoint: -7, w, images: images, output: (quantized.shape[2], quantized.shape[3]))
    let plane = quantized.shape[2] * quantized.shape[3]
    for (index, got) in quantized.elements(as: Int8.self).enumerated() {
      let channel = index / plane % c.channels.output
      let factor = unit * scales[channel] / output.scale
      let steps =
        wholeBiases
        ? Float(sums[index] + Int(counts[channel])) * factor
        : Float(sums[index]) * factor + Float(Double(bias[channel]) / Double(output.scale))
      let expected = max(3, min(127, steps.rounded(.toNearestOrEven) + 11))
      if Float(got) != expected {
        Issue.record("element \(index) is \(got), not \(expected)")
        return
      }
    }
    let reals = try runTensorOperator(QuantizedConvolution(real, input: input, output: .real(.relu)), operands)
    for (index, got) in reals.elements(as: Float.self).enumerated() {
      let channel = index / plane % c.channels.output
      let expected = max(0, Double(sums[index]) * 0.05 * Double(scales[channel]) + Double(bias[channel]))
      if abs(Double(got) - expected) > 1e-5 * (abs(expected) + 10) {
        Issue.record("element \(index) is \(got), not \(expected)")
        return
      }
    }
  }

  /// As XNNPACK adds: with fixed-point scales, of which the larger has 21 bits.
  @Test(arguments: [1, 31, 64, 65, 130], [(0.7, 0.9), (0.001, 1.9), (60, 3), (0.004, 0.002)] as [(Float, Float)])
  func sumsAreThoseOfFixedPointScales(_ count: Int, _ scales: (Float, Float)) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let (x, y) = (bytes(count, &generator), bytes(count, &generator))
    for (zeroX, zeroY, zero) in [(3, -7, 5), (-128, 127, -128), (127, 127, 127)] as [(Int32, Int32, Int32)] {
      let sum = QuantizedBinary(
        .add, a: IntegerRange(scale: scales.0, zeroPoint: zeroX), b: IntegerRange(scale: scales.1, zeroPoint: zeroY),
        output: IntegerRange(scale: 1, zeroPoint: zero, lowest: -100, highest: 90), rounding: .xnnpack)
      let z = try runTensorOperator(sum, [.tensor(HostTensor(.int8, [count], x)), .tensor(HostTensor(.int8, [count], y))])
      let shift = 20 - Int(max(scales.0, scales.1).exponent)
      let (a, b) = (
        Int((Double(scales.0) * Double(1 << shift)).rounded(.toNearestOrEven)),
        Int((Double(scales.1) * Double(1 << shift)).rounded(.toNearestOrEven))
      )
      let expected = zip(x, y).map { x, y in
        let exact = (Int(x) - Int(zeroX)) * a + (Int(y) - Int(zeroY)) * b
        return Int8(max(-100, min(90, (exact + 1 << (shift - 1)) >> shift + Int(zero))))
      }
      #expect(z.elements(as: Int8.self) == expected)
    }
  }

  /// Windows that reach over every edge, of channels that fill vectors and that do not.
  @Test(arguments: [1, 16, 64, 83], [(3, 2, 1, 1), (2, 2, 1, 0), (3, 1, 2, 1), (5, 3, 1, 2)])
  func maximaOfWindows(_ channels: Int, _ window: (kernel: Int, stride: Int, dilation: Int, padding: Int)) throws {
    var generator = SeededGenerator(seed: UInt64(channels))
    let (height, width) = (7, 9)
    let x = bytes(channels * height * width, &generator)
    let pair = [window.padding, window.padding]
    let pool = QuantizedPool(
      .sliding(
        kernel: [window.kernel, window.kernel], stride: [window.stride, window.stride], before: pair, after: pair,
        dilation: [window.dilation, window.dilation], ceil: false), reduction: .maximum)
    let y = try runTensorOperator(pool, [.tensor(HostTensor(.int8, [1, channels, height, width], x))])
    let taps = 0..<window.kernel
    for (index, got) in y.elements(as: Int8.self).enumerated() {
      let (line, column) = index.quotientAndRemainder(dividingBy: y.shape[3])
      let (channel, row) = line.quotientAndRemainder(dividingBy: y.shape[2])
      let met = taps.flatMap { i in
        taps.compactMap { j -> Int8? in
          let (r, c) = (
            row * window.stride - window.padding + i * window.dilation, column * window.stride - window.padding + j * window.dilation
          )
          return r >= 0 && r < height && c >= 0 && c < width ? x[(channel * height + r) * width + c] : nil
        }
      }
      if got != met.max() {
        Issue.record("element \(index) is \(got), not \(String(describing: met.max()))")
        return
      }
    }
  }

  @Test(arguments: [(1, 64, 10), (5, 33, 70), (40, 200, 96)]) func linearRowsSumExactly(_ rows: Int, _ depth: Int, _ columns: Int) throws {
    var generator = SeededGenerator(seed: UInt64(depth))
    let x = bytes(rows * depth, &generator)
    let w = bytes(columns * depth, &generator)
    let y = try runTensorOperator(
      QuantizedLinear(input: IntegerRange(scale: 0.5, zeroPoint: 3), output: .real(.none)),
      [
        .tensor(HostTensor(.int8, [rows, depth], x)), .constant(HostTensor(.int8, [columns, depth], w)), .absent,
        .constant(HostTensor(.float32, [1], [0.25 as Float])),
      ])
    #expect(y.shape == [rows, columns])
    let expected = (0..<rows * columns).map { index -> Float in
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      var sum = 0
      for k in 0..<depth { sum += (Int(x[row * depth + k]) - 3) * Int(w[column * depth + k]) }
      return Float(sum) * 0.125
    }
    #expect(y.elements(as: Float.self) == expected)
  }

  @Test(arguments: [(3, 64, 40), (1, 24, 23), (5, 7, 3), (2, 1, 1)], [Float(1), 0, 1e-30])
  func symmetricRowsShareAScale(_ extents: (rows: Int, depth: Int, columns: Int), magnitude: Float) throws {
    let (rows, depth, columns) = extents
    var generator = SeededGenerator(seed: UInt64(depth))
    let x = generator.floats(rows * depth, in: -3...5).map { $0 * magnitude }
    let w = bytes(columns * depth, &generator)
    let y = try runTensorOperator(
      DynamicLinear(depth: depth, isNibbles: false, quantization: .symmetricTensor),
      [
        .tensor(HostTensor(.float32, [rows, depth], x)), .constant(HostTensor(.int8, [columns, depth], w)), .absent,
        .constant(HostTensor(.float32, [1, 1], [0.02 as Float])),
      ])
    // The smallest scale is that of the other forms.
    let largest = x.map(abs).max()!
    let scale = largest == 0 ? 1 : max(largest / 127, 6.1e-5)
    for (index, got) in y.elements(as: Float.self).enumerated() {
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      var sum = 0.0
      for k in 0..<depth { sum += Double((x[row * depth + k] / scale).rounded()) * Double(w[column * depth + k]) }
      let expected = sum * Double(scale) * Double(0.02 as Float)
      if abs(Double(got) - expected) > 1e-5 * (abs(expected) + Double(scale)) { Issue.record("\(index): \(got), not \(expected)") }
    }
  }

  @Test(arguments: [(3, 64, 40, 2), (1, 96, 33, 3), (7, 40, 5, 1), (2, 7, 3, 1)])
  func dynamicRowsAreQuantisedByTheirOwnRange(_ rows: Int, _ depth: Int, _ columns: Int, _ blocks: Int) throws {
    var generator = SeededGenerator(seed: UInt64(depth + blocks))
    let x = generator.floats(rows * depth, in: -3...5)
    let isWhole = blocks == 1
    let bias = generator.floats(columns)
    func quantized(_ row: Int) -> (numbers: [Int], scale: Double) {
      let values = x[row * depth..<(row + 1) * depth]
      let (scale, zero) = QuantizationChoice.parameters(low: values.min()!, high: values.max()!, range: -128...127)
      return (values.map { min(127, max(-128, Int(($0 * (1 / Float(scale))).rounded(.toNearestOrEven)) + Int(zero))) - Int(zero) }, scale)
    }
    func check(_ y: HostTensor, weight: (Int, Int) -> Int, scale: (Int, Int) -> Float) {
      for (index, got) in y.elements(as: Float.self).enumerated() {
        let (row, column) = index.quotientAndRemainder(dividingBy: columns)
        let (numbers, rowScale) = quantized(row)
        var expected = 0.0
        for k in 0..<depth { expected += Double(numbers[k] * weight(column, k)) * Double(scale(column, k)) * rowScale }
        expected = max(expected + Double(bias[column]), 0)
        if abs(Double(got) - expected) > 2e-5 * (abs(expected) + 20) { Issue.record("\(index): \(got), not \(expected)") }
      }
    }
    let scales = generator.floats(columns * blocks, in: 0.01...0.1)
    let input = TestOperand.tensor(HostTensor(.float32, [rows, depth], x))
    let biasOperand = TestOperand.constant(HostTensor(.float32, [columns], bias))
    let scaleOperand = TestOperand.constant(HostTensor(.float32, [columns, blocks], scales))
    if isWhole {
      let w = bytes(columns * depth, &generator)
      let y = try runTensorOperator(
        DynamicLinear(depth: depth, isNibbles: false, quantization: .rows, activation: .relu),
        [input, .constant(HostTensor(.int8, [columns, depth], w)), biasOperand, scaleOperand])
      check(y, weight: { Int(w[$0 * depth + $1]) }, scale: { column, _ in scales[column] })
    }
    let rowBytes = (depth + 1) / 2
    let packed = (0..<columns * rowBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let y = try runTensorOperator(
      DynamicLinear(depth: depth, isNibbles: true, quantization: .rows, activation: .relu),
      [input, .constant(HostTensor(.uint8, [columns, rowBytes], packed)), biasOperand, scaleOperand])
    check(
      y,
      weight: { column, k in
        let byte = packed[column * rowBytes + k / 2]
        return Int(k % 2 == 0 ? byte & 15 : byte >> 4) - 8
      }, scale: { column, k in scales[column * blocks + k / (depth / blocks)] })
  }
}
