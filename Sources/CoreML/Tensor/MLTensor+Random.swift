import Foundation
import Martlet

extension MLTensor {
  /// Independent values with a uniform distribution within the bounds.
  /// - Parameter seed: equal seeds give equal values; nil draws a seed.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomUniform shape: [Int], in bounds: Range<Scalar> = 0..<1, seed: UInt64? = nil, scalarType: Scalar.Type = Scalar.self
  ) {
    let (low, width) = (Double(bounds.lowerBound), Double(bounds.upperBound) - Double(bounds.lowerBound))
    let last = bounds.upperBound.nextDown
    self = .random(shape, seed: seed, as: Scalar.self, "init(randomUniform:in:seed:)") { generator, pair in
      let numbers = generator.uniforms(at: pair, digits: Scalar.significandBitCount + 1)
      // Rounding may reach the upper bound, which is excluded.
      return (Swift.min(Scalar(low + numbers[0] * width), last), Swift.min(Scalar(low + numbers[1] * width), last))
    }
  }

  /// Independent integers with a uniform distribution within the bounds.
  /// - Parameter seed: equal seeds give equal values; nil draws a seed.
  public init<Scalar: MLTensorScalar & BinaryInteger>(
    randomUniform shape: [Int], in bounds: ClosedRange<Scalar> = 0...1, seed: UInt64? = nil, scalarType: Scalar.Type = Scalar.self
  ) {
    let low = Int64(bounds.lowerBound)
    let count = UInt64(Int64(bounds.upperBound) - low) + 1
    self = .random(shape, seed: seed, as: Scalar.self, "init(randomUniform:in:seed:)") { generator, pair in
      // The high half of the product with 64 random bits. Its deviation from uniformity is below 2^-32.
      let bits = generator.bits(at: pair)
      func number(_ high: UInt32, _ low32: UInt32) -> Scalar {
        Scalar(low + Int64(count.multipliedFullWidth(by: UInt64(high) << 32 | UInt64(low32)).high))
      }
      return (number(bits[0], bits[1]), number(bits[2], bits[3]))
    }
  }

  /// Independent values with a normal distribution.
  /// - Parameter seed: equal seeds give equal values; nil draws a seed.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomNormal shape: [Int], mean: Scalar = 0, standardDeviation: Scalar = 1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    let (center, deviation) = (Double(mean), Double(standardDeviation))
    self = .random(shape, seed: seed, as: Scalar.self, "init(randomNormal:mean:standardDeviation:seed:)") { generator, pair in
      // Box-Muller transform. 1 - u is never 0.
      let u = generator.uniforms(at: pair, digits: 53)
      let radius = deviation * (-2 * Foundation.log(1 - u[0])).squareRoot()
      let angle = 2 * Double.pi * u[1]
      return (Scalar(center + radius * Foundation.cos(angle)), Scalar(center + radius * Foundation.sin(angle)))
    }
  }

  /// A tensor whose values `draw` gives in pairs of neighbours. They are drawn at once, so that all uses of the tensor see the same
  /// values.
  private static func random<Scalar: MLTensorScalar>(
    _ shape: [Int], seed: UInt64?, as: Scalar.Type, _ function: String, _ draw: (CounterGenerator, UInt64) -> (Scalar, Scalar)
  ) -> MLTensor {
    let generator = CounterGenerator(key: seed ?? UInt64.random(in: .min ... .max))
    return unsafe filled(Scalar.tensorDType, shape, function) { bytes in
      let elements = unsafe bytes.bindMemory(to: Scalar.self)
      for position in stride(from: 0, to: elements.count, by: 2) {
        let (first, second) = draw(generator, UInt64(position / 2))
        unsafe (elements.baseAddress! + position).initialize(to: first)
        if position + 1 < elements.count { unsafe (elements.baseAddress! + position + 1).initialize(to: second) }
      }
    }
  }
}
