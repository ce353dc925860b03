package import MartletTensor

/// One array in NumPy's `.npy` format.
package enum NumPyFile {
  /// - Parameter asBFloat16: interprets `uint16` elements as bfloat16 bit patterns, because NumPy has no such type.
  package static func read(path: String, asBFloat16: Bool = false) throws(MediaError) -> HostTensor {
    try decode(FileContents.read(path: path), name: path, asBFloat16: asBFloat16)
  }

  package static func write(_ tensor: HostTensor, path: String) throws(MediaError) {
    try FileContents.write(encode(tensor), path: path)
  }

  /// Decodes the array to a row-major tensor in native byte order. Fortran order is transposed. As in NumPy, bytes after the last element
  /// are ignored. Booleans other than 0 and 1 become 1.
  /// - Parameter name: identifies the bytes in errors.
  package static func decode(
    _ bytes: [UInt8], name: String, asBFloat16: Bool = false
  ) throws(MediaError) -> HostTensor {
    let header = try NumPyHeader(bytes, name: name)
    var dtype = header.dtype
    if asBFloat16 {
      guard dtype == .uint16 else {
        throw MediaError(
          file: name, field: "descr", reason: .invalid("bfloat16 bit patterns must be uint16, not \(dtype)"))
      }
      dtype = .bfloat16
    }
    guard let byteCount = HostTensor.byteCount(dtype: dtype, shape: header.shape) else {
      throw MediaError(file: name, field: "shape", reason: .invalid("\(header.shape) overflows a byte count"))
    }
    let available = bytes.count - header.dataOffset
    guard byteCount <= available else {
      throw MediaError(file: name, field: "elements", reason: .truncated(needed: byteCount, available: available))
    }
    var elements = [UInt8](bytes[header.dataOffset..<header.dataOffset + byteCount])
    if dtype == .bool {
      for index in elements.indices where elements[index] > 1 { elements[index] = 1 }
    }
    if header.isBigEndian { reverseByteOrder(of: &elements, dtype: dtype) }
    if header.isFortranOrder, header.shape.count > 1 {
      elements = transposed(elements, extents: header.shape.reversed(), elementByteCount: dtype.byteCount)
    }
    guard let tensor = HostTensor(dtype: dtype, shape: header.shape, bytes: elements) else {
      throw MediaError(file: name, field: "elements", reason: .invalid("do not fill the shape \(header.shape)"))
    }
    return tensor
  }

  /// Encodes the tensor in format version 1.0, little-endian; bfloat16 as `uint16` bit patterns.
  /// - Parameter fortranOrder: stores the elements with the first axis varying fastest.
  package static func encode(_ tensor: HostTensor, fortranOrder: Bool = false) -> [UInt8] {
    var bytes = NumPyHeader.encode(dtype: tensor.dtype, shape: tensor.shape, isFortranOrder: fortranOrder)
    if fortranOrder, tensor.shape.count > 1 {
      bytes.append(
        contentsOf: transposed(tensor.bytes, extents: tensor.shape, elementByteCount: tensor.dtype.byteCount))
    } else {
      bytes.append(contentsOf: tensor.bytes)
    }
    return bytes
  }

  /// Transposes a row-major array of `extents` by reversing its axes.
  private static func transposed(_ source: [UInt8], extents: [Int], elementByteCount: Int) -> [UInt8] {
    guard !source.isEmpty else { return source }
    // Stride in the source for each axis of the result, in elements.
    var strides: [Int] = []
    var stride = 1
    for extent in extents.reversed() {
      strides.append(stride)
      stride *= extent
    }
    let resultExtents = Array(extents.reversed())
    var index = [Int](repeating: 0, count: extents.count)
    var sourceElement = 0
    var result: [UInt8] = []
    result.reserveCapacity(source.count)
    while result.count < source.count {
      let start = sourceElement * elementByteCount
      for offset in 0..<elementByteCount { result.append(source[start + offset]) }
      var axis = index.count - 1
      while axis >= 0 {
        index[axis] += 1
        sourceElement += strides[axis]
        if index[axis] < resultExtents[axis] { break }
        sourceElement -= strides[axis] * resultExtents[axis]
        index[axis] = 0
        axis -= 1
      }
    }
    return result
  }

  /// Complex numbers consist of two values of half the width.
  private static func reverseByteOrder(of elements: inout [UInt8], dtype: DType) {
    let width = dtype.isComplex ? dtype.byteCount / 2 : dtype.byteCount
    guard width > 1 else { return }
    for start in stride(from: 0, to: elements.count, by: width) {
      for offset in 0..<width / 2 { elements.swapAt(start + offset, start + width - 1 - offset) }
    }
  }
}
