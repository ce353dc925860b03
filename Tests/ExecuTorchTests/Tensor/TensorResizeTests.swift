import Foundation
import Testing

import ExecuTorch

/// Changes of shape and why they are refused.
struct TensorResizeTests {
  private func code(_ tensor: Tensor<Int>, _ shape: [Int]) -> ErrorCode.Code? {
    do {
      try tensor.resize(to: shape)
      return nil
    } catch {
      return (error as? ErrorCode)?.code ?? .internal
    }
  }

  @Test func `elements stay and strides follow the dimension order`() throws {
    let tensor = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3], dimensionOrder: [1, 0])
    try tensor.resize(to: [3, 2])
    #expect(tensor.shape == [3, 2])
    #expect(tensor.strides == [1, 3])
    #expect(tensor.dimensionOrder == [1, 0])
    #expect(tensor.scalars() == [1, 2, 3, 4, 5, 6])
  }

  @Test(arguments: [ShapeDynamism.dynamicBound, .dynamicUnbound])
  func `a tensor shrinks and grows within its first size`(dynamism: ShapeDynamism) throws {
    let tensor = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3], shapeDynamism: dynamism)
    try tensor.resize(to: [0, 3])
    #expect(tensor.count == 0)
    try tensor.resize(to: [6, 1])
    #expect(tensor.scalars() == [1, 2, 3, 4, 5, 6])
    #expect(code(tensor, [7, 1]) == .notSupported)
    #expect(tensor.shape == [6, 1])
  }

  @Test func `a static tensor takes its own shape only`() {
    let tensor = Tensor([1, 2, 3, 4], shape: [2, 2], shapeDynamism: .static)
    #expect(code(tensor, [2, 2]) == nil)
    #expect(code(tensor, [4, 1]) == .notSupported)
    #expect(code(tensor, [1, 2]) == .notSupported)
  }

  @Test func `the number of axes cannot change`() {
    #expect(code(Tensor([1, 2, 3, 4]), [2, 2]) == .notSupported)
    #expect(code(Tensor(1), [1]) == .notSupported)
    #expect(code(Tensor(1), []) == nil)
  }

  @Test func `impossible extents are refused`() {
    let tensor = Tensor([1, 2, 3, 4], shape: [2, 2])
    #expect(code(tensor, [2, -2]) == .invalidArgument)
    #expect(code(tensor, [-2, -2]) == .invalidArgument)
    #expect(code(tensor, [Int.max, 2]) == .invalidArgument)
    #expect(tensor.shape == [2, 2])
  }

  @Test func `the error is an object of the runtime's domain`() throws {
    let tensor = Tensor([1, 2, 3, 4])
    let error = try #require(throws: (any Swift.Error).self) { try tensor.resize(to: [5]) } as NSError
    #expect(error.domain == ErrorDomain)
    #expect(error.code == ErrorCode.notSupported.rawValue)
    #expect(error.localizedDescription.hasPrefix(ErrorDescription(.notSupported) + ": "))
  }
}
