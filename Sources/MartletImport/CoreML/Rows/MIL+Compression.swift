import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Constants that are stored compressed. Up to iOS 17, the parameters are attributes and bits are packed into bytes; since iOS 18, they are
/// inputs with types of their own.
let milCompressionRows: MILCallTable = [
  // quantized_data, zero_point, scale, axis
  "constexpr_affine_dequantize": { call in
    let data = try call.decoded("quantized_data")
    let axis = try call.normalized(try call.int("axis"), rank: data.type.rank)
    let (scales, points) = (try call.decoded("scale"), try call.decoded("zero_point"))
    try call.set(constant: try call.dequantized(data, scales: scales, zeroPoints: points, axis: axis))
  },
  // data, scale, offset
  "constexpr_blockwise_shift_scale": { call in
    let (data, scale) = (try call.decoded("data"), try call.decoded("scale"))
    let offset = call.has("offset") ? try call.decoded("offset") : nil
    try call.setDecoded { () throws(OperatorError) in
      try CompressedConstant.shiftedAndScaled(data, scales: scale, offsets: offset)
    }
  },
  // indices, lut, shape; since iOS 18 indices, lut, vector_axis
  "constexpr_lut_to_dense": { call in
    let table = try call.decoded("lut")
    if call.has("shape") {
      let shape = try call.ints("shape")
      return try call.set(constant: try call.lookedUp(try call.decoded("indices"), table: table, shape: shape))
    }
    let indices = try call.decoded("indices")
    let axis = call.has("vector_axis") ? try call.int("vector_axis") : nil
    try call.setDecoded { () throws(OperatorError) in
      try CompressedConstant.lookedUp(indices, table: table, vectorAxis: axis)
    }
  },
  // nonzero_data, mask, shape; since iOS 18 the shape is that of the mask
  "constexpr_sparse_to_dense": { call in
    let (data, mask) = (try call.decoded("nonzero_data"), try call.decoded("mask"))
    let shape = try call.optionalInts("shape")
    try call.setDecoded { () throws(OperatorError) in
      let bits = try shape.map { shape throws(OperatorError) in
        try CompressedConstant.unpacked(mask, bits: 1, isSigned: false, shape: shape)
      }
      return try CompressedConstant.spread(data, mask: bits ?? mask)
    }
  },
  "constexpr_cast": { call in
    let (value, dtype) = (try call.decoded("source_val"), try call.outputDType())
    try call.setDecoded { () throws(OperatorError) in try CompressedConstant.cast(value, to: dtype) }
  },
  // indices_mask, indices_nonzero_data, lut, vector_axis
  "constexpr_lut_to_sparse": { call in
    let (mask, indices) = (try call.decoded("indices_mask"), try call.decoded("indices_nonzero_data"))
    let table = try call.decoded("lut")
    let axis = call.has("vector_axis") ? try call.int("vector_axis") : nil
    try call.setDecodedPair { () throws(OperatorError) in
      try CompressedConstant.lookedUpSparse(mask: mask, indices: indices, table: table, vectorAxis: axis)
    }
  },
  // data_mask, nonzero_data, scale, offset
  "constexpr_sparse_blockwise_shift_scale": { call in
    let (mask, data) = (try call.decoded("data_mask"), try call.decoded("nonzero_data"))
    let scale = try call.decoded("scale")
    let offset = call.has("offset") ? try call.decoded("offset") : nil
    try call.setDecodedPair { () throws(OperatorError) in
      try CompressedConstant.shiftedAndScaledSparse(mask: mask, elements: data, scales: scale, offsets: offset)
    }
  },
]

extension MILCall {
  /// A constant parameter: a constant of the file, whose elements of less than a byte are unpacked, or the result of another decoder.
  fileprivate mutating func decoded(_ parameter: String) throws -> Constant {
    let bound = try bound(parameter)
    if let tensor = bound.tensor {
      guard let constant = builder.constant(tensor) else { throw CallError("parameter \(parameter) is not a constant") }
      return constant
    }
    guard let value = bound.value?.tensor else { throw CallError("parameter \(parameter) is not a constant") }
    if DType(ofConstants: value.dataType) != nil {
      let tensor = try tensor(parameter)
      guard let constant = builder.constant(tensor) else { throw CallError("parameter \(parameter) is not a constant") }
      return constant
    }
    guard let bits = value.dataType.bitCount, bits < 8, value.shape.count <= 16 else {
      throw CallError("parameter \(parameter) has elements of type \(value.dataType.textName), which are not supported here")
    }
    return try unpacked(value.data, bits: bits, isSigned: value.dataType == .int4, shape: value.shape)
  }

  /// Assigns a constant to the result.
  fileprivate mutating func set(constant: Constant) throws { try set(builder.addConstant(constant)) }

  /// Assigns the constant that `decode` returns to the result.
  fileprivate mutating func setDecoded(_ decode: () throws(OperatorError) -> Constant) throws {
    try set(constant: try compressed(decode))
  }

  fileprivate mutating func setDecodedPair(_ decode: () throws(OperatorError) -> (mask: Constant, elements: Constant)) throws {
    let result = try compressed(decode)
    try set(builder.addConstant(result.mask), output: 0)
    if outputCount > 1 { try set(builder.addConstant(result.elements), output: 1) }
  }
}
