import CoreML
import Testing

/// Multi-arrays: how they are made, their elements and their memory.
struct MultiArrayTests {
  private static let types: [MLMultiArrayDataType] = [.double, .float32, .float16, .int32, .int8]

  @Test func `data types have Apple's numbers and aliases`() {
    #expect(Self.types.map(\.rawValue) == [65600, 65568, 65552, 131104, 131080])
    #expect(MLMultiArrayDataType.float == .float32 && MLMultiArrayDataType.float64 == .double)
    #expect(MLMultiArrayDataType(rawValue: 131104) == .int32 && MLMultiArrayDataType(rawValue: 7) == nil)
  }

  @Test(arguments: types) func `a new array is of zeros, row-major, and takes numbers`(_ type: MLMultiArrayDataType) throws {
    let length = 4
    let array = try MLMultiArray(shape: [2, 3, NSNumber(value: length)], dataType: type)
    #expect(array.shape == [2, 3, 4] && array.strides == [12, 4, 1] && array.count == 24 && array.dataType == type)
    #expect((0..<24).allSatisfy { array[$0] == 0 })
    for index in 0..<24 { array[index] = NSNumber(value: index - 5) }
    #expect(array[[1, 2, 3]] == 18)
    #expect(array[[0, 1, 2] as [NSNumber]].intValue == 1)
    array[[0, 0, 1]] = 7
    #expect(array[1].doubleValue == 7 && array[2].floatValue == -3)
  }

  @Test func `an array of nothing has no elements`() {
    let array = MLMultiArray()
    #expect(array.count == 0 && array.shape == [0] && array.withUnsafeBytes { $0.count } == 0)
  }

  @Test func `impossible shapes are errors`() {
    #expect(throws: MLModelError.self) { try MLMultiArray(shape: [-1], dataType: .int8) }
    #expect(throws: MLModelError.self) { try MLMultiArray(shape: [1_099_511_627_776, 1_099_511_627_776], dataType: .int8) }
  }

  @Test func `floating elements keep fractions and integers drop them`() throws {
    let half = try MLMultiArray(shape: [1], dataType: .float16)
    half[0] = 0.5
    #expect(half[0].doubleValue == 0.5)
    let integer = try MLMultiArray(shape: [1], dataType: .int32)
    integer[0] = 2.75
    #expect(integer[0] == 2)
  }

  @Test func `the data pointer sees what subscripts write`() throws {
    let array = try MLMultiArray(shape: [4], dataType: .float32)
    array[2] = 1.5
    let pointer = array.dataPointer.assumingMemoryBound(to: Float.self)
    #expect(pointer[2] == 1.5)
    pointer[3] = 9
    #expect(array[3] == 9)
    #expect(array.dataPointer == UnsafeMutableRawPointer(pointer))
  }

  @Test func `a caller's memory is used with its strides and given back`() throws {
    let memory = UnsafeMutablePointer<Int32>.allocate(capacity: 8)
    for index in 0..<8 { memory[index] = Int32(index) }
    nonisolated(unsafe) var freed: UnsafeMutableRawPointer?
    do {
      let array = try MLMultiArray(dataPointer: memory, shape: [2, 3], dataType: .int32, strides: [4, 1]) { freed = $0 }
      #expect(array.count == 6 && array[3] == 4 && array[[1, 2]] == 6)
      array[5] = 60
      #expect(memory[6] == 60)
      #expect(freed == nil)
    }
    #expect(freed == UnsafeMutableRawPointer(memory))
    #expect(throws: MLModelError.self) { try MLMultiArray(dataPointer: memory, shape: [2, 3], dataType: .int32, strides: [1]) }
    memory.deallocate()
  }

  @Test func `given strides leave gaps`() {
    let array = MLMultiArray(shape: [2, 3], dataType: .float32, strides: [8, 1])
    #expect(array.strides == [8, 1])
    array[3] = 1
    #expect(array.dataPointer.assumingMemoryBound(to: Float.self)[8] == 1)
    #expect(array.withUnsafeBytes { $0.count } == 4 * 11)
    #expect(array.withUnsafeBufferPointer(ofType: Float.self) { $0[8] } == 1)
  }

  @Test func `collections of numbers become vectors`() throws {
    let integers = try MLMultiArray([1, 2, 3])
    #expect(integers.dataType == .int32 && integers.shape == [3] && integers[2] == 3)
    let floats = try MLMultiArray([1.5, 2.5] as [Float])
    #expect(floats.dataType == .float32 && floats[1] == 2.5)
    let doubles = try MLMultiArray([1.5, 2.5])
    #expect(doubles.dataType == .double && doubles[0] == 1.5)
    #expect(throws: MLModelError.self) { try MLMultiArray([Int64.max]) }
  }

  @Test func `sizes that overflow are errors before memory is taken`() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { memory.deallocate() }
    func numbers(_ integers: Int...) -> [NSNumber] { integers.map { NSNumber(value: $0) } }
    for strides in [numbers(Int.max / 2, 1), numbers(1 << 53, 1), numbers(Int.max, Int.max)] {
      #expect(throws: MLModelError.self) {
        try MLMultiArray(dataPointer: memory, shape: numbers(2, 2), dataType: .double, strides: strides)
      }
    }
    for shape in [numbers(1 << 32, 1 << 32), numbers(1 << 60, 8), numbers(-1, 2)] {
      #expect(throws: MLModelError.self) { try MLMultiArray(shape: shape, dataType: .double) }
    }
  }

  @Test func `arrays are concatenated along an axis and converted`() throws {
    let first = MLMultiArray(MLShapedArray<Float>(scalars: [1, 2, 3, 4], shape: [2, 2]))
    let second = MLMultiArray(MLShapedArray<Int32>(scalars: [5, 6], shape: [2, 1]))
    let columns = MLMultiArray(concatenating: [first, second], axis: 1, dataType: .double)
    #expect(columns.shape == [2, 3] && columns.dataType == .double)
    #expect((0..<6).map { columns[$0].intValue } == [1, 2, 5, 3, 4, 6])
    let rows = MLMultiArray(concatenating: [first, first], axis: 0, dataType: .int32)
    #expect((0..<8).map { rows[$0].intValue } == [1, 2, 3, 4, 1, 2, 3, 4])
  }

  @Test func `closures see elements, bytes and strides`() throws {
    let array = try MLMultiArray([1, 2, 3] as [Float])
    #expect(array.withUnsafeBufferPointer(ofType: Float.self) { Array($0) } == [1, 2, 3])
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { elements, strides in
      #expect(strides == [1])
      elements[0] = 10
    }
    array.withUnsafeMutableBytes { bytes, strides in
      #expect(bytes.count == 12 && strides == [1])
      bytes.storeBytes(of: Float(20), toByteOffset: 4, as: Float.self)
    }
    array.getMutableBytesWithHandler { bytes, count, strides in
      #expect(count == 12 && strides == [1])
      bytes.storeBytes(of: Float(30), toByteOffset: 8, as: Float.self)
    }
    array.getBytesWithHandler { bytes, count in #expect(count == 12 && bytes.load(as: Float.self) == 10) }
    #expect((0..<3).map { array[$0].intValue } == [10, 20, 30])
  }

  @Test func `elements are transferred to another layout and type`() throws {
    let source = MLMultiArray(MLShapedArray<Double>(scalars: [1.5, -2.5, 300, 4], shape: [2, 2]))
    let target = MLMultiArray(shape: [2, 2], dataType: .int8, strides: [1, 2])
    source.transfer(to: target)
    #expect((0..<4).map { target[$0].intValue } == [1, -2, 127, 4])
    #expect(target.withUnsafeBufferPointer(ofType: Int8.self) { Array($0) } == [1, 127, -2, 4])
  }

  @Test func `an array lies in a pixel buffer of half-precision numbers`() throws {
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 5, 6, kCVPixelFormatType_OneComponent16Half, nil, &created)
    let buffer = try #require(created)
    let array = MLMultiArray(pixelBuffer: buffer, shape: [2, 3, 5])
    let rowLength = CVPixelBufferGetBytesPerRow(buffer) / 2
    #expect(array.dataType == .float16 && array.strides == [NSNumber(value: 3 * rowLength), NSNumber(value: rowLength), 1])
    #expect(array.pixelBuffer == buffer)
    array[[1, 2, 4]] = 2.5
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    let pixels = CVPixelBufferGetBaseAddress(buffer).assumingMemoryBound(to: Float16.self)
    #expect(pixels[5 * rowLength + 4] == 2.5)
    CVPixelBufferUnlockBaseAddress(buffer, .readOnly)
    #expect(try MLMultiArray(shape: [1], dataType: .float16).pixelBuffer == nil)
  }

  @Test func `arrays with equal elements are equal and describe themselves`() throws {
    let array = MLMultiArray(MLShapedArray<Float>(scalars: [1, 2, 3, 4, 5, 6], shape: [2, 3]))
    let other = MLMultiArray(shape: [2, 3], dataType: .float32, strides: [1, 2])
    array.transfer(to: other)
    #expect(array == other && array.hash == other.hash && Set([array, other]).count == 1)
    other[0] = 9
    #expect(array != other)
    #expect(array != MLMultiArray(MLShapedArray<Int32>(scalars: [1, 2, 3, 4, 5, 6], shape: [2, 3])))
    #expect(array.description == "Float32 2 × 3 matrix\n[1,2,3;\n 4,5,6]")
    #expect(try MLMultiArray([1, 2]).description == "Int32 2 vector\n[1,2]")
    #expect(try MLMultiArray(shape: [1, 2, 3], dataType: .double).description == "Double 1 × 2 × 3 array")
  }

  @Test func `an archived array comes back`() throws {
    let array = MLMultiArray(shape: [2, 2], dataType: .float16, strides: [1, 2])
    for index in 0..<4 { array[index] = NSNumber(value: Float(index) + 0.5) }
    let data = try NSKeyedArchiver.archivedData(withRootObject: array, requiringSecureCoding: true)
    let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLMultiArray.self, from: data))
    #expect(copy == array && copy !== array && copy.strides == [2, 1])
  }

  @Test func `a shaped array is copied into a multi-array and back`() throws {
    var shaped = MLShapedArray<Int32>(scalars: 0..<6, shape: [2, 3])
    let array = MLMultiArray(shaped)
    #expect(array.shape == [2, 3] && array.dataType == .int32 && array[4] == 4)
    shaped[scalarAt: 1, 1] = 40
    #expect(array[4] == 4)
    array[5] = 50
    #expect(MLShapedArray<Int32>(array).scalars == [0, 1, 2, 3, 4, 50])
    #expect(shaped.scalars == [0, 1, 2, 3, 40, 5])
    #expect(MLMultiArray(shaped[1]).shape == [3])
    #expect(MLShapedArray<Float>(converting: array).scalars == [0, 1, 2, 3, 4, 50])
  }
}
