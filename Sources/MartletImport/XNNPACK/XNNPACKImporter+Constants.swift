import MartletBytes
import MartletExecuTorchFile
import MartletGraph
import MartletTensor

extension XNNPACKImporter {
  /// The real numbers of a constant. Floating-point numbers stay in the file.
  func constant(_ value: XNNPACKValue, _ data: ByteView) throws -> Constant {
    // The reader has checked the count of elements, which is 0 whatever the other extents when one is 0.
    guard HostTensor.byteCount(dtype: .float32, shape: value.sizes.map { max($0, 1) }) != nil else {
      throw CallError("a constant of \(value.sizes) is too large")
    }
    switch value.dataType {
    case .float32, .pfloat32, .float16, .bfloat16:
      let type = TensorType(try value.dataType.realType, value.sizes)
      return try constants.constant(data, type: type, strides: Shape.contiguousStrides(value.sizes))
    default: return Constant(try dequantized(value, data))
    }
  }

  /// The numbers that the stored integers stand for.
  private func dequantized(_ value: XNNPACKValue, _ data: ByteView) throws -> HostTensor {
    let stored = try Self.integers(value, data)
    let row = value.sizes.last ?? 1
    // Each scale holds for `run` elements in a row; the list of scales repeats.
    let scales: [Float]
    let run: Int
    var zeroPoint: Int32 = value.dataType == .qcint4 || value.dataType == .qbint4 ? 8 : 0
    switch value.quantization {
    case .perTensor(let scale, let point):
      (scales, run, zeroPoint) = ([scale], max(stored.count, 1), point)
    case .perChannel(let axis, let list):
      (scales, run) = (list.values, value.sizes[(axis + 1)...].reduce(1, *))
    case .blockwise(_, let size, let list):
      (scales, run) = (list.values, min(size, row))
    case .perTokenDynamic, nil:
      throw CallError("a constant of type \(value.dataType) has no scales")
    }
    var result = HostTensor(zeros: .float32, shape: value.sizes)
    unsafe result.withUnsafeMutableBytes { bytes in
      let numbers = unsafe bytes.bindMemory(to: Float.self)
      for position in stored.indices {
        let scale = scales[position / run % scales.count]
        unsafe numbers[position] = Float(stored[position] &- zeroPoint) * scale
      }
    }
    return result
  }

  /// The stored integers; those of 4 bits as the file has them, from 0 to 15.
  private static func integers(_ value: XNNPACKValue, _ data: ByteView) throws -> [Int32] {
    try unsafe data.withUnsafeBytes { bytes in
      // In bounds: the reader has checked the count of bytes.
      switch value.dataType {
      case .qint8, .qcint8: return (0..<value.elementCount).map { unsafe Int32(Int8(bitPattern: bytes[$0])) }
      case .quint8: return (0..<value.elementCount).map { unsafe Int32(bytes[$0]) }
      case .qint32, .qcint32:
        return (0..<value.elementCount).map {
          unsafe Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self))
        }
      case .qcint4, .qbint4:
        let row = max(value.sizes.last ?? 1, 1)
        let rowByteCount = (row + 1) / 2
        return (0..<value.elementCount).map { position in
          let column = position % row
          let byte = unsafe bytes[position / row * rowByteCount + column / 2]
          return Int32(column % 2 == 0 ? byte & 15 : byte >> 4)
        }
      default: throw CallError("constants of type \(value.dataType) are not supported")
      }
    }
  }
}
