import Foundation
import Testing

import ExecuTorch

/// Copies with another element type.
struct TensorConversionTests {
  /// Every type of numbers.
  static let numericTypes: [DataType] = [
    .byte, .char, .short, .int, .long, .half, .float, .double, .bool, .bFloat16, .uInt16, .uInt32, .uInt64,
  ]

  /// The elements as doubles, read without the code under test.
  private func doubles(_ tensor: AnyTensor) -> [Double] {
    var result: [Double] = []
    unsafe tensor.bytes { pointer, count, type in
      func read<T: BitwiseCopyable>(_ convert: (T) -> Double) -> [Double] {
        (0..<count).map { unsafe convert(pointer.load(fromByteOffset: $0 * MemoryLayout<T>.stride, as: T.self)) }
      }
      result =
        switch type {
        case .byte, .bool: read { (x: UInt8) in Double(x) }
        case .char: read { (x: Int8) in Double(x) }
        case .short: read { (x: Int16) in Double(x) }
        case .int: read { (x: Int32) in Double(x) }
        case .long: read { (x: Int64) in Double(x) }
        case .half: read { (x: Float16) in Double(x) }
        case .float: read { (x: Float) in Double(x) }
        case .double: read { (x: Double) in x }
        case .bFloat16: read { (x: UInt16) in Double(Float(bitPattern: UInt32(x) << 16)) }
        case .uInt16: read { (x: UInt16) in Double(x) }
        case .uInt32: read { (x: UInt32) in Double(x) }
        case .uInt64: read { (x: UInt64) in Double(x) }
        default: []
        }
    }
    return result
  }

  @Test(arguments: numericTypes) func `numbers that every type has go from each to each`(source: DataType) {
    let bits = Tensor<UInt8>([0, 1, 1, 0, 1, 0], shape: [2, 3], strides: [1, 2]).anyTensor.copy(to: source)
    #expect(bits.dataType == source)
    for target in TensorConversionTests.numericTypes {
      let copy = bits.copy(to: target)
      #expect(copy.dataType == target)
      #expect(copy.shape == [2, 3] && copy.strides == [1, 2] && copy.dimensionOrder == [1, 0])
      #expect(doubles(copy) == [0, 1, 1, 0, 1, 0])
    }
  }

  @Test(arguments: numericTypes.filter { $0 != .bool }) func `small integers go from each type to each`(source: DataType) {
    let numbers: [Double] = [0, 1, 2, 63, 127]
    let tensor = Tensor(numbers).anyTensor.copy(to: source)
    #expect(doubles(tensor) == numbers)
    for target in TensorConversionTests.numericTypes where target != .bool {
      #expect(doubles(tensor.copy(to: target)) == numbers)
    }
    #expect(doubles(tensor.copy(to: .bool)) == [0, 1, 1, 1, 1])
  }

  @Test func `integers keep their low bits`() {
    #expect(Tensor([300, -1, 65_536 + 7, Int.min]).copy(to: UInt8.self).scalars() == [44, 255, 7, 0])
    #expect(Tensor([300, -1, 200]).copy(to: Int8.self).scalars() == [44, -1, -56])
    #expect(Tensor([UInt64.max, 1 << 63]).copy(to: Int64.self).scalars() == [-1, Int64.min])
    #expect(Tensor([Int8(-1)]).copy(to: UInt64.self).scalars() == [UInt64.max])
  }

  @Test func `reals lose what is after the point`() {
    #expect(Tensor([1.9, -1.9, 0.99, -0.5]).copy(to: Int.self).scalars() == [1, -1, 0, 0])
    #expect(Tensor<Float>([2.5, 254.99]).copy(to: UInt8.self).scalars() == [2, 254])
    #expect(Tensor([1e19]).copy(to: UInt64.self).scalars() == [10_000_000_000_000_000_000])
  }

  @Test func `reals beyond an integer type end at its bounds`() {
    let extremes = Tensor([1e30, -1e30, Double.infinity, -Double.infinity, Double.nan])
    #expect(extremes.copy(to: Int8.self).scalars() == [127, -128, 127, -128, 0])
    #expect(extremes.copy(to: Int64.self).scalars() == [.max, .min, .max, .min, 0])
    #expect(extremes.copy(to: UInt32.self).scalars() == [.max, 0, .max, 0, 0])
  }

  @Test func `everything but zero is true`() {
    #expect(Tensor([0.0, -0.0, 0.1, -3, Double.nan]).copy(to: Bool.self).scalars() == [false, false, true, true, true])
    #expect(Tensor([0, 256, -1]).copy(to: Bool.self).scalars() == [false, true, true])
    #expect(Tensor([true, false]).copy(to: Double.self).scalars() == [1, 0])
  }

  @Test func `reals are rounded to the nearest, ties to even`() {
    // 2049 lies between 2048 and 2050; 65520 is the first number that rounds to infinity.
    let half = Tensor([2049.0, 2051, 65519, 65520, 1e-8, Double.nan]).copy(to: Float16.self).scalars()
    #expect(half.dropLast() == [2048, 2052, 65504, .infinity, 0])
    #expect(half.last?.isNaN == true)
    // The upper halves of floats: 257 lies between 256 and 258, 259 between 258 and 260.
    let brain = Tensor<Float>([257, 259, 1, .nan, .infinity, -3.5, .greatestFiniteMagnitude]).anyTensor.copy(to: .bFloat16)
    let back = doubles(brain)
    #expect(back[0] == 256 && back[1] == 260 && back[2] == 1)
    #expect(back[3].isNaN)
    #expect(back[4] == .infinity && back[5] == -3.5 && back[6] == .infinity)
    #expect(Tensor([16_777_217]).copy(to: Float.self).scalars() == [16_777_216])
    #expect(Tensor([UInt64.max]).copy(to: Double.self).scalars() == [0x1p64])
  }

  @Test func `the copy has the dynamism of the tensor and its own memory`() {
    let tensor = Tensor<Int32>([1, 2], shapeDynamism: .static)
    let copy = tensor.copy(to: Int32.self)
    #expect(copy.shapeDynamism == .static)
    unsafe copy.withUnsafeMutableBytes { unsafe $0[0] = 5 }
    #expect(tensor.scalars() == [1, 2])
  }

  @Test func `memory at any address can be converted`() {
    let bytes = Data([9, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0x40] + [UInt8](repeating: 0, count: 30))
    let tensor = Tensor<Float>(data: bytes[1...], shape: [2])
    #expect(tensor.copy(to: Int.self).scalars() == [1, 2])
    #expect(tensor.description.contains("scalars: [1,2]"))
  }

  @Test func `complex numbers cannot become reals`() async {
    await #expect(processExitsWith: .failure) { _ = AnyTensor.empty(shape: [2], dataType: .complexFloat).copy(to: .float) }
    await #expect(processExitsWith: .failure) { _ = AnyTensor.empty(shape: [2], dataType: .float).copy(to: .qInt8) }
  }
}
