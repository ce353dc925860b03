import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

@Suite struct QuantizedScaleTests {
  private static let from = IntegerRange(scale: 0.04, zeroPoint: -11)
  private static let to = IntegerRange(scale: 0.03, zeroPoint: 7, lowest: -100, highest: 120)

  /// Images with channels on axis 1 or 3, and factors of all images or of each.
  @Test(
    arguments: [[2, 5, 3, 4], [1, 64, 7, 7], [3, 1, 1, 2], [2, 33, 1, 1], [2, 1, 3, 1], [0, 4, 2, 2]],
    [(1, false), (1, true), (3, false), (3, true)])
  func productsAreThoseOfReals(_ shape: [Int], _ form: (axis: Int, isShared: Bool)) throws {
    var generator = SeededGenerator(seed: UInt64(shape[1] + form.axis))
    let count = shape.reduce(1, *)
    let x = (0..<count).map { _ in Int8.random(in: -128...127, using: &generator) }
    var each = [form.isShared ? 1 : shape[0], 1, 1, 1]
    each[form.axis] = shape[form.axis]
    var factors = (0..<each.reduce(1, *)).map { _ in Float.random(in: -1.5...1.5, using: &generator) }
    if !factors.isEmpty { factors[0] = .infinity }
    let op = QuantizedScale(Self.from, to: Self.to, axis: form.axis)
    let y = try runTensorOperator(op, [.tensor(HostTensor(.int8, shape, x)), .tensor(HostTensor(.float32, each, factors))])
    #expect(y.shape == shape)
    for (index, got) in y.elements(as: Int8.self).enumerated() {
      let channel = form.axis == 3 ? index % shape[3] : index / (shape[2] * shape[3]) % shape[1]
      let image = form.isShared ? 0 : index / (shape[1] * shape[2] * shape[3])
      let factor = factors[image * shape[form.axis] + channel]
      let real = Double(Int32(x[index]) - Self.from.zeroPoint) * Double(Self.from.scale) * Double(factor) / Double(Self.to.scale)
      // 0 · ∞ is stored as the lowest number.
      let expected = real.isNaN ? -100 : max(-100, min(120, real.rounded(.toNearestOrEven) + 7))
      let isTie = abs(real - real.rounded(.down) - 0.5) < 1e-4
      if abs(Double(got) - expected) > (isTie ? 1 : 0) {
        Issue.record("element \(index) is \(got), not \(expected)")
        return
      }
    }
  }

  @Test func factorsOfUnknownShapeAreNotThoseOfChannels() {
    let x = TensorSignature(TensorType(.int8, [2, 4, 5, 6]))
    func factors(_ dimensions: [Dimension]) -> TensorSignature { TensorSignature(dtype: .float32, dimensions: dimensions) }
    #expect(QuantizedScale.axis(of: factors([.fixed(1), .fixed(4), .fixed(1), .fixed(1)]), in: x) == 1)
    #expect(QuantizedScale.axis(of: factors([.fixed(2), .fixed(1), .fixed(1), .fixed(6)]), in: x) == 3)
    #expect(QuantizedScale.axis(of: factors([.symbolic(bound: 2), .fixed(4), .fixed(1), .fixed(1)]), in: x) == nil)
    #expect(QuantizedScale.axis(of: factors([.fixed(1), .fixed(1), .fixed(5), .fixed(1)]), in: x) == nil)
  }

  @Test func otherFactorsAreRefused() {
    let x = TestOperand.tensor(HostTensor(zeros: .int8, shape: [1, 4, 2, 3]))
    for shape in [[4], [1, 4, 2, 1], [2, 4, 1, 1], [1, 1, 1, 3]] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(
          QuantizedScale(Self.from, to: Self.to, axis: 1), [x, .tensor(HostTensor(zeros: .float32, shape: shape))])
      }
    }
  }
}
