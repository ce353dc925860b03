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
  // as conv, with integer weights; quantization_type, nbits, quant_scale, quant_bias: one number, or one for each output channel
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
    let window = try call.window(kernel: kernel, strides: "strides")
    let input = try call.signature("x").dimensions.dropFirst(2)
    guard input.count == kernel.count else { throw CallError("x has \(input.count) spatial axes, not \(kernel.count)") }
    let wanted = call.has("output_shape") ? try call.ints("output_shape") : nil
    var padding = window.padding ?? kernel.map { _ in (0, 0) }
    var outputPadding = kernel.map { _ in 0 }
    for axis in kernel.indices {
      // Elements of the full result that are cut off; the rest of a given or declared extent is added behind.
      let reach = (kernel[axis] - 1) * window.dilation[axis] + 1
      var cut: Int?
      if window.padding == nil { cut = reach - window.stride[axis] }
      if case .fixed(let extent) = input[input.startIndex + axis], let wanted {
        guard wanted.count == kernel.count + 2 || wanted.count == kernel.count, extent < 1 << 32 else {
          throw CallError("parameter output_shape does not fit")
        }
        let full = (extent - 1) * window.stride[axis] + reach
        let target = wanted[wanted.count - kernel.count + axis]
        if window.padding == nil {
          cut = full - target
        } else {
          let missing = target - (full - padding[axis].0 - padding[axis].1)
          if missing > 0 { outputPadding[axis] = missing } else { padding[axis].1 -= missing }
        }
      }
      if let cut {
        padding[axis] = cut > 0 ? window.split(cut) : (0, 0)
        outputPadding[axis] = max(-cut, 0)
      }
    }
    let op = Convolution(
      stride: window.stride, padding: padding.map { (before: $0.0, after: $0.1) }, dilation: window.dilation, isTransposed: true,
      outputPadding: outputPadding, groups: try call.int("groups", default: 1), dtype: try call.outputDType())
    try call.emit(op, [try call.tensor("x"), try call.tensor("weight"), try call.optionalTensor("bias")])
  },
]

/// Strides, dilations and padding of a convolution or pooling.
struct MILWindow {
  var kernel: [Int]
  var stride: [Int]
  var dilation: [Int]
  /// Amounts before and after each axis; nil for `same` and `same_lower`, which follow from the extents.
  var padding: [(Int, Int)]?
  /// Whether an odd element goes to the front.
  var isLower: Bool

  /// An amount to be padded or cut off, before and after.
  func split(_ amount: Int) -> (Int, Int) {
    isLower ? (amount - amount / 2, amount / 2) : (amount / 2, amount - amount / 2)
  }
}

extension MILCall {
  /// The convolution of `x` with a weight [out, in/groups, kernel…].
  fileprivate mutating func convolution(_ weight: ValueID, bias: ValueID?) throws {
    let window = try window(kernel: try kernel("weight"), strides: "strides")
    let (x, padding) = try padded(try tensor("x"), window, with: .double(0))
    let op = Convolution(
      stride: window.stride, padding: padding, dilation: window.dilation, outputPadding: window.stride.map { _ in 0 },
      groups: try int("groups", default: 1), dtype: try outputDType())
    try emit(op, [x, weight, bias])
  }

  /// A parameter that is one number, or one for each output channel, as a tensor that broadcasts to the weight.
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
    return try shape.dropFirst(2).map { extent in
      guard extent > 0, extent < 1 << 32 else { throw CallError("a kernel has extent \(extent)") }
      return extent
    }
  }

  /// Parameters `strides`, `pad_type`, `pad` and `dilations`.
  func window(kernel: [Int], strides: String) throws -> MILWindow {
    func list(_ parameter: String) throws -> [Int] {
      let list = try optionalInts(parameter) ?? kernel.map { _ in 1 }
      guard list.count == kernel.count, list.allSatisfy({ $0 > 0 && $0 < 1 << 28 }) else {
        throw CallError("parameter \(parameter) does not fit \(kernel.count) axes")
      }
      return list
    }
    let type = try string("pad_type", default: "valid")
    var window = MILWindow(
      kernel: kernel, stride: try list(strides), dilation: try list("dilations"), padding: nil, isLower: type == "same_lower")
    switch type {
    case "same", "same_lower": break
    case "valid": window.padding = kernel.map { _ in (0, 0) }
    case "custom":
      let amounts = try optionalInts("pad") ?? Array(repeating: 0, count: 2 * kernel.count)
      guard amounts.count == 2 * kernel.count else { throw CallError("parameter pad does not fit \(kernel.count) axes") }
      window.padding = kernel.indices.map { (amounts[2 * $0], amounts[2 * $0 + 1]) }
    default: throw CallError("pad_type \"\(type)\" is not known")
    }
    return window
  }

  /// The padding of each of the last axes; where it depends on extents that are not known, a padded operand and none.
  mutating func padded(_ x: ValueID, _ window: MILWindow, with value: Scalar) throws -> (ValueID, [(before: Int, after: Int)]) {
    if let padding = window.padding { return (x, padding.map { (before: $0.0, after: $0.1) }) }
    let signature = try signature(of: x)
    let axes = window.kernel.count
    guard signature.rank >= axes else { throw CallError("rank \(signature.rank) has no \(axes) spatial axes") }
    var amounts: [(GraphNumber, GraphNumber)] = []
    for axis in 0..<axes {
      let extent = try extent(of: x, axis: signature.rank - axes + axis)
      let reach = Int64((window.kernel[axis] - 1) * window.dilation[axis] + 1)
      let stride = GraphNumber.known(.int(Int64(window.stride[axis])))
      // (ceil(extent / stride) - 1) * stride + reach - extent
      let start =
        window.stride[axis] == 1
        ? try arithmetic(.sub, extent, .known(.int(1)))
        : try arithmetic(.mul, try arithmetic(.floorDivide, try arithmetic(.sub, extent, .known(.int(1))), stride), stride)
      var total =
        window.stride[axis] == 1
        ? GraphNumber.known(.int(reach - 1)) : try arithmetic(.sub, try arithmetic(.add, start, .known(.int(reach))), extent)
      total = try arithmetic(.max, total, .known(.int(0)))
      let half = try arithmetic(.floorDivide, total, .known(.int(2)))
      let rest = try arithmetic(.sub, total, half)
      amounts.append(window.isLower ? (rest, half) : (half, rest))
    }
    let known = amounts.compactMap { amount -> (before: Int, after: Int)? in
      guard let before = amount.0.known?.intValue, let after = amount.1.known?.intValue else { return nil }
      return (Int(before), Int(after))
    }
    if known.count == axes { return (x, known) }
    var operands: [ValueID?] = [x, number(value)]
    let arguments = try intArguments(amounts.flatMap { [$0.0, $0.1] }, "pad", &operands)
    var dimensions = signature.dimensions
    for axis in 0..<axes { dimensions[signature.rank - axes + axis] = .symbolic(bound: nil) }
    let positions = 0..<axes
    let result = intermediate(
      Pad(.constant, before: positions.map { arguments[2 * $0] }, after: positions.map { arguments[2 * $0 + 1] }), operands,
      TensorSignature(dtype: signature.dtype, dimensions: dimensions))
    return (result, positions.map { _ in (before: 0, after: 0) })
  }
}
