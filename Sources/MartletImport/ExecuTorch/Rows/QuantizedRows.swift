import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Quantisation, and operators on quantised tensors.
let quantizedRows: CallTable = [
  "quantized_decomposed::quantize_per_tensor.out": { call in
    let parameters = try call.parameters(1)
    try call.emit(
      Pointwise.quantize(parameters, to: try call.range(3), from: try call.dtype(0), as: try call.dtype(6)),
      [try call.tensor(0)], out: 6)
  },
  "quantized_decomposed::quantize_per_tensor.Tensor_out": { call in
    try call.quantize(scales: try call.number(1), zeroPoints: try call.number(2), range: 3, out: 6)
  },
  "quantized_decomposed::quantize_per_channel.out": { call in
    let axis = try call.int(3)
    try call.quantize(
      scales: try call.perChannel(1, axis: axis), zeroPoints: try call.perChannel(2, axis: axis), range: 4, out: 7)
  },
  "quantized_decomposed::quantize_per_token.out": { call in
    try call.quantize(scales: try call.perToken(1), zeroPoints: try call.perToken(2), range: 3, out: 6)
  },
  "quantized_decomposed::dequantize_per_tensor.out": { call in
    let parameters = try call.parameters(1)
    if let point = Int32(exactly: parameters.zeroPoint), try call.isStoredWeight(0, out: 7) {
      let rank = try call.rank(0)
      let scale = call.builder.addConstant(Constant([Float(parameters.scale)], shape: [Int](repeating: 1, count: rank)))
      return try call.emit(Dequantize(zeroPoint: point), [try call.tensor(0), scale], out: 7)
    }
    try call.emit(
      Pointwise.dequantize(parameters, from: try call.dtype(0), as: try call.dtype(7)), [try call.tensor(0)], out: 7)
  },
  "quantized_decomposed::dequantize_per_tensor.Tensor_out": { call in
    try call.dequantize(scales: try call.number(1), zeroPoints: try call.number(2), out: 7)
  },
  "quantized_decomposed::dequantize_per_channel.out": { call in
    let axis = try call.int(3)
    let zeroPoints = try call.isNone(2) ? nil : try call.perChannel(2, axis: axis)
    let isWeight = try call.isStoredWeight(0, out: 8)
    let hasConstants = try call.isConstant(1) && (call.isNone(2) || call.isConstant(2))
    if isWeight, hasConstants, try call.dtype(1).isFloatingPoint {
      var operands: [ValueID?] = [try call.tensor(0), try call.perChannel(1, axis: axis)]
      if let zeroPoints { operands.append(zeroPoints) }
      return try call.emit(Dequantize(), operands, out: 8)
    }
    try call.dequantize(scales: try call.perChannel(1, axis: axis), zeroPoints: zeroPoints, out: 8)
  },
  "quantized_decomposed::dequantize_per_token.out": { call in
    try call.dequantize(scales: try call.perToken(1), zeroPoints: try call.perToken(2), out: 7)
  },
  "quantized_decomposed::choose_qparams.Tensor_out": { call in
    try call.emit(
      ChooseQuantization(.tensor(rank: try call.rank(5)), range: try call.range(1)), [try call.tensor(0)], outs: [5, 6])
  },
  "quantized_decomposed::choose_qparams_per_token_asymmetric.out": { call in
    try call.emit(ChooseQuantization(.rows, range: -128...127), [try call.tensor(0)], outs: [2, 3])
  },
  "quantized_decomposed::add.out": { call in
    let op = Pointwise.quantizedAdd(
      try call.parameters(1), try call.parameters(6), result: try call.parameters(10), to: try call.range(12),
      dtype: try call.dtype(14))
    try call.emit(op, [try call.tensor(0), try call.tensor(5)], out: 14)
  },
  "quantized_decomposed::mixed_mm.out": { call in
    let weight = try call.weight(groups: 1)
    try call.emit(MatMul(dtype: try call.dtype(4)), [try call.tensor(0), weight], out: 4)
  },
  "quantized_decomposed::mixed_linear.out": { call in
    let groups = try call.rank(2) == 2 ? try call.fixedShape(2)[1] : 1
    let weight = try call.weight(groups: groups)
    let shape = try call.fixedShape(1)
    let transposed = call.intermediate(
      Permute(axes: [1, 0]), [weight], TensorSignature(TensorType(.float32, shape.reversed())))
    try call.emit(MatMul(dtype: try call.dtype(5)), [try call.tensor(0), transposed], out: 5)
  },
  "quantized_decomposed::embedding_byte.out": { call in try call.embedding(nil, out: 6) },
  "quantized_decomposed::embedding_byte.dtype_out": { call in try call.embedding(nil, out: 7) },
  "quantized_decomposed::embedding_4bit.out": { call in try call.embedding(.int4, out: 6) },
  "quantized_decomposed::embedding_4bit.dtype_out": { call in try call.embedding(.int4, out: 7) },
  "quantized_decomposed::embedding_2bit.out": { call in try call.embedding(.int2, out: 6) },
  "quantized_decomposed::embedding_2bit.dtype_out": { call in try call.embedding(.int2, out: 7) },
]

extension OperatorCall {
  fileprivate mutating func isConstant(_ position: Int) throws -> Bool {
    let value = try tensor(position)
    return builder.constant(value) != nil
  }

  /// True if the argument is a constant that `Dequantize` can convert to float32.
  fileprivate mutating func isStoredWeight(_ position: Int, out: Int) throws -> Bool {
    guard try isConstant(position), try dtype(out) == .float32 else { return false }
    return try [.int8, .uint8, .int16, .uint16, .int32].contains(dtype(position))
  }

  /// Scale and zero point in arguments `position` and `position + 1`.
  fileprivate func parameters(_ position: Int) throws -> QuantizationParameters {
    QuantizationParameters(scale: try double(position), zeroPoint: Int64(try int(position + 1)))
  }

  /// Lowest and highest value in arguments `position` and `position + 1`.
  fileprivate func range(_ position: Int) throws -> ClosedRange<Int64> {
    let low = Int64(try int(position))
    let high = Int64(try int(position + 1))
    guard low <= high else { throw CallError("the range of values \(low)...\(high) is empty") }
    return low...high
  }

  fileprivate func fixedShape(_ position: Int) throws -> [Int] {
    guard let shape = try signature(position).fixedShape else { throw CallError("the shape of argument \(position) is not known") }
    return shape
  }

  private mutating func reshaped(_ value: ValueID, _ dtype: DType, _ shape: [Dimension]) -> ValueID {
    if let constant = builder.constant(value), constant.type.dtype == dtype,
      let fixed = TensorSignature(dtype: dtype, dimensions: shape).fixedShape, let view = constant.reshaped(fixed)
    {
      return builder.addConstant(view)
    }
    let extents = shape.map { dimension -> IntArgument in
      if case .fixed(let extent) = dimension { .constant(extent) } else { .constant(-1) }
    }
    return intermediate(Reshape(shape: extents), [value], TensorSignature(dtype: dtype, dimensions: shape))
  }

  /// A one-element tensor reshaped to rank 0.
  fileprivate mutating func number(_ position: Int) throws -> ValueID {
    reshaped(try tensor(position), try dtype(position), [])
  }

  /// A list of numbers along `axis` of argument 0, with a shape that broadcasts to it.
  fileprivate mutating func perChannel(_ position: Int, axis: Int) throws -> ValueID {
    let input = try signature(0)
    guard let normal = Shape.normalizedAxis(axis, rank: input.rank), normal < input.rank else {
      throw CallError("axis \(axis) does not fit rank \(input.rank)")
    }
    let shape = input.dimensions.indices.map { $0 == normal ? input.dimensions[$0] : .fixed(1) }
    return reshaped(try tensor(position), try dtype(position), shape)
  }

  /// One number per row of argument 0, with a shape that broadcasts to it.
  fileprivate mutating func perToken(_ position: Int) throws -> ValueID {
    let input = try signature(0).dimensions
    let shape = input.dropLast() + [.fixed(1)]
    if try signature(position).dimensions == Array(shape) { return try tensor(position) }
    guard shape.count(where: { if case .fixed = $0 { false } else { true } }) <= 1 else {
      // With several symbolic extents, the numbers must already have the required shape.
      guard try rank(position) == input.count else { throw CallError("argument \(position) does not fit rows of \(input)") }
      return try tensor(position)
    }
    return reshaped(try tensor(position), try dtype(position), Array(shape))
  }

  /// Quantises argument 0 with numbers that broadcast to it.
  fileprivate mutating func quantize(scales: ValueID, zeroPoints: ValueID, range position: Int, out: Int) throws {
    let inverse = intermediate(Pointwise.inverseScales, [scales], try signature(of: scales).with(.float32))
    let points = intermediate(Pointwise.roundedZeroPoints, [zeroPoints], try signature(of: zeroPoints).with(.float32))
    try emit(
      Pointwise.quantize(to: try range(position), from: try dtype(0), as: try dtype(out)), [try tensor(0), inverse, points],
      out: out)
  }

  /// Dequantises argument 0 with numbers that broadcast to it.
  fileprivate mutating func dequantize(scales: ValueID, zeroPoints: ValueID?, out: Int) throws {
    try emit(
      Pointwise.dequantize(hasZeroPoints: zeroPoints != nil, from: try dtype(0), as: try dtype(out)),
      [try tensor(0), scales] + (zeroPoints.map { [$0] } ?? []), out: out)
  }

  /// The quantised matrix in argument 1 as float32, with scales (argument 2) and zero points (argument 3) for each group of
  /// equal extent in each row.
  fileprivate mutating func weight(groups: Int) throws -> ValueID {
    let shape = try fixedShape(1)
    guard shape.count == 2, groups > 0, shape[1] % groups == 0 else {
      throw CallError("a weight of \(shape) does not split into \(groups) groups")
    }
    let grouped = [shape[0], groups, shape[1] / groups].map { Dimension.fixed($0) }
    let each = [shape[0], groups, 1].map { Dimension.fixed($0) }
    var operands: [ValueID?] = [
      reshaped(try tensor(1), try dtype(1), grouped), reshaped(try tensor(2), try dtype(2), each),
    ]
    if let zeroPoints = try optionalTensor(3) { operands.append(reshaped(zeroPoints, try dtype(3), each)) }
    let real = intermediate(
      Pointwise.dequantize(hasZeroPoints: operands.count == 3, from: try dtype(1), as: .float32), operands,
      TensorSignature(dtype: .float32, dimensions: grouped))
    return reshaped(real, .float32, shape.map { .fixed($0) })
  }

  /// Rows of a quantised table; nil stands for one byte per value.
  fileprivate mutating func embedding(_ packing: TablePacking?, out: Int) throws {
    let packing = try packing ?? (dtype(0) == .uint8 ? .uint8 : .int8)
    try emit(
      QuantizedEmbedding(packing, dtype: try dtype(out)),
      [try tensor(0), try tensor(1), try optionalTensor(2), try tensor(5)], out: out)
  }
}
