import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Quantisation, and operators on quantised tensors.
let quantizedRows: CallTable = [
  "quantized_decomposed::quantize_per_tensor.out(input, scale, zero_point, quant_min, quant_max, dtype, out)": { call in
    let parameters = try call.parameters("scale", "zero_point")
    try call.emit(
      Pointwise.quantize(parameters, to: try call.range(), from: try call.dtype("input"), as: try call.dtype("out")),
      [try call.tensor("input")], out: "out")
  },
  "quantized_decomposed::quantize_per_tensor.Tensor_out(input, scale, zero_point, quant_min, quant_max, dtype, out)": { call in
    try call.quantize(scales: try call.number("scale"), zeroPoints: try call.number("zero_point"))
  },
  "quantized_decomposed::quantize_per_channel.out(input, scales, zero_points, axis, quant_min, quant_max, dtype, out)": { call in
    let axis = try call.int("axis")
    try call.quantize(
      scales: try call.perChannel("scales", axis: axis), zeroPoints: try call.perChannel("zero_points", axis: axis))
  },
  "quantized_decomposed::quantize_per_token.out(input, scales, zero_points, quant_min, quant_max, dtype, out)": { call in
    try call.quantize(scales: try call.perToken("scales"), zeroPoints: try call.perToken("zero_points"))
  },
  "quantized_decomposed::dequantize_per_tensor.out(input, scale, zero_point, quant_min, quant_max, dtype, out_dtype, "
    + "out)": { call in
      let parameters = try call.parameters("scale", "zero_point")
      if let point = Int32(exactly: parameters.zeroPoint), try call.isStoredWeight() {
        let rank = try call.rank("input")
        let scale = call.builder.addConstant(Constant([Float(parameters.scale)], shape: [Int](repeating: 1, count: rank)))
        return try call.emit(Dequantize(zeroPoint: point), [try call.tensor("input"), scale], out: "out")
      }
      try call.emit(
        Pointwise.dequantize(parameters, from: try call.dtype("input"), as: try call.dtype("out")), [try call.tensor("input")], out: "out")
    },
  "quantized_decomposed::dequantize_per_tensor.Tensor_out(input, scale, zero_point, quant_min, quant_max, dtype, "
    + "out_dtype, out)": { call in
      try call.dequantize(scales: try call.number("scale"), zeroPoints: try call.number("zero_point"))
    },
  "quantized_decomposed::dequantize_per_channel.out(input, scales, zero_points, axis, quant_min, quant_max, dtype, "
    + "out_dtype, out)": { call in
      let axis = try call.int("axis")
      let zeroPoints = try call.isNone("zero_points") ? nil : try call.perChannel("zero_points", axis: axis)
      let isWeight = try call.isStoredWeight()
      let hasConstants = try call.isConstant("scales") && (call.isNone("zero_points") || call.isConstant("zero_points"))
      if isWeight, hasConstants, try call.dtype("scales").isFloatingPoint {
        var operands: [ValueID?] = [try call.tensor("input"), try call.perChannel("scales", axis: axis)]
        if let zeroPoints { operands.append(zeroPoints) }
        return try call.emit(Dequantize(), operands, out: "out")
      }
      try call.dequantize(scales: try call.perChannel("scales", axis: axis), zeroPoints: zeroPoints)
    },
  "quantized_decomposed::dequantize_per_token.out(input, scales, zero_points, quant_min, quant_max, dtype, output_dtype, "
    + "out)": { call in
      try call.dequantize(scales: try call.perToken("scales"), zeroPoints: try call.perToken("zero_points"))
    },
  "quantized_decomposed::choose_qparams.Tensor_out(input, quant_min, quant_max, eps, dtype, scale_out, "
    + "zero_point_out)": { call in
      try call.emit(
        ChooseQuantization(.tensor(rank: try call.rank("scale_out")), range: try call.range()), [try call.tensor("input")],
        outs: ["scale_out", "zero_point_out"])
    },
  "quantized_decomposed::choose_qparams_per_token_asymmetric.out(input, dtype, scale_out, zero_point_out)": { call in
    try call.emit(ChooseQuantization(.rows, range: -128...127), [try call.tensor("input")], outs: ["scale_out", "zero_point_out"])
  },
  "quantized_decomposed::add.out(a, a_scale, a_zero_point, a_quant_min, a_quant_max, b, b_scale, b_zero_point, "
    + "b_quant_min, b_quant_max, out_scale, out_zero_point, out_quant_min, out_quant_max, out)": { call in
      let op = Pointwise.quantizedAdd(
        try call.parameters("a_scale", "a_zero_point"), try call.parameters("b_scale", "b_zero_point"),
        result: try call.parameters("out_scale", "out_zero_point"), to: try call.range("out_quant_min", "out_quant_max"),
        dtype: try call.dtype("out"))
      try call.emit(op, [try call.tensor("a"), try call.tensor("b")], out: "out")
    },
  "quantized_decomposed::mixed_mm.out(input, weight, weight_scales, weight_zero_points, out)": { call in
    let weight = try call.weight(groups: 1)
    try call.emit(MatMul(dtype: try call.dtype("out")), [try call.tensor("input"), weight], out: "out")
  },
  "quantized_decomposed::mixed_linear.out(input, weight, weight_scales, weight_zero_points, dtype, out)": { call in
    let groups = try call.rank("weight_scales") == 2 ? try call.fixedShape("weight_scales")[1] : 1
    let weight = try call.weight(groups: groups)
    let shape = try call.fixedShape("weight")
    let transposed = call.intermediate(
      Permute(axes: [1, 0]), [weight], TensorSignature(TensorType(.float32, shape.reversed())))
    try call.emit(MatMul(dtype: try call.dtype("out")), [try call.tensor("input"), transposed], out: "out")
  },
  "quantized_decomposed::embedding_byte.out(weight, weight_scales, weight_zero_points, weight_quant_min, "
    + "weight_quant_max, indices, out)": { call in try call.embedding(nil) },
  "quantized_decomposed::embedding_byte.dtype_out(weight, weight_scales, weight_zero_points, weight_quant_min, "
    + "weight_quant_max, indices, dtype, out)": { call in try call.embedding(nil) },
  "quantized_decomposed::embedding_4bit.out(weight, weight_scales, weight_zero_points, weight_quant_min, "
    + "weight_quant_max, indices, out)": { call in try call.embedding(.int4) },
  "quantized_decomposed::embedding_4bit.dtype_out(weight, weight_scales, weight_zero_points, weight_quant_min, "
    + "weight_quant_max, indices, dtype, out)": { call in try call.embedding(.int4) },
  "quantized_decomposed::embedding_2bit.out(weight, weight_scales, weight_zero_points, weight_quant_min, "
    + "weight_quant_max, indices, out)": { call in try call.embedding(.int2) },
  "quantized_decomposed::embedding_2bit.dtype_out(weight, weight_scales, weight_zero_points, weight_quant_min, "
    + "weight_quant_max, indices, dtype, out)": { call in try call.embedding(.int2) },
]

extension OperatorCall {
  fileprivate mutating func isConstant(_ argument: ArgumentName) throws -> Bool {
    let value = try tensor(argument)
    return builder.constant(value) != nil
  }

  /// True if `input` is a constant that `Dequantize` can convert to float32.
  fileprivate mutating func isStoredWeight() throws -> Bool {
    guard try isConstant("input"), try dtype("out") == .float32 else { return false }
    return try [.int8, .uint8, .int16, .uint16, .int32].contains(dtype("input"))
  }

  /// Scale and zero point in two arguments.
  fileprivate func parameters(_ scale: ArgumentName, _ zeroPoint: ArgumentName) throws -> QuantizationParameters {
    QuantizationParameters(scale: try double(scale), zeroPoint: Int64(widening: try int(zeroPoint)))
  }

  /// Lowest and highest value in two arguments.
  fileprivate func range(_ low: ArgumentName = "quant_min", _ high: ArgumentName = "quant_max") throws -> ClosedRange<Int64> {
    let low = Int64(widening: try int(low))
    let high = Int64(widening: try int(high))
    guard low <= high else { throw CallError("the range of values \(low)...\(high) is empty") }
    return low...high
  }

  fileprivate func fixedShape(_ argument: ArgumentName) throws -> [Int] {
    guard let shape = try signature(argument).fixedShape else { throw CallError("the shape of argument \(argument) is not known") }
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
  fileprivate mutating func number(_ argument: ArgumentName) throws -> ValueID {
    reshaped(try tensor(argument), try dtype(argument), [])
  }

  /// A list of numbers along `axis` of `input`, with a shape that broadcasts to it.
  fileprivate mutating func perChannel(_ argument: ArgumentName, axis: Int) throws -> ValueID {
    let input = try signature("input")
    guard let normal = Shape.normalizedAxis(axis, rank: input.rank), normal < input.rank else {
      throw CallError("axis \(axis) does not fit rank \(input.rank)")
    }
    let shape = input.dimensions.indices.map { $0 == normal ? input.dimensions[$0] : .fixed(1) }
    return reshaped(try tensor(argument), try dtype(argument), shape)
  }

  /// One number per row of `input`, with a shape that broadcasts to it.
  fileprivate mutating func perToken(_ argument: ArgumentName) throws -> ValueID {
    let input = try signature("input").dimensions
    let shape = input.dropLast() + [.fixed(1)]
    if try signature(argument).dimensions == Array(shape) { return try tensor(argument) }
    guard shape.count(where: { if case .fixed = $0 { false } else { true } }) <= 1 else {
      // With several symbolic extents, the numbers must already have the required shape.
      guard try rank(argument) == input.count else { throw CallError("argument \(argument) does not fit rows of \(input)") }
      return try tensor(argument)
    }
    return reshaped(try tensor(argument), try dtype(argument), Array(shape))
  }

  /// Quantises `input` with numbers that broadcast to it.
  fileprivate mutating func quantize(scales: ValueID, zeroPoints: ValueID) throws {
    let inverse = intermediate(Pointwise.inverseScales, [scales], try signature(of: scales).with(.float32))
    let points = intermediate(Pointwise.roundedZeroPoints, [zeroPoints], try signature(of: zeroPoints).with(.float32))
    try emit(
      Pointwise.quantize(to: try range(), from: try dtype("input"), as: try dtype("out")), [try tensor("input"), inverse, points],
      out: "out")
  }

  /// Dequantises `input` with numbers that broadcast to it.
  fileprivate mutating func dequantize(scales: ValueID, zeroPoints: ValueID?) throws {
    try emit(
      Pointwise.dequantize(hasZeroPoints: zeroPoints != nil, from: try dtype("input"), as: try dtype("out")),
      [try tensor("input"), scales] + (zeroPoints.map { [$0] } ?? []), out: "out")
  }

  /// The quantised matrix `weight` as float32, with `weight_scales` and `weight_zero_points` for each group of
  /// equal extent in each row.
  fileprivate mutating func weight(groups: Int) throws -> ValueID {
    let shape = try fixedShape("weight")
    guard shape.count == 2, groups > 0, shape[1] % groups == 0 else {
      throw CallError("a weight of \(shape) does not split into \(groups) groups")
    }
    if let stored = try storedWeight(shape, groups: groups) { return stored }
    let grouped = [shape[0], groups, shape[1] / groups].map { Dimension.fixed($0) }
    let each = [shape[0], groups, 1].map { Dimension.fixed($0) }
    var operands: [ValueID?] = [
      reshaped(try tensor("weight"), try dtype("weight"), grouped), reshaped(try tensor("weight_scales"), try dtype("weight_scales"), each),
    ]
    if let zeroPoints = try optionalTensor("weight_zero_points") {
      operands.append(reshaped(zeroPoints, try dtype("weight_zero_points"), each))
    }
    let real = intermediate(
      Pointwise.dequantize(hasZeroPoints: operands.count == 3, from: try dtype("weight"), as: .float32), operands,
      TensorSignature(dtype: .float32, dimensions: grouped))
    return reshaped(real, .float32, shape.map { .fixed($0) })
  }

  /// The same for constants, whose integers stay as they are stored; nil for other operands.
  private mutating func storedWeight(_ shape: [Int], groups: Int) throws -> ValueID? {
    let points = try optionalTensor("weight_zero_points")
    guard try isConstant("weight"), try isConstant("weight_scales"), try dtype("weight_scales").isFloatingPoint,
      try [.int8, .uint8].contains(dtype("weight")), points.map({ builder.constant($0) != nil }) ?? true
    else { return nil }
    let each = [shape[0], groups].map { Dimension.fixed($0) }
    var operands: [ValueID?] = [try tensor("weight"), reshaped(try tensor("weight_scales"), try dtype("weight_scales"), each)]
    if let points { operands.append(reshaped(points, try dtype("weight_zero_points"), each)) }
    return intermediate(Dequantize(), operands, TensorSignature(TensorType(.float32, shape)))
  }

  /// Rows of a quantised table; nil stands for one byte per value.
  fileprivate mutating func embedding(_ packing: TablePacking?) throws {
    let packing = try packing ?? (dtype("weight") == .uint8 ? .uint8 : .int8)
    try emit(
      QuantizedEmbedding(packing, dtype: try dtype("out")),
      [try tensor("weight"), try tensor("weight_scales"), try optionalTensor("weight_zero_points"), try tensor("indices")], out: "out")
  }
}
