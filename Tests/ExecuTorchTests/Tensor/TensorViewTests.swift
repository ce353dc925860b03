import Foundation
import Testing

import ExecuTorch

/// Views: other tensors of the same memory.
struct TensorViewTests {
  private func address<T: Scalar>(_ tensor: Tensor<T>) -> UInt {
    unsafe tensor.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }

  @Test func `a view has the memory and the layout of the tensor`() {
    let tensor = Tensor<Float>([1, 2, 3, 4, 5, 6], shape: [2, 3], strides: [1, 2], shapeDynamism: .dynamicUnbound)
    let view = Tensor(tensor)
    #expect(address(view) == address(tensor))
    #expect(view.shape == [2, 3] && view.strides == [1, 2] && view.dimensionOrder == [1, 0])
    #expect(view.shapeDynamism == .dynamicUnbound)
    unsafe view.withUnsafeMutableBytes { unsafe $0[5] = 60 }
    #expect(tensor.scalars().last == 60)
  }

  @Test func `a view keeps the memory alive`() {
    var view: Tensor<Int>?
    do { view = Tensor(Tensor([1, 2, 3, 4]), shape: [2, 2]) }
    #expect(view?.scalars() == [1, 2, 3, 4])
  }

  @Test func `a shape of as many axes keeps the dimension order`() {
    let tensor = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3], dimensionOrder: [1, 0])
    let view = Tensor(tensor, shape: [3, 2])
    #expect(view.dimensionOrder == [1, 0])
    #expect(view.strides == [1, 3])
  }

  @Test func `a shape of another number of axes is row-major`() {
    let tensor = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3], dimensionOrder: [1, 0])
    let view = Tensor(tensor, shape: [1, 2, 3])
    #expect(view.dimensionOrder == [0, 1, 2])
    #expect(view.strides == [6, 3, 1])
  }

  @Test func `strides of a view give it its dimension order`() {
    let tensor = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3])
    let view = Tensor(tensor, strides: [1, 2])
    #expect(view.shape == [2, 3])
    #expect(view.dimensionOrder == [1, 0])
    let ordered = Tensor(tensor, dimensionOrder: [1, 0])
    #expect(ordered.strides == [1, 2])
    #expect(ordered == view)
  }

  @Test func `a view may be smaller but not larger than the tensor`() async {
    let view = Tensor(Tensor([1, 2, 3, 4]), shape: [3])
    #expect(view.scalars() == [1, 2, 3])
    await #expect(processExitsWith: .failure) { _ = Tensor(Tensor([1, 2, 3, 4]), shape: [5]) }
    await #expect(processExitsWith: .failure) { _ = Tensor(Tensor([1, 2, 3, 4], shape: [2, 2]), dimensionOrder: [0, 0]) }
  }

  @Test func `a view of a static tensor may have another shape and is static`() {
    let tensor = Tensor([1, 2, 3, 4], shapeDynamism: .static)
    let view = Tensor(tensor, shape: [2, 2])
    #expect(view.shapeDynamism == .static)
    #expect(throws: ErrorCode.self) { try view.resize(to: [4, 1]) }
  }

  @Test func `resizing a view leaves the tensor alone and the other way round`() throws {
    let tensor = Tensor([1, 2, 3, 4], shape: [2, 2])
    let view = Tensor(tensor)
    try view.resize(to: [4, 1])
    #expect(tensor.shape == [2, 2] && view.shape == [4, 1])
    try tensor.resize(to: [1, 3])
    #expect(tensor.scalars() == [1, 2, 3] && view.scalars() == [1, 2, 3, 4])
    #expect(address(tensor) == address(view))
  }

  @Test func `a view grows to its own first size only`() throws {
    let view = Tensor(Tensor([1, 2, 3, 4]), shape: [2])
    try view.resize(to: [1])
    try view.resize(to: [2])
    #expect(throws: ErrorCode.self) { try view.resize(to: [3]) }
  }

  @Test func `a typed tensor and its untyped one are the same tensor`() throws {
    let any = AnyTensor.zeros(shape: [2, 2], dataType: .int)
    let first: Tensor<Int32> = try #require(any.asTensor())
    let second: Tensor<Int32> = try #require(any.asTensor())
    #expect(first.anyTensor === any && second.anyTensor === any)
    try first.resize(to: [1, 2])
    #expect(second.shape == [1, 2])
  }
}
