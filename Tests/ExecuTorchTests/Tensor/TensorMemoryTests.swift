import Foundation
import Testing

import ExecuTorch

/// Whose memory a tensor uses, for every way to make one.
struct TensorMemoryTests {
  @Test func `bytes without a copy are the caller's`() {
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: 6)
    defer { unsafe memory.deallocate() }
    for index in 0..<6 { unsafe memory[index] = Float(index) }
    let tensor = unsafe Tensor<Float>(bytesNoCopy: memory.baseAddress!, shape: [2, 3])
    unsafe memory[4] = 40
    #expect(tensor.scalars() == [0, 1, 2, 3, 40, 5])
    unsafe tensor.withUnsafeMutableBytes { unsafe $0[0] = -1 }
    #expect(unsafe memory[0] == -1)
  }

  @Test func `bytes are copied`() {
    let memory = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 3)
    for index in 0..<3 { unsafe memory[index] = Int16(index) }
    let tensor = unsafe Tensor<Int16>(bytes: memory.baseAddress!, shape: [3])
    unsafe memory[1] = 100
    unsafe memory.deallocate()
    #expect(tensor.scalars() == [0, 1, 2])
  }

  @Test func `data is kept alive and not copied`() {
    let bytes = [Float](repeating: 0, count: 100).indices.map { Float($0) }
    var tensor: Tensor<Float>?
    var address: UInt?
    do {
      let data = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
      address = unsafe data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      tensor = Tensor(data: data, shape: [10, 10])
    }
    #expect(tensor?.scalars() == bytes)
    #expect(unsafe tensor?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
  }

  @Test func `a view of data outlives the data and the tensor`() {
    var view: Tensor<UInt8>?
    do {
      let tensor = Tensor<UInt8>(data: Data(0..<200), shape: [20, 10])
      view = Tensor(tensor, shape: [200])
    }
    #expect(view?.scalars() == Array(0..<200))
  }

  @Test(arguments: [3, 14, 15, 1000]) func `data of every size can be changed without changing the tensor`(count: Int) {
    var data = Data(repeating: 7, count: count)
    let tensor = Tensor<UInt8>(data: data, shape: [count])
    data[0] = 1
    data.append(5)
    #expect(tensor.scalars() == [UInt8](repeating: 7, count: count))
  }

  @Test func `a part of data begins at the part`() {
    let data = Data((0..<100).map { UInt8($0) })
    #expect(Tensor<UInt8>(data: data[40..<80], shape: [5, 8]).scalars() == Array(40..<80))
  }

  @Test func `data may be longer than the tensor but not shorter`() async {
    #expect(Tensor<Int16>(data: Data([1, 0, 2, 0, 9]), shape: [2]).scalars() == [1, 2])
    await #expect(processExitsWith: .failure) { _ = Tensor<Int16>(data: Data([1, 0, 2]), shape: [2]) }
  }

  @Test func `an array by reference shares its memory`() {
    var array: [Int32] = [1, 2, 3, 4]
    let tensor = Tensor(&array, shape: [2, 2])
    array[3] = 40
    #expect(tensor.scalars() == [1, 2, 3, 40])
    unsafe tensor.withUnsafeMutableBytes { unsafe $0[0] = 10 }
    #expect(array == [10, 2, 3, 40])
  }

  @Test func `an array is copied`() {
    var array = [1.5, 2.5]
    let tensor = Tensor(array)
    array[0] = 0
    #expect(tensor.scalars() == [1.5, 2.5])
    unsafe tensor.withUnsafeMutableBytes { unsafe $0[1] = 9 }
    #expect(array == [0, 2.5])
  }

  @Test func `an array must have as many elements as the shape`() async {
    await #expect(processExitsWith: .failure) { _ = Tensor([1, 2, 3], shape: [2, 2]) }
    await #expect(processExitsWith: .failure) {
      var array = [1, 2, 3, 4, 5]
      _ = Tensor(&array, shape: [2, 2])
    }
  }

  @Test func `a number makes a tensor without axes`() {
    let tensor = Tensor(Float(2.5))
    #expect(tensor.shape == [] && tensor.strides == [] && tensor.dimensionOrder == [])
    #expect(tensor.scalars() == [2.5])
    #expect(tensor.shapeDynamism == .static)
    #expect(Tensor(true).scalars() == [true])
    #expect(Tensor(Int8.min).scalars() == [.min])
    #expect(Tensor(UInt64.max).scalars() == [.max])
    #expect(Tensor(Int.min).scalars() == [.min])
  }

  @Test func `numbers make tensors of their type without naming it`() {
    #expect(AnyTensor(UInt16(7)).dataType == .uInt16)
    #expect(AnyTensor(UInt32(7)).dataType == .uInt32)
    #expect(AnyTensor(UInt64(7)).dataType == .uInt64)
    #expect(AnyTensor(UInt(7)).dataType == .uInt64)
    #expect(AnyTensor(7).dataType == .long)
    let tensor: Tensor<Int>? = AnyTensor(-7).asTensor()
    #expect(tensor?.scalars() == [-7])
  }

  @Test func `tensors without elements have memory all the same`() {
    var array: [Float] = []
    for tensor in [Tensor(&array), Tensor([Float]()), Tensor(data: Data(), shape: [3, 0]), .zeros(shape: [0, 4])] {
      #expect(tensor.count == 0)
      #expect(tensor.scalars() == [])
      #expect(unsafe tensor.withUnsafeBytes { unsafe $0.baseAddress != nil && $0.isEmpty })
      #expect(tensor.copy() == tensor)
      #expect(tensor.copy(to: Int.self).shape == tensor.shape)
    }
  }

  @Test func `bytes reach a handler with their number and type`() {
    let tensor = AnyTensor.full(shape: [2, 3], scalar: Int32(5))
    var sum = 0
    unsafe tensor.mutableBytes { pointer, count, type in
      #expect(count == 6 && type == .int)
      unsafe pointer.assumingMemoryBound(to: Int32.self)[2] = 100
    }
    unsafe tensor.bytes { pointer, count, type in
      #expect(count == 6 && type == .int)
      let elements = unsafe UnsafeBufferPointer(start: pointer.assumingMemoryBound(to: Int32.self), count: count)
      sum = unsafe Int(elements.reduce(0, +))
    }
    #expect(sum == 125)
  }

  @Test func `errors pass through the access to elements`() {
    struct Stop: Swift.Error {}
    let tensor = Tensor([1, 2])
    #expect(throws: Stop.self) { try unsafe tensor.withUnsafeBytes { _ in throw Stop() } }
    #expect(throws: Stop.self) { try unsafe tensor.withUnsafeMutableBytes { _ in throw Stop() } }
  }

  @Test func `a client's own scalar type can be the element of a tensor`() {
    let tensor = Tensor<Float16>([1.5, -2, 65504])
    #expect(tensor.dataType == .half)
    #expect(tensor.copy(to: Float.self).scalars() == [1.5, -2, 65504])
    #expect(Tensor<Float16>.full(shape: [2], scalar: 0.25).scalars() == [0.25, 0.25])
    #expect(Tensor(Float16(3)).scalars() == [3])
  }

  @Test func `the element type must be that of the elements`() async {
    let tensor: Tensor<Float>? = AnyTensor.zeros(shape: [2], dataType: .double).asTensor()
    #expect(tensor == nil)
    let int: Tensor<Int>? = AnyTensor.zeros(shape: [2], dataType: .long).asTensor()
    let int64: Tensor<Int64>? = AnyTensor.zeros(shape: [2], dataType: .long).asTensor()
    #expect(int != nil && int64 != nil)
    await #expect(processExitsWith: .failure) { _ = Tensor<Float>(AnyTensor.zeros(shape: [2], dataType: .double)) }
  }
}
