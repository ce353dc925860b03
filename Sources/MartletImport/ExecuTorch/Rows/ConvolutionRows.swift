import MartletGraph
import MartletOps
import MartletTensor

/// Convolutions.
let convolutionRows: CallTable = [
  "aten::convolution.out(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, out)": { call in
    let spatial = try call.rank("weight") - 2
    let outputPadding = try call.intList("output_padding")
    func spread(_ list: [Int]) throws -> [Int] {
      if list.count == spatial { return list }
      guard list.count == 1, spatial > 0 else { throw CallError("\(list) does not fit \(spatial) spatial axes") }
      return [Int](repeating: list[0], count: spatial)
    }
    let op = Convolution(
      stride: try spread(try call.intList("stride")), padding: try spread(try call.intList("padding")).map { ($0, $0) },
      dilation: try spread(try call.intList("dilation")), isTransposed: try call.bool("transposed"),
      outputPadding: outputPadding.isEmpty && spatial > 0 ? [Int](repeating: 0, count: spatial) : try spread(outputPadding),
      groups: try call.int("groups"), dtype: try call.dtype("out"))
    let operands = [try call.tensor("input"), try call.tensor("weight"), try call.optionalTensor("bias")]
    guard try call.rank("input") == spatial + 1 else { return try call.emit(op, operands, out: "out") }
    // Without a batch axis: one is added and removed afterwards.
    func shape(_ dimensions: [Dimension]) throws -> [IntArgument] {
      guard dimensions.count(where: { if case .fixed = $0 { false } else { true } }) <= 1 else {
        throw CallError("several dynamic axes without a batch axis are not supported")
      }
      return dimensions.map { if case .fixed(let extent) = $0 { .constant(extent) } else { .constant(-1) } }
    }
    let x = try call.signature("input")
    let y = try call.signature("out")
    let one = [Dimension.fixed(1)]
    let input = call.intermediate(
      Reshape(shape: try shape(one + x.dimensions)), [operands[0]], TensorSignature(dtype: x.dtype, dimensions: one + x.dimensions))
    let output = call.intermediate(
      op, [input, operands[1], operands[2]], TensorSignature(dtype: y.dtype, dimensions: one + y.dimensions))
    try call.emit(Reshape(shape: try shape(y.dimensions)), [output], out: "out")
  },
  "aten::convolution_backward.out(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, "
    + "output_padding, groups, output_mask, out0, out1, out2)": { call in
      let spatial = try call.rank("weight") - 2
      func spread(_ list: [Int]) throws -> [Int] {
        if list.count == spatial { return list }
        guard list.count == 1, spatial > 0 else { throw CallError("\(list) does not fit \(spatial) spatial axes") }
        return [Int](repeating: list[0], count: spatial)
      }
      let convolution = Convolution(
        stride: try spread(try call.intList("stride")), padding: try spread(try call.intList("padding")).map { ($0, $0) },
        dilation: try spread(try call.intList("dilation")), isTransposed: try call.bool("transposed"),
        outputPadding: try spread(try call.intList("output_padding")),
        groups: try call.int("groups"), dtype: try call.dtype("grad_output"))
      let wanted = try call.boolList("output_mask")
      guard wanted.count == 3 else { throw CallError("the mask of results has \(wanted.count) elements") }
      try call.emit(
        ConvolutionGradient(convolution, wanted: wanted),
        [try call.tensor("grad_output"), try call.tensor("input"), try call.tensor("weight")],
        outs: zip(["out0", "out1", "out2"] as [ArgumentName], wanted).filter(\.1).map(\.0))
    },
]
