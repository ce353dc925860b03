import CoreML
import Testing

/// Shaped arrays and slices: value semantics, parts and layouts.
struct ShapedArrayTests {
  @Test func `arrays are made of scalars, values, data and closures`() throws {
    let floats: [Float] = [1, 2, 3]
    let array = MLShapedArray(scalars: floats, shape: [3])
    #expect(array.scalars == [1, 2, 3] && array.shape == [3] && array.strides == [1] && array.scalarCount == 3)
    #expect(MLShapedArray<Int32>(repeating: 4, shape: [2, 2]).scalars == [4, 4, 4, 4])
    #expect(MLShapedArray<Int32>(scalars: stride(from: 0, to: 8, by: 2), shape: [2, 2]).scalars == [0, 2, 4, 6])
    let data = floats.withUnsafeBytes { Data($0) }
    #expect(MLShapedArray<Float>(data: data, shape: [3]).scalars == floats)
    #expect(MLShapedArray<Float>(data: data.dropFirst(4), shape: [2]).scalars == [2, 3])
    #expect(MLShapedArray<Float>(data: data, shape: [2], strides: [2]).scalars == [1, 3])
    let filled = MLShapedArray<Double>(unsafeUninitializedShape: [2, 2]) { elements, strides in
      #expect(strides == [2, 1])
      for index in elements.indices { elements[index] = Double(index) }
    }
    #expect(filled.scalars == [0, 1, 2, 3])
    #expect(MLShapedArray(filled).scalars == [0, 1, 2, 3] && MLShapedArray<Double>(filled[1]).shape == [2])
    #expect(MLShapedArray<Float>(randomScalarsIn: -1...1, shape: [100]).scalars.allSatisfy { (-1...1).contains($0) })
    #expect(Set(MLShapedArray<Int8>(randomScalarsIn: 3..<5, shape: [100]).scalars) == [3, 4])
    #expect(MLShapedArray<Int32>(identityMatrixOfSize: 3).scalars == [1, 0, 0, 0, 1, 0, 0, 0, 1])
    let random = MLShapedArray<Float>(randomScalarsIn: 2..<3, shape: [50])
    #expect(random.scalars.allSatisfy { (2..<3).contains($0) } && Set(random.scalars).count > 10)
    let dice = MLShapedArray<Int32>(randomScalarsIn: 1...6, shape: [200])
    #expect(Set(dice.scalars) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a caller's memory is read without a copy and given back`() {
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 4)
    memory.update(from: [1, 2, 3, 4], count: 4)
    nonisolated(unsafe) var isFreed = false
    do {
      var array = MLShapedArray<Float>(
        bytesNoCopy: memory, shape: [2, 2], deallocator: .custom { _, byteCount in isFreed = byteCount == 16 })
      #expect(array.withUnsafeShapedBufferPointer { pointer, _, _ in pointer.baseAddress } == UnsafePointer(memory))
      array[scalarAt: 0, 0] = 100
      #expect(memory[0] == 1 && array.scalars == [100, 2, 3, 4])
      let columns = MLShapedArray<Float>(bytesNoCopy: memory, shape: [2, 2], strides: [1, 2], deallocator: .none)
      #expect(columns.scalars == [1, 3, 2, 4])
    }
    #expect(isFreed)
    memory.deallocate()
  }

  @Test func `a copy does not change with the original`() {
    let original = MLShapedArray<Float>(scalars: [1, 2, 3, 4], shape: [2, 2])
    var copy = original
    #expect(
      original.withUnsafeShapedBufferPointer { first, _, _ in
        copy.withUnsafeShapedBufferPointer { $0.baseAddress == first.baseAddress && $1 == [2, 2] && $2 == [2, 1] }
      })
    copy[scalarAt: 1, 0] = 30
    #expect(original.scalars == [1, 2, 3, 4] && copy.scalars == [1, 2, 30, 4])
    let address = copy.withUnsafeShapedBufferPointer { pointer, _, _ in pointer.baseAddress }
    copy[scalarAt: [0, 0]] = 10
    #expect(copy.withUnsafeShapedBufferPointer { pointer, _, _ in pointer.baseAddress } == address)
    copy.fill(with: 5)
    #expect(copy.scalars == [5, 5, 5, 5])
    copy.fill(with: original)
    #expect(copy == original)
    copy.scalars = [4, 3, 2, 1]
    #expect(copy[scalarAt: 0, 1] == 3)
  }

  @Test func `slices share nothing visible with their array`() {
    var array = MLShapedArray<Int32>(scalars: 0..<24, shape: [2, 3, 4])
    var slice = array[1]
    #expect(slice.shape == [3, 4] && slice.scalars == Array(12..<24) && slice.startIndex == 0)
    #expect(array[1, 2].scalars == [20, 21, 22, 23])
    #expect(array[0][0..<2].shape == [2, 4])
    let rows = array[0...0]
    #expect(rows.shape == [1, 3, 4])
    #expect(array[0..<2, 1...2, 3...].scalars == [7, 11, 19, 23])
    #expect(array[1, ..<2].shape == [2, 4] && array[1, ...1].shape == [2, 4])
    #expect(array[0..<1, 1, 2..<4].scalars == [6, 7])
    #expect(array[0..<1, 1, 2..<4].shape == [1, 2])
    slice[scalarAt: 0, 0] = -1
    #expect(array[scalarAt: 1, 0, 0] == 12 && slice[scalarAt: 0, 0] == -1)
    array[1] = slice
    #expect(array[scalarAt: 1, 0, 0] == -1)
    array[0, 1] = MLShapedArraySlice(repeating: 7, shape: [4])
    #expect(array[0].scalars == [0, 1, 2, 3, 7, 7, 7, 7, 8, 9, 10, 11])
    array[0..<2, 0, 0...1] = MLShapedArraySlice(repeating: 9, shape: [2, 2])
    #expect(array[0, 0].scalars == [9, 9, 2, 3] && array[1, 0].scalars == [9, 9, 14, 15])
    let before = array
    array[0] = array[1]
    #expect(array[0] == before[1] && array[1] == before[1])
    array[0][1][scalarAt: 2] = 99
    #expect(array[scalarAt: 0, 1, 2] == 99)
  }

  @Test func `an array is a collection of slices`() {
    let array = MLShapedArray<Float>(scalars: [1, 2, 3, 4, 5, 6], shape: [3, 2])
    #expect(array.count == 3 && array.map { $0.scalars.reduce(0, +) } == [3, 7, 11])
    #expect(array.last?.scalars == [5, 6])
    var single = MLShapedArray<Float>(scalar: 7)
    #expect(single.isScalar && single.scalar == 7 && single.shape == [] && single.scalarCount == 1 && array.scalar == nil)
    single.scalar = 8
    #expect(single.scalars == [8] && single.count == 0)
    let rows: MLShapedArray<Float> = [array[2], array[0]]
    #expect(rows.shape == [2, 2] && rows.scalars == [5, 6, 1, 2])
  }

  @Test func `shapes change without changing the order of elements, axes do`() {
    let array = MLShapedArray<Int32>(scalars: 0..<6, shape: [2, 3])
    #expect(array.reshaped(to: [3, 2]).scalars == array.scalars && array.reshaped(to: [3, 2]).shape == [3, 2])
    #expect(array.transposed().shape == [3, 2] && array.transposed().scalars == [0, 3, 1, 4, 2, 5])
    #expect(array.transposed().reshaped(to: [6]).scalars == [0, 3, 1, 4, 2, 5])
    let deep = MLShapedArray<Int32>(scalars: 0..<24, shape: [2, 3, 4])
    #expect(deep.transposed(permutation: [2, 0, 1]).shape == [4, 2, 3])
    #expect(deep.transposed(permutation: [2, 0, 1])[scalarAt: 3, 1, 2] == 23)
    #expect(deep.transposed(permutation: [2, 0, 1])[scalarAt: 1, 0, 2] == 9)
    #expect(array.expandingShape(at: 1).shape == [2, 1, 3])
    #expect(array.expandingShape(at: 0).expandingShape(at: 3).squeezingShape() == array)
  }

  @Test func `layouts change the memory and not the elements`() {
    let array = MLShapedArray<Float>(scalars: [1, 2, 3, 4, 5, 6], shape: [2, 3])
    let columns = array.changingLayout(to: .lastMajorContiguous)
    #expect(columns.strides == [1, 2] && columns == array)
    #expect(columns.withUnsafeShapedBufferPointer { pointer, _, _ in Array(pointer) } == [1, 4, 2, 5, 3, 6])
    let padded = array.changingLayout(to: .strides([4, 1]))
    #expect(padded.withUnsafeShapedBufferPointer { pointer, _, _ in Array(pointer) } == [1, 2, 3, 0, 4, 5, 6])
    var copy = padded
    copy.withUnsafeMutableShapedBufferPointer(using: .firstMajorContiguous) { pointer, shape, strides in
      #expect(shape == [2, 3] && strides == [3, 1] && Array(pointer) == [1, 2, 3, 4, 5, 6])
      pointer[3] = 40
    }
    #expect(copy.scalars == [1, 2, 3, 40, 5, 6] && padded == array)
    copy.withUnsafeMutableShapedBufferPointer { pointer, _, _ in pointer[0] = 10 }
    #expect(copy[scalarAt: 0, 0] == 10)
  }

  @Test func `arrays and slices are concatenated`() {
    let array = MLShapedArray<Int32>(scalars: 0..<6, shape: [2, 3])
    #expect(MLShapedArray(concatenating: [array, array], alongAxis: 0).shape == [4, 3])
    let wide = MLShapedArray<Int32>(concatenating: [array[0...0], array[1...1]], alongAxis: 1)
    #expect(wide.shape == [1, 6] && wide.scalars == [0, 1, 2, 3, 4, 5])
    let mixed = MLShapedArray<Int32>(concatenating: [array.transposed(), array.transposed()], alongAxis: 1)
    #expect(mixed.scalars == [0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5])
  }

  @Test func `elements are converted`() {
    let floats = MLShapedArray<Float>(scalars: [1.9, -1.9, 1e10, .nan], shape: [2, 2])
    #expect(MLShapedArray<Int32>(converting: floats).scalars == [1, -1, .max, 0])
    #expect(MLShapedArray<Int8>(converting: floats).scalars == [1, -1, 127, 0])
    #expect(MLShapedArray<Double>(converting: floats[0]).scalars == [Double(Float(1.9)), Double(Float(-1.9))])
    let numbers = MLShapedArray<Float>(scalars: (0..<1000).map { Float($0) * 0.1 }, shape: [10, 100]).transposed()
    #expect(MLShapedArray<Float16>(converting: numbers).scalars == numbers.scalars.map { Float16($0) })
  }

  @Test func `equal arrays hash alike, describe their elements and are coded`() throws {
    let array = MLShapedArray<Float>(scalars: [1, 2, 3, 4], shape: [2, 2])
    let same = array.changingLayout(to: .lastMajorContiguous)
    #expect(array == same && array.hashValue == same.hashValue && array != array.reshaped(to: [4]))
    #expect(array.description == "[[1.0, 2.0], [3.0, 4.0]]" && "\(array[0])" == "[1.0, 2.0]")
    #expect(MLShapedArray<Int32>(scalar: 3).description == "3")
    let decoded = try JSONDecoder().decode(MLShapedArray<Float>.self, from: JSONEncoder().encode(same))
    #expect(decoded == array)
    let half = MLShapedArray<Float16>(scalars: [0.5, 1.5], shape: [1, 2])
    #expect(try JSONDecoder().decode(MLShapedArraySlice<Float16>.self, from: JSONEncoder().encode(half)) == half[0...])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(MLShapedArray<Float>.self, from: Data(#"{"shape":[3],"scalars":[1]}"#.utf8))
    }
  }

  @Test func `a shaped array changes a pixel buffer`() throws {
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 3, 2, kCVPixelFormatType_OneComponent32Float, nil, &created)
    let buffer = try #require(created)
    var array = MLShapedArray<Float>(mutating: buffer, shape: [2, 3])
    array[scalarAt: 1, 2] = 6
    #expect(array.withPixelBufferIfAvailable { $0 } == buffer)
    let row = CVPixelBufferGetBaseAddress(buffer) + CVPixelBufferGetBytesPerRow(buffer)
    #expect(row.assumingMemoryBound(to: Float.self)[2] == 6)
    var copy = array
    #expect(copy.withMutablePixelBufferIfAvailable { $0 } == nil)
    #expect(MLShapedArray<Float>(scalar: 1).withPixelBufferIfAvailable { $0 } == nil)
  }
}
