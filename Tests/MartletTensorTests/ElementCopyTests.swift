import MartletTensor
import Testing

/// Copies between layouts and element types.
struct ElementCopyTests {
  private static let dtypes: [DType] = [
    .float32, .float64, .float16, .bfloat16, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .bool,
  ]

  private func copy(_ numbers: [Scalar], from source: DType, to target: DType) throws -> [Scalar] {
    let from = try #require(HostTensor(numbers, dtype: source, shape: [numbers.count]))
    let to = try TensorStorage(allocating: numbers.count * target.byteCount)
    unsafe from.withUnsafeBytes {
      unsafe copyElements(
        shape: [numbers.count], from: $0.baseAddress!, ElementPlacement(source, strides: [1]), to: to.pointer,
        ElementPlacement(target, strides: [1]))
    }
    return HostTensor(dtype: target, shape: [numbers.count], storage: to).numbers.map { .double($0) }
  }

  @Test(arguments: dtypes) func `small numbers keep their value in every type`(source: DType) throws {
    let numbers = source == .bool ? [0, 1] : [0, 1, 2, 100, 127]
    for target in Self.dtypes {
      let expected = numbers.map { target == .bool ? Double(min($0, 1)) : Double($0) }
      let found = try copy(numbers.map { .int(Int64($0)) }, from: source, to: target)
      #expect(found == expected.map { .double($0) }, "\(source) to \(target)")
    }
  }

  @Test func `integers are clamped, rounded beyond 2^53, and NaN is 0`() throws {
    let numbers: [Scalar] = [.double(-3.7), .double(.nan), .double(.infinity), .double(-.infinity), .double(1e30)]
    #expect(
      try copy(numbers, from: .float64, to: .int64) == [-3, 0, 0x1p63, -0x1p63, 0x1p63].map { .double($0) })
    #expect(try copy(numbers, from: .float64, to: .uint64) == [0, 0, 0x1p64, 0, 0x1p64].map { .double($0) })
    #expect(try copy([.int(.max), .int(.min)], from: .int64, to: .int32) == [2_147_483_647, -2_147_483_648].map { .double($0) })
    #expect(try copy([.int((1 << 53) + 1)], from: .int64, to: .float64) == [.double(0x1p53)])
  }

  @Test func `bfloat16 rounds to nearest, ties to even`() throws {
    let numbers: [Scalar] = [1.001953125, 1.00390625, 1.01171875, 3.39e38].map { .double($0) }
    #expect(try copy(numbers, from: .float32, to: .bfloat16) == [1, 1, 1.015625, 0x1.fep127].map { .double($0) })
  }

  @Test func `complex numbers lose their imaginary parts`() throws {
    let source: [Float] = [1, 2, -3, 4]
    let to = try TensorStorage(allocating: 2 * 16)
    unsafe source.withUnsafeBytes {
      unsafe copyElements(
        shape: [2], from: $0.baseAddress!, ElementPlacement(.complex64, strides: [1]), to: to.pointer,
        ElementPlacement(.complex128, strides: [1]))
    }
    #expect(HostTensor(dtype: .float64, shape: [4], storage: to).numbers == [1, 0, -3, 0])
  }
}
