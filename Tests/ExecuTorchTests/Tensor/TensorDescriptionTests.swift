import Testing

import ExecuTorch

/// What tensors print.
struct TensorDescriptionTests {
  @Test func `type, layout, dynamism and elements are listed`() {
    let tensor = Tensor<Float>([1, 2.5, -3, 1e-7, 123_456_792, .infinity], shape: [2, 3], strides: [1, 2])
    #expect(
      tensor.description == """
        Tensor {
          dataType: float,
          shape: [2,3],
          strides: [1,2],
          dimensionOrder: [1,0],
          shapeDynamism: dynamicBound,
          count: 6,
          scalars: [1,2.5,-3,1e-07,1.23457e+08,inf]
        }
        """)
    #expect("\(tensor.anyTensor)" == tensor.description)
  }

  @Test func `at most a hundred elements are listed`() {
    let hundred = Tensor<UInt8>.ones(shape: [100]).description
    #expect(hundred.contains("[" + [String](repeating: "1", count: 100).joined(separator: ",") + "]"))
    let more = Tensor<UInt8>.ones(shape: [101]).description
    #expect(more.contains("[" + [String](repeating: "1", count: 100).joined(separator: ",") + ",...]"))
    #expect(more.contains("count: 101,"))
  }

  @Test func `elements of every kind are numbers`() {
    #expect(Tensor([true, false]).description.contains("dataType: bool,"))
    #expect(Tensor([true, false]).description.contains("scalars: [1,0]"))
    #expect(Tensor<Int8>([-128, 127]).description.contains("scalars: [-128,127]"))
    #expect(Tensor([UInt64.max]).description.contains("scalars: [18446744073709551615]"))
    #expect(Tensor<Float>([1.5]).anyTensor.copy(to: .bFloat16).description.contains("dataType: bfloat16,"))
    #expect(Tensor<Float>([1.5]).anyTensor.copy(to: .half).description.contains("scalars: [1.5]"))
    #expect(Tensor([UInt32(1)]).description.contains("dataType: uint32,"))
    #expect(AnyTensor.empty(shape: [2], dataType: .complexHalf).description.contains("dataType: complexHalf,"))
  }

  @Test func `tensors without axes or elements can be described`() {
    #expect(Tensor(7).description.contains("shape: [],\n  strides: [],\n  dimensionOrder: [],\n  shapeDynamism: static,\n"))
    #expect(Tensor(7).description.contains("count: 1,\n  scalars: [7]"))
    #expect(Tensor<Float>.zeros(shape: [0, 2]).description.contains("count: 0,\n  scalars: []"))
  }
}
