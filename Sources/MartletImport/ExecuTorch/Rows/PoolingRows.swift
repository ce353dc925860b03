import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Pooling.
let poolingRows: CallTable = [
  "aten::max_pool2d_with_indices.out(self, kernel_size, stride, padding, dilation, ceil_mode, out, indices)": { call in
    let window = try slidingWindow(call, dilation: try call.intList("dilation"), ceil: try call.bool("ceil_mode"))
    try call.emit(Pool(window, reduction: .maximum, givesIndices: true), [try call.tensor("self")], outs: ["out", "indices"])
  },
  "aten::avg_pool2d.out(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out)": { call in
    let window = try slidingWindow(call, dilation: [1], ceil: try call.bool("ceil_mode"))
    let divisor = try call.optionalInt("divisor_override")
    if divisor == 0 { throw CallError("the divisor is 0") }
    let reduction = PoolReduction.average(countsPadding: try call.bool("count_include_pad"), divisor: divisor)
    try call.emit(Pool(window, reduction: reduction), [try call.tensor("self")], out: "out")
  },
  "aten::_adaptive_avg_pool2d.out(self, output_size, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let output = try call.intList("output_size", &operands)
    try call.emit(
      Pool(.adaptive(output: output), reduction: .average(countsPadding: false, divisor: nil)), operands, out: "out")
  },
  "aten::max_pool2d_with_indices_backward.grad_input(grad_output, self, kernel_size, stride, padding, dilation, "
    + "ceil_mode, indices, grad_input)": { call in
      try call.emit(
        MaxPoolGradient(), [try call.tensor("grad_output"), try call.tensor("indices"), try call.tensor("self")],
        out: "grad_input")
    },
]

/// The window of a pooling operator with the arguments `kernel_size`, `stride` (empty: equal to the kernel) and `padding`.
private func slidingWindow(_ call: OperatorCall, dilation: [Int], ceil: Bool) throws -> Pool.Window {
  func pair(_ list: [Int]) throws -> [Int] {
    guard list.count == 1 || list.count == 2 else { throw CallError("\(list) does not fit two axes") }
    return list.count == 2 ? list : [list[0], list[0]]
  }
  let kernel = try pair(try call.intList("kernel_size"))
  let stride = try call.intList("stride")
  let padding = try pair(try call.intList("padding"))
  return .sliding(
    kernel: kernel, stride: stride.isEmpty ? kernel : try pair(stride), before: padding, after: padding,
    dilation: try pair(dilation), ceil: ceil)
}
