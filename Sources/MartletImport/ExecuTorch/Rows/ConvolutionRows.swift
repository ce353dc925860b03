import MartletGraph
import MartletOps
import MartletTensor

/// Convolutions.
let convolutionRows: CallTable = [
  // input, weight, bias?, stride, padding, dilation, transposed, output_padding, groups
  "aten::convolution.out": { call in
    let spatial = try call.rank(1) - 2
    let outputPadding = try call.intList(7)
    func spread(_ list: [Int]) throws -> [Int] {
      if list.count == spatial { return list }
      guard list.count == 1, spatial > 0 else { throw CallError("\(list) does not fit \(spatial) spatial axes") }
      return [Int](repeating: list[0], count: spatial)
    }
    let op = Convolution(
      stride: try spread(try call.intList(3)), padding: try spread(try call.intList(4)).map { ($0, $0) },
      dilation: try spread(try call.intList(5)), isTransposed: try call.bool(6),
      outputPadding: outputPadding.isEmpty && spatial > 0 ? [Int](repeating: 0, count: spatial) : try spread(outputPadding),
      groups: try call.int(8), dtype: try call.dtype(9))
    let operands = [try call.tensor(0), try call.tensor(1), try call.optionalTensor(2)]
    guard try call.rank(0) == spatial + 1 else { return try call.emit(op, operands, out: 9) }
    // Without a batch axis: one is added and removed afterwards.
    func shape(_ dimensions: [Dimension]) throws -> [IntArgument] {
      guard dimensions.count(where: { if case .fixed = $0 { false } else { true } }) <= 1 else {
        throw CallError("several dynamic axes without a batch axis are not supported")
      }
      return dimensions.map { if case .fixed(let extent) = $0 { .constant(extent) } else { .constant(-1) } }
    }
    let x = try call.signature(0)
    let y = try call.signature(9)
    let one = [Dimension.fixed(1)]
    let input = call.intermediate(
      Reshape(shape: try shape(one + x.dimensions)), [operands[0]], TensorSignature(dtype: x.dtype, dimensions: one + x.dimensions))
    let output = call.intermediate(
      op, [input, operands[1], operands[2]], TensorSignature(dtype: y.dtype, dimensions: one + y.dimensions))
    try call.emit(Reshape(shape: try shape(y.dimensions)), [output], out: 9)
  },
  // grad_output, input, weight, bias_sizes?, stride, padding, dilation, transposed, output_padding, groups, output_mask
  "aten::convolution_backward.out": { call in
    let spatial = try call.rank(2) - 2
    func spread(_ list: [Int]) throws -> [Int] {
      if list.count == spatial { return list }
      guard list.count == 1, spatial > 0 else { throw CallError("\(list) does not fit \(spatial) spatial axes") }
      return [Int](repeating: list[0], count: spatial)
    }
    let convolution = Convolution(
      stride: try spread(try call.intList(4)), padding: try spread(try call.intList(5)).map { ($0, $0) },
      dilation: try spread(try call.intList(6)), isTransposed: try call.bool(7), outputPadding: try spread(try call.intList(8)),
      groups: try call.int(9), dtype: try call.dtype(0))
    let wanted = try call.boolList(10)
    guard wanted.count == 3 else { throw CallError("the mask of results has \(wanted.count) elements") }
    try call.emit(
      ConvolutionGradient(convolution, wanted: wanted), [try call.tensor(0), try call.tensor(1), try call.tensor(2)],
      outs: (0..<3).filter { wanted[$0] }.map { 11 + $0 })
  },
]
