import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Quantisation of tensors, with a scale and a zero point for the whole tensor or for each position of an axis.
let milQuantizationRows: MILCallTable = [
  // input, scale, zero_point, axis, output_dtype
  "quantize": { call in
    let output = try call.outputSignature()
    let isSigned: Bool
    switch output.dtype {
    case .int8: isSigned = true
    case .uint8: isSigned = false
    default: throw CallError("numbers of type \(output.dtype) are not supported")
    }
    var values = [try call.tensor("input"), try call.perAxis("scale")]
    if call.has("zero_point") { values.append(try call.perAxis("zero_point")) }
    try call.set(
      try call.pointwise("quantize", values: values, in: .float32, output) { build, x in
        var steps = build.unary(.round, build.binary(.div, x[0], x[1]))
        if x.count > 2 { steps = build.binary(.add, steps, x[2]) }
        // NaN becomes the lowest number.
        steps = build.binary(.fmax, steps, build.literal(isSigned ? -128 : 0))
        build.binary(.fmin, steps, build.literal(isSigned ? 127 : 255))
      })
  },
  "dequantize": { call in
    let output = try call.outputSignature()
    var values = [try call.tensor("input"), try call.perAxis("scale")]
    if call.has("zero_point") { values.append(try call.perAxis("zero_point")) }
    try call.set(
      try call.pointwise("dequantize", values: values, in: .float32, output) { build, x in
        build.binary(.mul, x.count > 2 ? build.binary(.sub, x[0], x[2]) : x[0], x[1])
      })
  },
]

extension MILCall {
  /// A parameter with one number, or one per position of the axis, as a tensor that broadcasts to the input.
  fileprivate mutating func perAxis(_ parameter: String) throws -> ValueID {
    let value = try tensor(parameter)
    let signature = try signature(of: value)
    if signature.rank == 0 { return value }
    guard signature.rank == 1 else { throw CallError("parameter \(parameter) has rank \(signature.rank)") }
    let rank = try rank("input")
    let axis = try normalized(try int("axis"), rank: rank)
    return try unsqueezed(value, trailing: rank - axis - 1)
  }
}
