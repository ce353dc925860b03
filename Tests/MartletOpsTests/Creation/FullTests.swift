import MartletGraph
import MartletOps
import MartletTensor
import Testing

@Suite struct FullTests {
  private static let largest: [(DType, within: [Scalar], beyond: [Scalar])] = [
    (.int8, [.int(127), .int(-128), .double(127.9), .bool(true)], [.int(128), .int(-129), .double(128), .double(.nan)]),
    (.uint8, [.int(255), .int(-255), .double(255.5)], [.int(256), .int(-256), .int(.min), .double(.infinity)]),
    (.int32, [.int(1 << 31 - 1), .int(-1 << 31)], [.int(1 << 31), .int(.max), .double(3e9)]),
    (.int64, [.int(.max), .int(.min)], [.double(1e19)]),
    (.float16, [.int(65504), .double(-65504), .double(.infinity), .double(.nan)], [.int(65505), .double(65519), .double(-1e5)]),
    (.bfloat16, [.double(3e38), .double(-.infinity)], [.double(3.4e38)]),
    (.float32, [.int(.max), .double(3.4e38), .double(.nan)], [.double(3.5e38), .double(-1e300)]),
    (.bool, [.int(2), .double(1e300)], []),
  ]

  @Test(arguments: largest.indices) func aNumberMustFitIfTheOperatorIsStrict(_ index: Int) throws {
    let (dtype, within, beyond) = Self.largest[index]
    for (position, number) in (within + beyond).enumerated() {
      #expect(number.fits(dtype) == (position < within.count), "\(number) as \(dtype)")
      for operand in [TestOperand.number(number), .runtimeNumber(number)] {
        // Without an element, too.
        for shape in [[2], [0]] {
          let strict = Full(shape: shape.map { .constant($0) }, dtype: dtype, isStrict: true)
          if number.fits(dtype) {
            #expect(try runTensorOperator(strict, [operand]).shape == shape)
          } else {
            #expect(throws: (any Error).self) { try runTensorOperator(strict, [operand]) }
          }
          #expect(throws: Never.self) {
            try runTensorOperator(Full(shape: shape.map { .constant($0) }, dtype: dtype), [operand])
          }
        }
      }
    }
  }
}
