import Foundation
import Testing

import ExecuTorch

/// Distributions of random tensors. Bounds of means and variances are six standard errors wide.
struct TensorRandomTests {
  private static let count = 20_000

  private func doubles(_ tensor: AnyTensor) -> [Double] {
    let typed: Tensor<Double>? = tensor.copy(to: .double).asTensor()
    return typed?.scalars() ?? []
  }

  private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

  private func variance(_ values: [Double]) -> Double {
    let mean = mean(values)
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
  }

  /// Six standard errors of a mean over the elements of a tensor, for a quantity of the given variance.
  private func bound(variance: Double, count: Int = TensorRandomTests.count) -> Double {
    6 * (variance / Double(count)).squareRoot()
  }

  @Test(arguments: [DataType.half, .bFloat16, .float, .double])
  func `uniform numbers are at least 0 and below 1, with the right moments`(type: DataType) {
    let values = doubles(.rand(shape: [TensorRandomTests.count], dataType: type))
    #expect(values.allSatisfy { $0 >= 0 && $0 < 1 })
    // Numbers with eight binary digits lie half a step lower on average.
    let expectedMean = type == .bFloat16 ? 0.5 - 0x1p-9 : 0.5
    #expect(abs(mean(values) - expectedMean) < bound(variance: 1 / 12))
    #expect(abs(variance(values) - 1 / 12) < bound(variance: 1 / 180))
    for tenth in 0..<10 {
      let share = mean(values.map { Int($0 * 10) == tenth ? 1 : 0 })
      #expect(abs(share - 0.1) < bound(variance: 0.09) + 0.002)
    }
  }

  @Test(arguments: [DataType.half, .bFloat16, .float, .double])
  func `normal numbers have the moments and the tails of the distribution`(type: DataType) {
    let values = doubles(.randn(shape: [TensorRandomTests.count], dataType: type))
    #expect(abs(mean(values)) < bound(variance: 1))
    #expect(abs(variance(values) - 1) < bound(variance: 2))
    #expect(abs(mean(values.map { $0 * $0 * $0 })) < bound(variance: 15))
    #expect(abs(mean(values.map { $0 * $0 * $0 * $0 }) - 3) < bound(variance: 96))
    for (limit, expected) in [(1.0, 0.682689), (2.0, 0.954500)] {
      let share = mean(values.map { abs($0) < limit ? 1 : 0 })
      #expect(abs(share - expected) < bound(variance: expected * (1 - expected)) + 0.004)
    }
  }

  @Test func `an odd number of normal numbers is possible`() {
    let values = Tensor<Float>.randn(shape: [7]).scalars()
    #expect(values.count == 7 && Set(values).count == 7)
  }

  @Test(arguments: [DataType.byte, .char, .short, .int, .long, .uInt16, .uInt32, .uInt64, .float, .double, .half, .bFloat16])
  func `integers reach every number of the range and none beyond`(type: DataType) {
    let values = doubles(.randint(low: 3, high: 9, shape: [6000], dataType: type))
    let counts = Dictionary(grouping: values) { $0 }.mapValues(\.count)
    #expect(Set(counts.keys) == [3, 4, 5, 6, 7, 8])
    for count in counts.values { #expect(abs(Double(count) / 6000 - 1 / 6) < bound(variance: 5 / 36, count: 6000)) }
  }

  @Test func `integers can be negative and of any size`() {
    let small = Tensor<Int8>.randint(low: -3, high: 0, shape: [300]).scalars()
    #expect(Set(small) == [-3, -2, -1])
    let large = Tensor<Int>.randint(low: .min, high: .max, shape: [64]).scalars()
    #expect(large.contains { $0 < 0 } && large.contains { $0 > 0 })
    #expect(Tensor<Int>.randint(low: 5, high: 6, shape: [3]).scalars() == [5, 5, 5])
  }

  @Test func `an empty range of integers ends the process`() async {
    await #expect(processExitsWith: .failure) { _ = Tensor<Int>.randint(low: 5, high: 5, shape: [1]) }
  }

  @Test func `random numbers of integer types are whole`() {
    #expect(Tensor<Int>.rand(shape: [100]).scalars().allSatisfy { $0 == 0 })
    let normal = Set(Tensor<Int>.randn(shape: [2000]).scalars())
    #expect(normal.isSuperset(of: [-1, 0, 1]))
    #expect(Tensor<UInt8>.randn(shape: [2000]).scalars().allSatisfy { $0 < 10 })
    #expect(Set(Tensor<Bool>.randint(low: 0, high: 2, shape: [200]).scalars()) == [true, false])
  }

  @Test func `tensors differ from each other`() {
    #expect(Tensor<Float>.rand(shape: [16]) != Tensor<Float>.rand(shape: [16]))
    #expect(Tensor<Float>.randn(shape: [16]) != Tensor<Float>.randn(shape: [16]))
  }

  @Test func `the generator gives the published sequence`() {
    // First results of SplitMix64 from the state 1234567.
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
  }
}
