import MartletBytes
import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor

extension XNNPACKImporter {
  /// The real values of a constant. Stored integers stay in the file, followed by a `Dequantize` node.
  mutating func constant(_ value: XNNPACKValue, _ data: ByteView) throws -> ValueID {
    // The reader has checked the element count, which is 0 if any extent is 0, whatever the others.
    guard HostTensor.byteCount(dtype: .float32, shape: value.sizes.map { max($0, 1) }) != nil else {
      throw CallError("a constant of \(value.sizes) is too large")
    }
    switch value.dataType {
    case .float32, .pfloat32, .float16, .bfloat16, .int32:
      return builder.addConstant(try pooled(data, TensorType(value.dataType.realType, value.sizes)))
    case .qint8, .quint8, .qint32, .qcint8, .qcint32, .qcint4, .qbint4, .qdint8, .qpint8:
      return try quantized(value, data)
    }
  }

  private func pooled(_ data: ByteView, _ type: TensorType) throws -> Constant {
    try builder.constants.constant(data, type: type, strides: Shape.contiguousStrides(type.shape))
  }

  private mutating func quantized(_ value: XNNPACKValue, _ data: ByteView) throws -> ValueID {
    var type: TensorType
    var op = Dequantize()
    switch value.dataType {
    case .qint8, .qcint8: type = TensorType(.int8, value.sizes)
    case .quint8: type = TensorType(.uint8, value.sizes)
    case .qint32, .qcint32: type = TensorType(.int32, value.sizes)
    case .qcint4, .qbint4:
      guard let row = value.sizes.last else { throw CallError("a 4-bit constant without axes") }
      type = TensorType(.uint8, value.sizes.dropLast() + [(row + 1) / 2])
      op = Dequantize(storage: .nibbles(lastExtent: row), zeroPoint: 8)
    default: throw CallError("constants of type \(value.dataType) are not supported")
    }
    if case .perTensor(_, let point) = value.quantization { op.zeroPoint = point }
    return add(
      op, [builder.addConstant(try pooled(data, type)), builder.addConstant(try scales(value))],
      TensorSignature(TensorType(.float32, value.sizes)))
  }

  /// The scales of a value as operands of `Dequantize`, with the value's rank.
  func scales(_ value: XNNPACKValue) throws -> Constant {
    var shape = value.sizes.map { _ in 1 }
    let list: XNNPACKValue.Scales
    switch value.quantization {
    case .perTensor(let scale, _):
      return Constant([scale], shape: shape)
    case .perChannel(let axis, let scales):
      shape[axis] = value.sizes[axis]
      list = scales
    case .blockwise(_, let size, let scales):
      shape = value.sizes
      shape[shape.count - 1] /= size
      list = scales
      // Files store block scales as bfloat16. Older ones have float32 numbers, which are rounded to it.
      if list.format == .float32 {
        return Constant(list.values.map(Self.roundedToBFloat16), shape: shape)
      }
    case .perTokenDynamic, nil:
      throw CallError("a value of type \(value.dataType) has no scales")
    }
    return try pooled(list.data, TensorType(list.format == .float32 ? .float32 : .bfloat16, shape))
  }

  /// Rounds to nearest by scaling before truncation, as upstream does.
  private static func roundedToBFloat16(_ value: Float) -> Float {
    Float(bitPattern: (value * 1.00389105).bitPattern & 0xffff_0000)
  }
}
