import ExecuTorch
import Foundation
import Testing

/// Each initialiser and factory of untyped and typed tensors once, with the ownership that it promises.
@Suite struct TensorInitializerTests {
  private let elements: [Float] = [1, 2, 3, 4, 5, 6]

  @Test func `an untyped view has its own shape and the memory of the tensor`() {
    let tensor = Tensor<Float>(elements, shape: [2, 3]).anyTensor
    let same = AnyTensor(tensor)
    let reshaped = AnyTensor(tensor, shape: [3, 2])
    let transposed = AnyTensor(tensor, shape: [2, 3], dimensionOrder: [1, 0], strides: [1, 2])
    #expect(same == tensor && reshaped.shape == [3, 2] && transposed.strides == [1, 2])
    unsafe tensor.mutableBytes { bytes, _, _ in unsafe bytes.storeBytes(of: 9, as: Float.self) }
    for view in [same, reshaped, transposed] {
      let typed: Tensor<Float>? = view.asTensor()
      #expect(typed?.scalars() == [9, 2, 3, 4, 5, 6])
    }
  }

  @Test func `untyped tensors are made from borrowed bytes, copied bytes and data`() {
    var numbers = elements
    unsafe numbers.withUnsafeMutableBytes { bytes in
      let base = bytes.baseAddress!
      let borrowed = unsafe AnyTensor(bytesNoCopy: base, shape: [3, 2], dataType: .float)
      let copied = unsafe AnyTensor(bytes: base, shape: [6], dataType: .float, shapeDynamism: .static)
      unsafe base.storeBytes(of: -1, as: Float.self)
      #expect(Tensor<Float>(borrowed).scalars() == [-1, 2, 3, 4, 5, 6])
      #expect(Tensor<Float>(copied).scalars() == [1, 2, 3, 4, 5, 6])
      #expect(borrowed.shape == [3, 2] && copied.shapeDynamism == .static)
    }
    let data = unsafe elements.withUnsafeBytes { unsafe Data($0) }
    let fromData = AnyTensor(data: data, shape: [2, 3], strides: [1, 2], dataType: .float)
    #expect(fromData.dimensionOrder == [1, 0] && Tensor<Float>(fromData).scalars() == elements)
  }

  @Test func `a typed tensor of an untyped one shares its memory`() {
    let untyped = Tensor<Float>(elements).anyTensor
    let typed = Tensor<Float>(untyped)
    unsafe typed.withUnsafeMutableBytes { unsafe $0[5] = 60 }
    #expect(Tensor<Float>(untyped).scalars().last == 60)
    #expect(Value(untyped).anyTensor === untyped)
  }

  @Test func `typed factories make the shape, and the like of another tensor`() {
    let empty = Tensor<Int32>.empty(shape: [2, 3], strides: [1, 2], shapeDynamism: .static)
    #expect(empty.dataType == .int && empty.dimensionOrder == [1, 0] && empty.shapeDynamism == .static && empty.count == 6)
    let like = Tensor<Int32>.empty(like: empty)
    #expect(like.shape == [2, 3] && like.strides == [1, 2] && like.shapeDynamism == .dynamicBound)
    #expect(Tensor<Int32>.full(like: empty, scalar: 7).scalars() == [Int32](repeating: 7, count: 6))
    #expect(Tensor<Int32>.ones(like: empty).scalars() == [Int32](repeating: 1, count: 6))
    #expect(Tensor<Int32>.zeros(like: empty).scalars() == [Int32](repeating: 0, count: 6))
    #expect(Tensor<Float>.rand(like: Tensor<Float>.empty(shape: [50])).scalars().allSatisfy { $0 >= 0 && $0 < 1 })
    #expect(Set(Tensor<Float>.randn(like: Tensor<Float>.empty(shape: [50])).scalars()).count > 40)
    #expect(Tensor<Int32>.randint(like: empty, low: -3, high: -1).scalars().allSatisfy { $0 == -3 || $0 == -2 })
  }
}
