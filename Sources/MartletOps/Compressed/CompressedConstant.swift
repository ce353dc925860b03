package import MartletGraph
import MartletKernels
package import MartletTensor

/// Constants that are stored compressed and decoded when they are read.
///
/// Shapes, dtypes and byte counts are checked when the constant is made. Properties of the data, such as the number of bits set in a
/// mask, are checked when it is read. Elements smaller than a byte are represented as uint8 or int8, one byte each.
/// - Sources: MIL `constexpr_lut_to_dense`, `constexpr_sparse_to_dense`, `constexpr_blockwise_shift_scale`,
///   `constexpr_affine_dequantize`, `constexpr_cast`, `constexpr_lut_to_sparse`, `constexpr_sparse_blockwise_shift_scale`.
package enum CompressedConstant {
  /// Maximum size of a decoded constant, in bytes: lookup tables and masks can expand a small file enormously.
  static let largestByteCount = 1 << 36

  /// Integers of 1 to 8 bits, packed without gaps.
  /// - Parameter stream: uint8, with at least as many bytes as the packed integers take.
  /// - Returns: a constant of int8 or uint8.
  package static func unpacked(
    _ stream: Constant, bits: Int, isSigned: Bool, highBitFirst: Bool = false, shape: [Int]
  ) throws(OperatorError) -> Constant {
    let packing = BitPacking(bits: bits, isSigned: isSigned, highBitFirst: highBitFirst)
    let type = try checked(TensorType(packing.isSigned ? .int8 : .uint8, shape))
    guard (1...8).contains(bits), stream.type.dtype.byteCount == 1 else { throw .invalid("\(bits)-bit integers in \(stream.type)") }
    let count = type.elementCount
    let available = stream.type.elementCount
    // In range: a tensor has at most 2^52 elements, of at most 64 bits.
    guard available >= count / 8 * bits + (count % 8 * bits + 7) / 8 else {
      throw .invalid("\(available) bytes are not enough for \(count) integers of \(bits) bits")
    }
    let compression = Constant.Compression.packed(stream: stream, packing)
    return unsafe decoded(type, "unpack \(packing) \(shape)", [stream], compression) { sources, target in
      unsafe WeightDecoding.unpack(
        UnsafeRawBufferPointer(start: sources[0], count: available), packing, count: count, to: target)
    }
  }

  /// Lookup-table compression.
  /// - Parameters:
  ///   - indices: uint8, of rank at least 1.
  ///   - table: `[groups…, entries, vector]`; the number of groups along each axis divides the extent of the indices.
  ///   - vectorAxis: the axis along which the elements of an entry lie; nil if an entry is a single element.
  package static func lookedUp(
    _ indices: Constant, table: Constant, vectorAxis: Int?
  ) throws(OperatorError) -> Constant {
    let shape = indices.type.shape
    let tableShape = table.type.shape
    guard indices.type.dtype == .uint8, !shape.isEmpty, tableShape.count == shape.count + 2, table.type.dtype.byteCount <= 8 else {
      throw .invalid("indices \(indices.type) do not fit a table \(table.type)")
    }
    let groups = Array(tableShape.dropLast(2))
    let (entryCount, vectorLength) = (tableShape[shape.count], tableShape[shape.count + 1])
    guard zip(shape, groups).allSatisfy({ $1 > 0 && $0 % $1 == 0 }), entryCount > 0, vectorLength > 0 else {
      throw .invalid("the groups of tables \(tableShape) do not divide \(shape)")
    }
    guard vectorAxis != nil || vectorLength == 1 else { throw .invalid("table entries of \(vectorLength) elements need an axis") }
    let axis = try normalAxis(vectorAxis ?? 0, rank: shape.count)
    var result = shape
    result[axis] = try extentProduct(shape[axis], vectorLength)
    let type = try checked(TensorType(table.type.dtype, result))
    let lookup = WeightDecoding.Lookup(
      shape: shape, groups: groups, entryCount: entryCount, vectorLength: vectorLength, vectorAxis: axis)
    return unsafe decoded(type, "look up \(axis)", [indices, table]) { sources, target in
      try unsafe WeightDecoding.lookUp(
        lookup, indices: sources[0], table: sources[1], elementSize: type.dtype.byteCount, to: target)
    }
  }

  /// Sparse compression: the elements at the nonzero positions of a mask, and zeros elsewhere.
  /// - Parameters: - elements: of rank 1; - mask: uint8.
  package static func spread(_ elements: Constant, mask: Constant) throws(OperatorError) -> Constant {
    guard elements.type.rank == 1, mask.type.dtype == .uint8 else { throw .invalid("\(elements.type) does not fit a mask \(mask.type)") }
    let type = try checked(TensorType(elements.type.dtype, mask.type.shape))
    let count = elements.type.elementCount
    return unsafe decoded(type, "spread", [elements, mask]) { sources, target in
      try unsafe WeightDecoding.spread(
        sources[0], count: count, mask: sources[1], over: type.elementCount, elementSize: type.dtype.byteCount, to: target)
    }
  }

  /// The elements at the nonzero positions of a mask: the inverse of `spread`.
  private static func collected(_ elements: Constant, mask: Constant, count: Int) throws(OperatorError) -> Constant {
    let type = try checked(TensorType(elements.type.dtype, [count]))
    let total = elements.type.elementCount
    return unsafe decoded(type, "collect \(count)", [elements, mask]) { sources, target in
      try unsafe WeightDecoding.collect(
        sources[0], mask: sources[1], over: total, elementSize: type.dtype.byteCount, count: count, to: target)
    }
  }

  /// Blockwise `(data - offset) × scale`, computed in float32.
  /// - Parameters:
  ///   - scales: floating point, with the rank of the data; each extent divides that of the data. - offsets: with the shape of `scales`,
  ///     any real dtype.
  /// - Returns: a constant with the dtype of the scales.
  package static func shiftedAndScaled(_ data: Constant, scales: Constant, offsets: Constant?) throws(OperatorError) -> Constant {
    let shape = data.type.shape
    let groups = scales.type.shape
    guard scales.type.dtype.isFloatingPoint, !data.type.dtype.isComplex, groups.count == shape.count,
      zip(shape, groups).allSatisfy({ $0 == 0 || $1 > 0 && $0 % $1 == 0 })
    else { throw .invalid("scales \(scales.type) do not fit \(data.type)") }
    if let offsets, offsets.type.shape != groups || offsets.type.dtype.isComplex {
      throw .invalid("offsets \(offsets.type) do not fit scales \(scales.type)")
    }
    let type = try checked(TensorType(scales.type.dtype, shape))
    // Packed integers are unpacked piecewise during scaling. Unpacking all of them first would take half as much memory as the result.
    var (stored, packing): (Constant, BitPacking?) = (data, nil)
    if case .packed(let stream, let format) = data.compression { (stored, packing) = (stream, format) }
    let (byteCount, format) = (stored.type.byteCount, packing)
    var sources = [stored, try cast(scales, to: .float32)]
    if let offsets { sources.append(try cast(offsets, to: .float32)) }
    let compression = Constant.Compression.blocks(data: data, scales: scales, offsets: offsets)
    let name = "shift and scale" + (format.map { " \($0) \(shape)" } ?? "")
    return unsafe decoded(type, name, sources, compression) { sources, target in
      let numbers: WeightDecoding.Numbers =
        if let format {
          unsafe .packed(UnsafeRawBufferPointer(start: sources[0], count: byteCount), format)
        } else {
          unsafe .plain(sources[0], data.type.dtype)
        }
      unsafe WeightDecoding.shiftAndScale(
        numbers, shape: shape, scales: sources[1].assumingMemoryBound(to: Float.self),
        offsets: sources.count > 2 ? sources[2].assumingMemoryBound(to: Float.self) : nil, groups: groups, to: target, as: type.dtype)
    }
  }

  /// The constant converted to another dtype.
  package static func cast(_ constant: Constant, to dtype: DType) throws(OperatorError) -> Constant {
    if constant.type.dtype == dtype { return constant }
    let type = try checked(TensorType(dtype, constant.type.shape))
    return unsafe decoded(type, "cast \(dtype)", [constant]) { sources, target in
      unsafe StridedCopy.copy(
        from: sources[0], constant.type, strides: Shape.contiguousStrides(type.shape), to: target, as: dtype)
    }
  }

  /// Lookup-table compression of the elements that a mask keeps: table entries as in `lookedUp`, with groups counted over the mask's
  /// shape.
  /// - Returns: the mask, repeated along `vectorAxis`, and the elements that it keeps.
  package static func lookedUpSparse(
    mask: Constant, indices: Constant, table: Constant, vectorAxis: Int?
  ) throws(OperatorError) -> (mask: Constant, elements: Constant) {
    let dense = try lookedUp(try spread(indices, mask: mask), table: table, vectorAxis: vectorAxis)
    guard let length = table.type.shape.last, length > 1, let vectorAxis else {
      return (mask, try collected(dense, mask: mask, count: indices.type.elementCount))
    }
    let axis = try normalAxis(vectorAxis, rank: mask.type.rank)
    let shape = mask.type.shape
    let inner = Extent.product(shape[(axis + 1)...]).clamped
    let wide = unsafe decoded(TensorType(.uint8, dense.type.shape), "repeat \(axis) \(length)", [mask]) { sources, target in
      for block in 0..<(shape.contains(0) ? 0 : Extent.product(shape[...axis]).clamped) {
        for copy in 0..<length {
          // In range: positions in a tensor in memory.
          unsafe (target + (block * length + copy) * inner).copyMemory(from: sources[0] + block * inner, byteCount: inner)
        }
      }
    }
    return (wide, try collected(dense, mask: wide, count: try extentProduct(indices.type.elementCount, length)))
  }

  /// `shiftedAndScaled` for the elements that a mask keeps, with blocks counted over the mask's shape.
  package static func shiftedAndScaledSparse(
    mask: Constant, elements: Constant, scales: Constant, offsets: Constant?
  ) throws(OperatorError) -> (mask: Constant, elements: Constant) {
    let dense = try shiftedAndScaled(try spread(elements, mask: mask), scales: scales, offsets: offsets)
    return (mask, try collected(dense, mask: mask, count: elements.type.elementCount))
  }

  private static func checked(_ type: TensorType) throws(OperatorError) -> TensorType {
    guard let byteCount = HostTensor.byteCount(dtype: type.dtype, shape: type.shape), byteCount <= largestByteCount else {
      throw .invalid("the constant \(type) is too large")
    }
    return type
  }

  /// A constant computed by `decode` from row-major sources.
  private static func decoded(
    _ type: TensorType, _ description: String, _ sources: [Constant], _ compression: Constant.Compression? = nil,
    _ decode: @escaping @Sendable ([UnsafeRawPointer], UnsafeMutableRawPointer) throws -> Void
  ) -> Constant {
    Constant(type: type, description: "\(description) \(type)", sources: sources, compression: compression) {
      try Allowance.current?.spend(Allowance.units(operations: Double(type.byteCount)))
      let storage = try PackedMemory.temporary(type.byteCount)
      let bytes = try sources.map { try rowMajor($0) }
      try unsafe decode(bytes.map { unsafe $0.pointer }, storage.pointer)
      withExtendedLifetime(bytes) {}
      return Constant.Bytes(storage)
    }
  }

  private static func rowMajor(_ constant: Constant) throws -> Constant.Bytes {
    let bytes = try constant.bytes()
    if constant.strides == Shape.contiguousStrides(constant.type.shape) { return bytes }
    // In range: a constant is in memory or in a file.
    let storage = try TensorStorage(allocating: constant.type.elementCount * constant.type.dtype.byteCount)
    unsafe StridedCopy.copy(
      from: bytes.pointer, constant.type, strides: constant.strides, to: storage.pointer, as: constant.type.dtype)
    withExtendedLifetime(bytes.owner) {}
    return Constant.Bytes(storage)
  }
}
