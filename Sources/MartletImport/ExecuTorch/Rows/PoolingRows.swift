import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Pooling.
let poolingRows: CallTable = [
  // self, kernel_size, stride, padding, dilation, ceil_mode
  "aten::max_pool2d_with_indices.out": { call in
    let window = try slidingWindow(call, dilation: try call.intList(4), ceil: try call.bool(5))
    try call.emit(Pool(window, reduction: .maximum, givesIndices: true), [try call.tensor(0)], outs: [6, 7])
  },
  // self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override?
  "aten::avg_pool2d.out": { call in
    let window = try slidingWindow(call, dilation: [1], ceil: try call.bool(4))
    let divisor = try call.optionalInt(6)
    if divisor == 0 { throw CallError("the divisor is 0") }
    let reduction = PoolReduction.average(countsPadding: try call.bool(5), divisor: divisor)
    try call.emit(Pool(window, reduction: reduction), [try call.tensor(0)], out: 7)
  },
  "aten::_adaptive_avg_pool2d.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let output = try call.intList(1, &operands)
    try call.emit(
      Pool(.adaptive(output: output), reduction: .average(countsPadding: false, divisor: nil)), operands, out: 2)
  },
  // grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices
  "aten::max_pool2d_with_indices_backward.grad_input": { call in
    try call.emit(MaxPoolGradient(), [try call.tensor(0), try call.tensor(7), try call.tensor(1)], out: 8)
  },
]

/// The window of a pooling operator whose arguments 1 to 3 are kernel, stride (empty: equal to the kernel) and padding.
private func slidingWindow(_ call: OperatorCall, dilation: [Int], ceil: Bool) throws -> Pool.Window {
  func pair(_ list: [Int]) throws -> [Int] {
    guard list.count == 1 || list.count == 2 else { throw CallError("\(list) does not fit two axes") }
    return list.count == 2 ? list : [list[0], list[0]]
  }
  let kernel = try pair(try call.intList(1))
  let stride = try call.intList(2)
  let padding = try pair(try call.intList(3))
  return .sliding(
    kernel: kernel, stride: stride.isEmpty ? kernel : try pair(stride), before: padding, after: padding,
    dilation: try pair(dilation), ceil: ceil)
}
