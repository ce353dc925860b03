import Testing

import ExecuTorch

/// Shapes, strides and dimension orders, alone and together. Expected layouts are those of the C++ runtime.
struct TensorLayoutTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var shape: [Int]
    var strides: [Int] = []
    var order: [Int] = []
    var expectedStrides: [Int]
    var expectedOrder: [Int]
    var testDescription: String { "shape \(shape), strides \(strides), order \(order)" }
  }

  @Test(arguments: [
    Case(shape: [], expectedStrides: [], expectedOrder: []),
    Case(shape: [5], expectedStrides: [1], expectedOrder: [0]),
    Case(shape: [2, 3, 4], expectedStrides: [12, 4, 1], expectedOrder: [0, 1, 2]),
    Case(shape: [2, 0, 3], expectedStrides: [3, 3, 1], expectedOrder: [0, 1, 2]),
    Case(shape: [2, 3], strides: [1, 2], expectedStrides: [1, 2], expectedOrder: [1, 0]),
    Case(shape: [2, 3], order: [1, 0], expectedStrides: [1, 2], expectedOrder: [1, 0]),
    Case(shape: [2, 3], strides: [1, 2], order: [1, 0], expectedStrides: [1, 2], expectedOrder: [1, 0]),
    Case(shape: [2, 3, 4, 5], strides: [60, 1, 15, 3], expectedStrides: [60, 1, 15, 3], expectedOrder: [0, 2, 3, 1]),
    Case(shape: [2, 3, 4, 5], order: [0, 2, 3, 1], expectedStrides: [60, 1, 15, 3], expectedOrder: [0, 2, 3, 1]),
    // Strides along axes of extent 1 do not matter and are made right.
    Case(shape: [1, 3], strides: [7, 1], expectedStrides: [3, 1], expectedOrder: [0, 1]),
    Case(shape: [2, 3, 1], strides: [3, 1, 1], expectedStrides: [3, 1, 1], expectedOrder: [0, 1, 2]),
    Case(shape: [1, 1, 4], strides: [1, 1, 1], expectedStrides: [4, 4, 1], expectedOrder: [0, 1, 2]),
  ]) func `layouts are derived`(_ test: Case) throws {
    let layout = try TensorLayout(shape: test.shape, strides: test.strides, dimensionOrder: test.order)
    #expect(layout.strides == test.expectedStrides)
    #expect(layout.dimensionOrder == test.expectedOrder)
    #expect(layout.count == test.shape.reduce(1, *))
    let tensor = unsafe AnyTensor(
      bytes: [UInt8](repeating: 0, count: layout.count + 1), shape: test.shape, strides: test.strides, dimensionOrder: test.order,
      dataType: .byte)
    #expect(tensor.shape == test.shape)
    #expect(tensor.strides == test.expectedStrides)
    #expect(tensor.dimensionOrder == test.expectedOrder)
    #expect(tensor.count == layout.count)
  }

  @Test(arguments: [
    Case(shape: [2, -1], expectedStrides: [], expectedOrder: []),
    Case(shape: [Int.max, 3], expectedStrides: [], expectedOrder: []),
    Case(shape: [0, Int.max, 3], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], strides: [3], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], order: [0], expectedStrides: [], expectedOrder: []),
    Case(shape: [], strides: [1], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], order: [1, 1], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], order: [0, 2], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], order: [-1, 0], expectedStrides: [], expectedOrder: []),
    // Gaps, broadcasts, backwards, and strides of another order.
    Case(shape: [2, 3], strides: [4, 1], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], strides: [0, 1], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], strides: [3, -1], expectedStrides: [], expectedOrder: []),
    Case(shape: [2, 3], strides: [3, 1], order: [1, 0], expectedStrides: [], expectedOrder: []),
    Case(shape: [Int](repeating: 1, count: 17), expectedStrides: [], expectedOrder: []),
  ]) func `contradictory layouts are refused`(_ test: Case) {
    #expect(throws: TensorLayout.Fault.self) {
      try TensorLayout(shape: test.shape, strides: test.strides, dimensionOrder: test.order)
    }
  }

  @Test func `sixteen axes are allowed`() throws {
    #expect(try TensorLayout(shape: [Int](repeating: 2, count: 16)).count == 65536)
  }

  @Test func `a contradictory layout ends the process`() async {
    await #expect(processExitsWith: .failure) { _ = Tensor([1, 2, 3, 4], shape: [2, 2], strides: [1, 2], dimensionOrder: [0, 1]) }
    await #expect(processExitsWith: .failure) { _ = Tensor<Float>.zeros(shape: [2, -3]) }
    await #expect(processExitsWith: .failure) { _ = AnyTensor.empty(shape: [Int.max / 4], dataType: .double) }
    await #expect(processExitsWith: .failure) { _ = AnyTensor.empty(shape: [2], dataType: .undefined) }
  }

  @Test func `elements are in the order of memory whatever the strides`() {
    let tensor = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3], strides: [1, 2])
    #expect(tensor.scalars() == [1, 2, 3, 4, 5, 6])
    #expect(tensor.dimensionOrder == [1, 0])
    let copy = tensor.copy()
    #expect(copy.strides == [1, 2] && copy.dimensionOrder == [1, 0])
  }
}
