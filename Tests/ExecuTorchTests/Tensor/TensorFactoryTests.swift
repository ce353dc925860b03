import Foundation
import Testing

import ExecuTorch

/// Tensors of constants.
struct TensorFactoryTests {
  private static let types = TensorConversionTests.numericTypes

  @Test(arguments: types) func `ones and zeros exist of every type of numbers`(type: DataType) {
    let ones = AnyTensor.ones(shape: [2, 3], dataType: type)
    let zeros = AnyTensor.zeros(shape: [2, 3], dataType: type)
    #expect(ones.dataType == type && zeros.dataType == type)
    let one: Tensor<Double>? = ones.copy(to: .double).asTensor()
    let zero: Tensor<Double>? = zeros.copy(to: .double).asTensor()
    #expect(one?.scalars() == [Double](repeating: 1, count: 6))
    #expect(zero?.scalars() == [Double](repeating: 0, count: 6))
  }

  @Test func `full writes its number everywhere`() {
    func check<T: ExecuTorch.Scalar & Equatable>(_ scalar: T) {
      #expect(Tensor<T>.full(shape: [3], scalar: scalar).scalars() == [scalar, scalar, scalar])
      #expect(AnyTensor.full(shape: [3], scalar: scalar).dataType == T.dataType)
    }
    check(UInt8.max)
    check(Int8.min)
    check(Int16.min)
    check(Int32.min)
    check(Int64.min)
    check(Int.max)
    check(UInt16.max)
    check(UInt32.max)
    check(UInt64.max)
    check(UInt.max)
    check(Float(0.1))
    check(0.1)
    check(-Double.infinity)
    check(true)
    check(false)
    #expect(Tensor<Float>.full(shape: [1], scalar: .nan).scalars()[0].isNaN)
  }

  @Test func `full takes strides`() {
    let tensor = Tensor<Float>.full(shape: [2, 3], scalar: 4, strides: [1, 2], shapeDynamism: .static)
    #expect(tensor.strides == [1, 2] && tensor.dimensionOrder == [1, 0] && tensor.shapeDynamism == .static)
    #expect(AnyTensor.empty(shape: [2, 3], strides: [1, 2], dataType: .float).dimensionOrder == [1, 0])
    #expect(AnyTensor.rand(shape: [2, 3], strides: [1, 2], dataType: .float).dimensionOrder == [1, 0])
    #expect(AnyTensor.randn(shape: [2, 3], strides: [1, 2], dataType: .float).dimensionOrder == [1, 0])
    #expect(AnyTensor.randint(low: 0, high: 2, shape: [2, 3], strides: [1, 2], dataType: .int).dimensionOrder == [1, 0])
  }

  @Test func `a factory without axes makes one element`() {
    #expect(Tensor<Int>.ones(shape: []).scalars() == [1])
    #expect(Tensor<Int>.full(shape: [], scalar: 3).shape == [])
  }

  @Test func `a like-shaped tensor has shape, layout and type of the other but not its dynamism`() {
    let other = Tensor<Int32>([1, 2, 3, 4, 5, 6], shape: [2, 3], strides: [1, 2], shapeDynamism: .static).anyTensor
    let tensors: [AnyTensor] = [
      .empty(like: other), .full(like: other, scalar: Int32(7)), .ones(like: other), .zeros(like: other), .rand(like: other),
      .randn(like: other), .randint(like: other, low: 0, high: 9),
    ]
    for tensor in tensors {
      #expect(tensor.dataType == .int)
      #expect(tensor.shape == [2, 3] && tensor.strides == [1, 2] && tensor.dimensionOrder == [1, 0])
      #expect(tensor.shapeDynamism == .dynamicBound)
    }
    #expect(AnyTensor.ones(like: other, shapeDynamism: .static).shapeDynamism == .static)
    #expect(other == Tensor<Int32>([1, 2, 3, 4, 5, 6], shape: [2, 3], strides: [1, 2]).anyTensor)
  }

  @Test func `a like-shaped tensor keeps a dimension order that strides do not tell`() {
    let other = Tensor<Float>([1, 2, 3, 4], shape: [1, 1, 2, 2], dimensionOrder: [0, 2, 3, 1])
    let tensor = Tensor<Float>.zeros(like: other)
    #expect(tensor.dimensionOrder == other.dimensionOrder && tensor.strides == other.strides)
  }

  @Test func `a like-shaped tensor can have another type`() {
    let other = AnyTensor.zeros(shape: [2], dataType: .float)
    #expect(AnyTensor.empty(like: other, dataType: .long).dataType == .long)
    #expect(AnyTensor.ones(like: other, dataType: .bool).dataType == .bool)
    #expect(AnyTensor.zeros(like: other, dataType: .bool).dataType == .bool)
    #expect(AnyTensor.full(like: other, scalar: 2.0).dataType == .double)
    #expect(AnyTensor.rand(like: other, dataType: .half).dataType == .half)
    #expect(AnyTensor.randn(like: other, dataType: .double).dataType == .double)
    #expect(AnyTensor.randint(like: other, low: 1, high: 2, dataType: .uInt16) == AnyTensor.ones(shape: [2], dataType: .uInt16))
  }

  @Test func `typed factories take other tensors`() {
    let other = Tensor<Float>([1, 2])
    #expect(Tensor.full(like: other, scalar: 3).scalars() == [3, 3])
    #expect(Tensor.ones(like: other).scalars() == [1, 1])
    #expect(Tensor.zeros(like: other).scalars() == [0, 0])
    #expect(Tensor.empty(like: other).shape == [2])
    #expect(Tensor.rand(like: other, shapeDynamism: .static).shapeDynamism == .static)
    #expect(Tensor.randn(like: other).count == 2)
    #expect(Tensor.randint(like: other, low: 4, high: 5).scalars() == [4, 4])
  }

  @Test func `numbers cannot fill types that have none`() async {
    await #expect(processExitsWith: .failure) { _ = AnyTensor.ones(shape: [2], dataType: .complexFloat) }
    await #expect(processExitsWith: .failure) { _ = AnyTensor.rand(shape: [2], dataType: .quInt8) }
  }
}
