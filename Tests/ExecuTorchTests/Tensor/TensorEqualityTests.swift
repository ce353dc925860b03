import Foundation
import Testing

import ExecuTorch

/// Equality, hash values and copies.
struct TensorEqualityTests {
  private let tensor = Tensor<Float>([1, 2, 3, 4], shape: [2, 2])

  @Test func `type, layout and elements decide`() {
    #expect(tensor == Tensor<Float>([1, 2, 3, 4], shape: [2, 2]))
    #expect(tensor != Tensor<Float>([1, 2, 3, 5], shape: [2, 2]))
    #expect(tensor != Tensor<Float>([1, 2, 3, 4], shape: [4, 1]))
    #expect(tensor != Tensor<Float>([1, 2, 3, 4], shape: [2, 2], strides: [1, 2]))
    #expect(tensor.anyTensor != AnyTensor(Tensor([1, 2, 3, 4], shape: [2, 2]).anyTensor))
    #expect(AnyTensor.zeros(shape: [2], dataType: .float) != AnyTensor.zeros(shape: [2], dataType: .int))
  }

  @Test func `dynamism does not matter`() {
    #expect(tensor == Tensor<Float>([1, 2, 3, 4], shape: [2, 2], shapeDynamism: .static))
  }

  @Test func `elements are compared bit for bit`() {
    #expect(Tensor([Float.nan]) == Tensor([Float.nan]))
    #expect(Tensor([Float(0)]) != Tensor([-Float(0)]))
  }

  @Test func `elements beyond the present shape do not matter`() throws {
    let first = Tensor([1, 2, 3])
    let second = Tensor([1, 2, 4])
    try first.resize(to: [2])
    try second.resize(to: [2])
    #expect(first == second)
  }

  @Test func `objects are equal when tensors are`() {
    let other = Tensor<Float>([1, 2, 3, 4], shape: [2, 2]).anyTensor
    #expect(tensor.anyTensor.isEqual(other))
    #expect(tensor.anyTensor as NSObject == other as NSObject)
    #expect(tensor.anyTensor.hash == other.hash)
    #expect(Set([tensor.anyTensor, other]).count == 1)
    #expect(!tensor.anyTensor.isEqual("text"))
    #expect(!tensor.anyTensor.isEqual(nil))
  }

  @Test func `a copy has equal elements in other memory`() {
    let source = Tensor<Float>([1, 2, 3, 4], shape: [2, 2], strides: [1, 2], shapeDynamism: .static)
    let copy = source.copy()
    #expect(copy == source)
    #expect(copy.shapeDynamism == .static)
    unsafe copy.withUnsafeMutableBytes { unsafe $0[0] = 9 }
    #expect(source.scalars() == [1, 2, 3, 4])
    let any = source.anyTensor.copy()
    #expect(any == source.anyTensor && any !== source.anyTensor)
    let object = (source.anyTensor as NSObject).copy()
    #expect(object as? AnyTensor == source.anyTensor)
  }

  @Test func `types without numbers can be copied and compared`() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let tensor = unsafe AnyTensor(bytes: bytes, shape: [1], dataType: .complexFloat)
    #expect(tensor.copy() == tensor)
    #expect(tensor != AnyTensor.empty(like: tensor))
    #expect(tensor.description.contains("dataType: complexFloat"))
  }
}
