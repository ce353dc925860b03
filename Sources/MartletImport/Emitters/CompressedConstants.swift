import MartletBytes
import MartletGraph
import MartletOps
import MartletTensor

/// Constants that files store compressed: integers with scales and offsets, indices into tables, and packed bits. They are decoded when
/// they are packed or read; `CompressedConstant` implements the forms.
extension GraphWriting {
  /// Runs a decoder and reports its errors as errors of the call.
  func compressed<Result>(_ decode: () throws(OperatorError) -> Result) throws(CallError) -> Result {
    do throws(OperatorError) {
      return try decode()
    } catch .invalid(let reason), .unsupported(let reason) {
      throw CallError(reason)
    } catch {
      throw CallError("is not known before the program runs")
    }
  }

  /// Integers of 1 to 8 bits, packed without gaps.
  func unpacked(
    _ data: ByteView, bits: Int, isSigned: Bool, highBitFirst: Bool = false, shape: [Int]
  ) throws(CallError) -> Constant {
    let stream =
      data.count == 0
      ? Constant(HostTensor(zeros: .uint8, shape: [0]))
      : try builder.constants.constant(data, type: TensorType(.uint8, [data.count]), strides: [1])
    return try compressed { () throws(OperatorError) in
      try CompressedConstant.unpacked(stream, bits: bits, isSigned: isSigned, highBitFirst: highBitFirst, shape: shape)
    }
  }

  /// `(data - zeroPoint) × scale`, with one scale and one zero point for the whole tensor or for each position of an axis.
  func dequantized(_ data: Constant, scales: Constant, zeroPoints: Constant, axis: Int) throws(CallError) -> Constant {
    let scales = try scales.along(axis, of: data)
    let points = try zeroPoints.along(axis, of: data)
    // One of them may be a single number and the other a list.
    let shape = scales.type.elementCount > 1 ? scales.type.shape : points.type.shape
    return try compressed { () throws(OperatorError) in
      try CompressedConstant.shiftedAndScaled(data, scales: scales.expanded(to: shape), offsets: points.expanded(to: shape))
    }
  }

  /// `data × scale + bias`, with one scale and bias for the whole tensor or for each position of an axis. `biases` may be empty.
  func scaled(_ data: Constant, scales: [Float], biases: [Float], axis: Int) throws(CallError) -> Constant {
    let count = max(scales.count, biases.count)
    func all(_ list: [Float]) -> [Float] { list.count == count ? list : (0..<count).map { _ in list.first ?? 0 } }
    var blocks = data.type.shape.map { _ in 1 }
    guard count == 1 || blocks.indices.contains(axis) && data.type.shape[axis] == count else {
      throw CallError("\(count) scales do not fit \(data.type.shape)")
    }
    if count > 1 { blocks[axis] = count }
    let (scales, biases) = (all(scales), all(biases))
    let offsets = zip(scales, biases).map { -$1 / $0 }
    if biases.allSatisfy({ $0 == 0 }) || offsets.allSatisfy(\.isFinite) {
      return try compressed { () throws(OperatorError) in
        try CompressedConstant.shiftedAndScaled(
          data, scales: Constant(scales, shape: blocks), offsets: offsets.allSatisfy { $0 == 0 } ? nil : Constant(offsets, shape: blocks))
      }
    }
    // No offset stands for the bias of a scale of 0.
    guard data.type.dtype == .uint8 else { throw CallError("a scale of 0 with a bias is not supported for \(data.type.dtype)") }
    let entries = zip(scales, biases).flatMap { scale, bias in (0..<256).map { Float($0) * scale + bias } }
    return try compressed { () throws(OperatorError) in
      try CompressedConstant.lookedUp(data, table: Constant(entries, shape: blocks + [256, 1]), vectorAxis: nil)
    }
  }

  /// Looks up the entries of a single table of scalars. An index has as many bits as the table requires.
  func lookedUp(_ stream: Constant, table: Constant, shape: [Int]) throws(CallError) -> Constant {
    let entryCount = table.type.elementCount
    guard table.type.rank == 1, (2...256).contains(entryCount), entryCount & (entryCount - 1) == 0 else {
      throw CallError("a table has \(entryCount) entries")
    }
    let shared = Constant(
      viewOf: table, shape: shape.map { _ in 1 } + [entryCount, 1], strides: shape.map { _ in entryCount } + [1, 1])
    return try compressed { () throws(OperatorError) in
      let indices = try CompressedConstant.unpacked(stream, bits: entryCount.trailingZeroBitCount, isSigned: false, shape: shape)
      return try CompressedConstant.lookedUp(indices, table: shared, vectorAxis: nil)
    }
  }
}

extension Constant {
  /// A single number, or one per position of an axis of `data`, as a tensor with the extents of blocks.
  fileprivate func along(_ axis: Int, of data: Constant) throws(CallError) -> Constant {
    let count = type.elementCount
    guard type.rank <= 1, count == 1 || count == data.type.shape[axis] else {
      throw CallError("a list \(type) does not fit axis \(axis) of \(data.type.shape)")
    }
    var shape = data.type.shape.map { _ in 1 }
    shape[axis] = count
    return Constant(viewOf: self, shape: shape, strides: shape.indices.map { $0 == axis && count > 1 ? 1 : 0 })
  }

  /// A single number, repeated to `shape`.
  fileprivate func expanded(to shape: [Int]) throws(OperatorError) -> Constant {
    if type.shape == shape { return self }
    guard type.elementCount == 1 else { throw .invalid("\(type) does not fit \(shape)") }
    return Constant(viewOf: self, shape: shape, strides: shape.map { _ in 0 })
  }
}
