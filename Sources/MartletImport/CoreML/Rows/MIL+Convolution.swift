import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Convolutions.
let milConvolutionRows: MILCallTable = [
  // x, weight [out, in/groups, kernel…], bias?, strides, pad_type, pad, dilations, groups
  "conv": { call in
    try call.convolution(try call.tensor("weight"), bias: try call.optionalTensor("bias"))
  },
  // as conv, with integer weights; quantization_type, nbits, quant_scale, quant_bias: one number, or one per output channel
  "conv_quantized": { call in
    let type = try call.string("quantization_type")
    guard type == "linear" else {
      throw CallError("quantization_type is '\(type)', for whose table the operator has no parameter; only 'linear' is supported")
    }
    let dtype = try call.outputDType()
    let weight = try call.signature("weight")
    let values = [try call.tensor("weight"), try call.perOutput("quant_scale"), try call.perOutput("quant_bias")]
    let real = try call.pointwise(
      "dequantize", values: values, in: .float32, TensorSignature(dtype: dtype, dimensions: weight.dimensions)
    ) { build, x in build.binary(.add, build.binary(.mul, x[0], x[1]), x[2]) }
    let bias = try call.optionalTensor("bias")
    try call.convolution(real, bias: try bias.map { try call.converted($0, to: dtype) })
  },
  // x, weight [in, out/groups, kernel…], bias?, output_shape?, strides, pad_type, pad, dilations, groups
  "conv_transpose": { call in
    let kernel = try call.kernel("weight")
    let window = try call.window(kernel: kernel)
    let spatial = Array(try call.signature("x").dimensions.dropFirst(2))
    let wanted = call.has("output_shape") ? try call.ints("output_shape").suffix(kernel.count) : nil
    let (padding, outputPadding) = try window.transposed(input: spatial, wanted: wanted.map { Array($0) })
    let op = Convolution(
      stride: window.stride, padding: padding, dilation: window.dilation, isTransposed: true,
      outputPadding: outputPadding, groups: try call.int("groups", default: 1), dtype: try call.outputDType())
    try call.emit(op, [try call.tensor("x"), try call.tensor("weight"), try call.optionalTensor("bias")])
  },
]

extension MILCall {
  /// The convolution of `x` with a weight [out, in/groups, kernel…].
  fileprivate mutating func convolution(_ weight: ValueID, bias: ValueID?) throws {
    let window = try window(kernel: try kernel("weight"))
    let (x, padding) = try padded(try tensor("x"), window, with: .double(0))
    let op = Convolution(
      stride: window.stride, padding: padding, dilation: window.dilation, outputPadding: window.stride.map { _ in 0 },
      groups: try int("groups", default: 1), dtype: try outputDType())
    try emit(op, [x, weight, bias])
  }

  /// A parameter with one number, or one per output channel, as a tensor that broadcasts to the weight.
  fileprivate mutating func perOutput(_ parameter: String) throws -> ValueID {
    let value = try tensor(parameter)
    guard try signature(of: value).rank == 1 else { return value }
    return try unsqueezed(value, trailing: try rank("weight") - 1)
  }

  /// The spatial extents of a weight.
  fileprivate func kernel(_ parameter: String) throws -> [Int] {
    let signature = try signature(parameter)
    guard signature.rank >= 3, let shape = signature.fixedShape else {
      throw CallError("parameter \(parameter) has no fixed spatial extents")
    }
    return Array(shape.dropFirst(2))
  }

  /// Parameters `strides`, `dilations`, `pad_type` and `pad`.
  func window(kernel: [Int]) throws -> SpatialWindow {
    let type = try string("pad_type", default: "valid")
    let padding: SpatialWindow.Padding
    switch type {
    case "same", "same_lower": padding = .same(isLower: type == "same_lower")
    case "valid": padding = .explicit(kernel.map { _ in (0, 0) })
    case "custom":
      let amounts = try optionalInts("pad") ?? Array(repeating: 0, count: 2 * kernel.count)
      guard amounts.count == 2 * kernel.count else { throw CallError("parameter pad does not fit \(kernel.count) axes") }
      padding = .explicit(kernel.indices.map { (amounts[2 * $0], amounts[2 * $0 + 1]) })
    default: throw CallError("pad_type \"\(type)\" is not known")
    }
    let unit = kernel.map { _ in 1 }
    return try SpatialWindow(
      kernel: kernel, stride: try optionalInts("strides") ?? unit, dilation: try optionalInts("dilations") ?? unit, padding: padding)
  }
}
