import MartletBytes
import MartletCoreMLFile
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// Constants that are stored compressed. Up to iOS 17 the parameters are attributes and bits are packed into bytes; from iOS 18 on they
/// are inputs with types of their own.
let milCompressionRows: MILCallTable = [
  // quantized_data, zero_point, scale, axis
  "constexpr_affine_dequantize": { call in
    let data = try call.decoded("quantized_data")
    let axis = try call.normalized(try call.int("axis"), rank: data.type.rank)
    let scales = try call.alongAxis("scale", axis, of: data)
    let points = try call.alongAxis("zero_point", axis, of: data)
    try call.compressed { () throws(OperatorError) in
      var shape = scales.type.shape
      var common = (scales, points)
      // One number and a list of numbers may stand together.
      if points.type.shape != shape {
        shape = scales.type.elementCount > 1 ? shape : points.type.shape
        common = (try CallConstants.expanded(scales, to: shape), try CallConstants.expanded(points, to: shape))
      }
      return try CompressedConstant.shiftedAndScaled(data, scales: common.0, offsets: common.1)
    }
  },
  // data, scale, offset
  "constexpr_blockwise_shift_scale": { call in
    let (data, scale) = (try call.decoded("data"), try call.decoded("scale"))
    let offset = call.has("offset") ? try call.decoded("offset") : nil
    try call.compressed { () throws(OperatorError) in
      try CompressedConstant.shiftedAndScaled(data, scales: scale, offsets: offset)
    }
  },
  // indices, lut, shape; from iOS 18 on indices, lut, vector_axis
  "constexpr_lut_to_dense": { call in
    var table = try call.decoded("lut")
    if call.has("shape") {
      let shape = try call.ints("shape")
      let entryCount = table.type.elementCount
      guard table.type.rank == 1, (2...256).contains(entryCount), entryCount & (entryCount - 1) == 0 else {
        throw CallError("parameter lut has \(entryCount) entries")
      }
      let stream = try call.decoded("indices")
      table = Constant(
        viewOf: table, shape: shape.map { _ in 1 } + [entryCount, 1], strides: shape.map { _ in entryCount } + [1, 1])
      return try call.compressed { () throws(OperatorError) in
        let indices = try CompressedConstant.unpacked(
          stream, bits: entryCount.trailingZeroBitCount, isSigned: false, shape: shape)
        return try CompressedConstant.lookedUp(indices, table: table, vectorAxis: nil)
      }
    }
    let indices = try call.decoded("indices")
    let axis = call.has("vector_axis") ? try call.int("vector_axis") : nil
    try call.compressed { () throws(OperatorError) in
      try CompressedConstant.lookedUp(indices, table: table, vectorAxis: axis)
    }
  },
  // nonzero_data, mask, shape; from iOS 18 on the mask has the shape
  "constexpr_sparse_to_dense": { call in
    let (data, mask) = (try call.decoded("nonzero_data"), try call.decoded("mask"))
    let shape = try call.optionalInts("shape")
    try call.compressed { () throws(OperatorError) in
      let bits = try shape.map { shape throws(OperatorError) in
        try CompressedConstant.unpacked(mask, bits: 1, isSigned: false, shape: shape)
      }
      return try CompressedConstant.spread(data, mask: bits ?? mask)
    }
  },
  "constexpr_cast": { call in
    let (value, dtype) = (try call.decoded("source_val"), try call.outputDType())
    try call.compressed { () throws(OperatorError) in try CompressedConstant.cast(value, to: dtype) }
  },
  // indices_mask, indices_nonzero_data, lut, vector_axis
  "constexpr_lut_to_sparse": { call in
    let (mask, indices) = (try call.decoded("indices_mask"), try call.decoded("indices_nonzero_data"))
    let table = try call.decoded("lut")
    let axis = call.has("vector_axis") ? try call.int("vector_axis") : nil
    try call.compressedPair { () throws(OperatorError) in
      try CompressedConstant.lookedUpSparse(mask: mask, indices: indices, table: table, vectorAxis: axis)
    }
  },
  // data_mask, nonzero_data, scale, offset
  "constexpr_sparse_blockwise_shift_scale": { call in
    let (mask, data) = (try call.decoded("data_mask"), try call.decoded("nonzero_data"))
    let scale = try call.decoded("scale")
    let offset = call.has("offset") ? try call.decoded("offset") : nil
    try call.compressedPair { () throws(OperatorError) in
      try CompressedConstant.shiftedAndScaledSparse(mask: mask, elements: data, scales: scale, offsets: offset)
    }
  },
]

private enum CallConstants {
  /// One number as a constant of ones' extents repeated to `shape`.
  static func expanded(_ constant: Constant, to shape: [Int]) throws(OperatorError) -> Constant {
    if constant.type.shape == shape { return constant }
    guard constant.type.elementCount == 1 else { throw .invalid("\(constant.type) does not fit \(shape)") }
    return Constant(viewOf: constant, shape: shape, strides: shape.map { _ in 0 })
  }
}

extension MILCall {
  /// A constant parameter: of the file, its elements of less than a byte unpacked, or the result of another decoder.
  fileprivate mutating func decoded(_ parameter: String) throws -> Constant {
    let bound = try bound(parameter)
    if let tensor = bound.tensor {
      guard let constant = importer.constant(tensor) else { throw CallError("parameter \(parameter) is not a constant") }
      return constant
    }
    guard let value = bound.value?.tensor else { throw CallError("parameter \(parameter) is not a constant") }
    if DType(ofConstants: value.dataType) != nil {
      let tensor = try tensor(parameter)
      guard let constant = importer.constant(tensor) else { throw CallError("parameter \(parameter) is not a constant") }
      return constant
    }
    guard let bits = value.dataType.bitCount, bits < 8, value.shape.count <= 16 else {
      throw CallError("parameter \(parameter) has elements of type \(value.dataType.textName), which are not supported here")
    }
    let stream =
      value.data.count == 0
      ? Constant(HostTensor(zeros: .uint8, shape: [0]))
      : try importer.constants.constant(value.data, type: TensorType(.uint8, [value.data.count]), strides: [1])
    do throws(OperatorError) {
      return try CompressedConstant.unpacked(
        stream, bits: bits, isSigned: value.dataType == .int4, shape: value.shape)
    } catch {
      throw CallError("parameter \(parameter): \(Self.reason(error))")
    }
  }

  /// One number, or one for each position of an axis of `data`, with the extents of blocks.
  fileprivate mutating func alongAxis(_ parameter: String, _ axis: Int, of data: Constant) throws -> Constant {
    let constant = try decoded(parameter)
    let count = constant.type.elementCount
    guard constant.type.rank <= 1, count == 1 || count == data.type.shape[axis] else {
      throw CallError("parameter \(parameter), \(constant.type), does not fit axis \(axis) of \(data.type.shape)")
    }
    var shape = data.type.shape.map { _ in 1 }
    shape[axis] = count
    return Constant(viewOf: constant, shape: shape, strides: shape.indices.map { $0 == axis && count > 1 ? 1 : 0 })
  }

  private static func reason(_ error: OperatorError) -> String {
    switch error {
    case .invalid(let reason), .unsupported(let reason), .overBudget(let reason): reason
    case .needsValue: "is not known before the program runs"
    }
  }

  fileprivate mutating func compressed(_ decode: () throws(OperatorError) -> Constant) throws {
    let constant: Constant
    do throws(OperatorError) { constant = try decode() } catch { throw CallError(Self.reason(error)) }
    try set(importer.addConstant(constant))
  }

  fileprivate mutating func compressedPair(_ decode: () throws(OperatorError) -> (mask: Constant, elements: Constant)) throws {
    let result: (mask: Constant, elements: Constant)
    do throws(OperatorError) { result = try decode() } catch { throw CallError(Self.reason(error)) }
    try set(importer.addConstant(result.mask), output: 0)
    if outputCount > 1 { try set(importer.addConstant(result.elements), output: 1) }
  }
}
