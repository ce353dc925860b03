package import MartletGraph
import MartletKernels
package import MartletTensor

/// Constants that are stored compressed, as constants that are decoded when they are read.
///
/// Shapes, dtypes and byte counts are checked when the constant is made; what only the bytes show, such as the number of bits set in a
/// mask, when it is read. Elements of less than a byte are constants of uint8 or int8 here, one byte for each.
/// - Sources: MIL `constexpr_lut_to_dense`, `constexpr_sparse_to_dense`, `constexpr_blockwise_shift_scale`,
///   `constexpr_affine_dequantize`, `constexpr_cast`, `constexpr_lut_to_sparse`, `constexpr_sparse_blockwise_shift_scale`.
package enum CompressedConstant {
  /// No decoded constant may be larger: vectors and masks make much out of little.
  static let largestByteCount = 1 << 36

  /// Whole numbers of 1 to 8 bits, packed without gaps, lowest bit first.
  /// - Parameter stream: at least as many bytes as the numbers take, uint8.
  /// - Returns: a constant of int8 or uint8.
  package static func unpacked(
    _ stream: Constant, bits: Int, isSigned: Bool, shape: [Int]
  ) throws(OperatorError) -> Constant {
    let type = try checked(TensorType(isSigned ? .int8 : .uint8, shape))
    guard (1...8).contains(bits), stream.type.dtype.byteCount == 1 else { throw .invalid("\(bits)-bit numbers in \(stream.type)") }
    let count = type.elementCount
    let available = stream.type.elementCount
    guard available >= count / 8 * bits + (count % 8 * bits + 7) / 8 else {
      throw .invalid("\(available) bytes for \(count) numbers of \(bits) bits")
    }
    let compression = Constant.Compression.packed(stream: stream, bits: bits, isSigned: isSigned)
    return unsafe decoded(type, "unpack \(bits) \(isSigned) \(shape)", [stream], compression) { sources, target in
      unsafe WeightDecoding.unpack(
        UnsafeRawBufferPointer(start: sources[0], count: available), bits: bits, isSigned: isSigned, count: count, to: target)
    }
  }

  /// Entries of lookup tables.
  /// - Parameters:
  ///   - indices: uint8 of at least one axis.
  ///   - table: `[groups…, entries, vector]` with a number of groups for each axis of the indices, which divides it.
  ///   - vectorAxis: the axis that the elements of an entry lie along; nil if an entry is one element.
  package static func lookedUp(
    _ indices: Constant, table: Constant, vectorAxis: Int?
  ) throws(OperatorError) -> Constant {
    let shape = indices.type.shape
    let tableShape = table.type.shape
    guard indices.type.dtype == .uint8, !shape.isEmpty, tableShape.count == shape.count + 2, table.type.dtype.byteCount <= 8 else {
      throw .invalid("indices \(indices.type) for a table \(table.type)")
    }
    let groups = Array(tableShape.dropLast(2))
    let (entryCount, vectorLength) = (tableShape[shape.count], tableShape[shape.count + 1])
    guard zip(shape, groups).allSatisfy({ $1 > 0 && $0 % $1 == 0 }), entryCount > 0, vectorLength > 0 else {
      throw .invalid("tables \(tableShape) do not divide \(shape)")
    }
    guard vectorAxis != nil || vectorLength == 1 else { throw .invalid("entries of \(vectorLength) elements without an axis") }
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

  /// Elements at the places where a mask is not 0, and zeros elsewhere.
  /// - Parameters: - elements: of one axis; - mask: uint8.
  package static func spread(_ elements: Constant, mask: Constant) throws(OperatorError) -> Constant {
    guard elements.type.rank == 1, mask.type.dtype == .uint8 else { throw .invalid("\(elements.type) with a mask \(mask.type)") }
    let type = try checked(TensorType(elements.type.dtype, mask.type.shape))
    let count = elements.type.elementCount
    return unsafe decoded(type, "spread", [elements, mask]) { sources, target in
      try unsafe WeightDecoding.spread(
        sources[0], count: count, mask: sources[1], over: type.elementCount, elementSize: type.dtype.byteCount, to: target)
    }
  }

  /// The elements at the places where a mask is not 0: the reverse of `spread`.
  private static func collected(_ elements: Constant, mask: Constant, count: Int) throws(OperatorError) -> Constant {
    let type = try checked(TensorType(elements.type.dtype, [count]))
    let total = elements.type.elementCount
    return unsafe decoded(type, "collect \(count)", [elements, mask]) { sources, target in
      try unsafe WeightDecoding.collect(
        sources[0], mask: sources[1], over: total, elementSize: type.dtype.byteCount, count: count, to: target)
    }
  }

  /// `(data - offset) × scale` for blocks, computed in float32.
  /// - Parameters:
  ///   - scales: floating point, of the data's rank; each extent divides the data's. - offsets: of the shape of `scales`, any real
  ///     dtype.
  /// - Returns: a constant of the scales' dtype.
  package static func shiftedAndScaled(_ data: Constant, scales: Constant, offsets: Constant?) throws(OperatorError) -> Constant {
    let shape = data.type.shape
    let groups = scales.type.shape
    guard scales.type.dtype.isFloatingPoint, !data.type.dtype.isComplex, groups.count == shape.count,
      zip(shape, groups).allSatisfy({ $0 == 0 || $1 > 0 && $0 % $1 == 0 })
    else { throw .invalid("scales \(scales.type) for \(data.type)") }
    if let offsets, offsets.type.shape != groups || offsets.type.dtype.isComplex {
      throw .invalid("offsets \(offsets.type) for scales \(scales.type)")
    }
    let type = try checked(TensorType(scales.type.dtype, shape))
    // Packed numbers are unpacked while they are scaled, some at a time: all of them would take as much memory as half of the result.
    var (stored, packing): (Constant, (bits: Int, isSigned: Bool)?) = (data, nil)
    if case .packed(let stream, let bits, let isSigned) = data.compression { (stored, packing) = (stream, (bits, isSigned)) }
    let (byteCount, format) = (stored.type.byteCount, packing)
    var sources = [stored, try cast(scales, to: .float32)]
    if let offsets { sources.append(try cast(offsets, to: .float32)) }
    let compression = Constant.Compression.blocks(data: data, scales: scales, offsets: offsets)
    let name = "shift and scale" + (format.map { " \($0.bits) \($0.isSigned) \(shape)" } ?? "")
    return unsafe decoded(type, name, sources, compression) { sources, target in
      let numbers: WeightDecoding.Numbers =
        if let format {
          unsafe .packed(
            UnsafeRawBufferPointer(start: sources[0], count: byteCount), bits: format.bits, isSigned: format.isSigned)
        } else {
          unsafe .plain(sources[0], data.type.dtype)
        }
      unsafe WeightDecoding.shiftAndScale(
        numbers, shape: shape, scales: sources[1].assumingMemoryBound(to: Float.self),
        offsets: sources.count > 2 ? sources[2].assumingMemoryBound(to: Float.self) : nil, groups: groups, to: target, as: type.dtype)
    }
  }

  /// The constant's elements as another dtype.
  package static func cast(_ constant: Constant, to dtype: DType) throws(OperatorError) -> Constant {
    if constant.type.dtype == dtype { return constant }
    let type = try checked(TensorType(dtype, constant.type.shape))
    return unsafe decoded(type, "cast \(dtype)", [constant]) { sources, target in
      unsafe StridedCopy.copy(
        from: sources[0], constant.type, strides: Shape.contiguousStrides(type.shape), to: target, as: dtype)
    }
  }

  /// Looks up the elements that a mask keeps: entries of tables as in `lookedUp`, with the tables' groups counted over the mask's shape.
  /// - Returns: the mask, its elements repeated along `vectorAxis`, and the elements that it keeps.
  package static func lookedUpSparse(
    mask: Constant, indices: Constant, table: Constant, vectorAxis: Int?
  ) throws(OperatorError) -> (mask: Constant, elements: Constant) {
    let dense = try lookedUp(try spread(indices, mask: mask), table: table, vectorAxis: vectorAxis)
    guard let length = table.type.shape.last, length > 1, let vectorAxis else {
      return (mask, try collected(dense, mask: mask, count: indices.type.elementCount))
    }
    let axis = try normalAxis(vectorAxis, rank: mask.type.rank)
    let shape = mask.type.shape
    let inner = shape[(axis + 1)...].reduce(1, *)
    let wide = unsafe decoded(TensorType(.uint8, dense.type.shape), "repeat \(axis) \(length)", [mask]) { sources, target in
      for block in 0..<(shape.contains(0) ? 0 : shape[...axis].reduce(1, *)) {
        for copy in 0..<length {
          unsafe (target + (block * length + copy) * inner).copyMemory(from: sources[0] + block * inner, byteCount: inner)
        }
      }
    }
    return (wide, try collected(dense, mask: wide, count: try extentProduct(indices.type.elementCount, length)))
  }

  /// `shiftedAndScaled` of the elements that a mask keeps, with blocks counted over the mask's shape.
  package static func shiftedAndScaledSparse(
    mask: Constant, elements: Constant, scales: Constant, offsets: Constant?
  ) throws(OperatorError) -> (mask: Constant, elements: Constant) {
    let dense = try shiftedAndScaled(try spread(elements, mask: mask), scales: scales, offsets: offsets)
    return (mask, try collected(dense, mask: mask, count: elements.type.elementCount))
  }

  private static func checked(_ type: TensorType) throws(OperatorError) -> TensorType {
    guard let byteCount = HostTensor.byteCount(dtype: type.dtype, shape: type.shape), byteCount <= largestByteCount else {
      throw .invalid("a constant \(type) is too large")
    }
    return type
  }

  /// A constant that `decode` makes of others, which it gets row-major.
  private static func decoded(
    _ type: TensorType, _ description: String, _ sources: [Constant], _ compression: Constant.Compression? = nil,
    _ decode: @escaping @Sendable ([UnsafeRawPointer], UnsafeMutableRawPointer) throws -> Void
  ) -> Constant {
    Constant(type: type, description: "\(description) \(type)", sources: sources, compression: compression) {
      let storage = try PackedMemory.temporary(type.elementCount * type.dtype.byteCount)
      let bytes = try sources.map { try rowMajor($0) }
      try unsafe decode(bytes.map { unsafe $0.pointer }, storage.pointer)
      withExtendedLifetime(bytes) {}
      return Constant.Bytes(storage)
    }
  }

  private static func rowMajor(_ constant: Constant) throws -> Constant.Bytes {
    let bytes = try constant.bytes()
    if constant.strides == Shape.contiguousStrides(constant.type.shape) { return bytes }
    let storage = try TensorStorage(allocating: constant.type.elementCount * constant.type.dtype.byteCount)
    unsafe StridedCopy.copy(
      from: bytes.pointer, constant.type, strides: constant.strides, to: storage.pointer, as: constant.type.dtype)
    withExtendedLifetime(bytes.owner) {}
    return Constant.Bytes(storage)
  }
}
