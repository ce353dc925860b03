import MartletGraph
import MartletOps
import MartletTensor

/// Operators that move elements: concatenation, padding, flips, repetition.
let movementRows: CallTable = [
  "aten::cat.out(tensors, dim, out)": { call in
    try call.emit(Concat(axis: try call.int("dim"), dtype: try call.dtype("out")), try call.tensorList("tensors"), out: "out")
  },
  "aten::stack.out(tensors, dim, out)": { call in
    let axis = try call.int("dim")
    var items: [ValueID?] = []
    for item in try call.tensorList("tensors") { items.append(try call.unsqueezed(item, axis: axis)) }
    try call.emit(Concat(axis: axis, dtype: try call.dtype("out")), items, out: "out")
  },
  "aten::constant_pad_nd.out(self, pad, value, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self"), try call.scalarValue("value")]
    let amounts = try call.intList("pad", &operands)
    try call.emitPad(.constant, amounts, operands)
  },
  "aten::reflection_pad1d.out(self, padding, out)": { try $0.pad(.reflect) },
  "aten::reflection_pad2d.out(self, padding, out)": { try $0.pad(.reflect) },
  "aten::reflection_pad3d.out(self, padding, out)": { try $0.pad(.reflect) },
  "aten::replication_pad1d.out(self, padding, out)": { try $0.pad(.replicate) },
  "aten::replication_pad2d.out(self, padding, out)": { try $0.pad(.replicate) },
  "aten::replication_pad3d.out(self, padding, out)": { try $0.pad(.replicate) },
  "aten::flip.out(self, dims, out)": { call in
    try call.emit(Flip(axes: try call.intList("dims")), [try call.tensor("self")], out: "out")
  },
  "aten::roll.out(self, shifts, dims, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let shifts = try call.intList("shifts", &operands)
    try call.emit(Roll(shifts: shifts, axes: try call.intList("dims")), operands, out: "out")
  },
  "aten::repeat.out(self, repeats, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let counts = try call.intList("repeats", &operands)
    try call.emit(Repeat(counts: counts), operands, out: "out")
  },
  "aten::repeat_interleave.Tensor_out(repeats, output_size, out)": { call in
    var operands: [ValueID?] = [try call.tensor("repeats")]
    let count = try call.optionalInt("output_size", &operands)
    let result = try call.signature("out")
    let bound = result.dimensions.first?.upperBound
    guard count != nil || bound != nil else { throw CallError("the result's extent has no bound") }
    try call.emit(RepeatInterleave(count: count, bound: bound ?? 0, dtype: result.dtype), operands, out: "out")
  },
  "aten::tril.out(self, diagonal, out)": { try $0.triangle(keepsUpper: false) },
  "aten::triu.out(self, diagonal, out)": { try $0.triangle(keepsUpper: true) },
  "aten::pixel_shuffle.out(self, upscale_factor, out)": { call in
    try call.emit(PixelShuffle(factor: try call.int("upscale_factor"), isInverse: false), [try call.tensor("self")], out: "out")
  },
  "aten::pixel_unshuffle.out(self, downscale_factor, out)": { call in
    try call.emit(PixelShuffle(factor: try call.int("downscale_factor"), isInverse: true), [try call.tensor("self")], out: "out")
  },
  "preprocess::tile_crop.out(input, tile_size, out)": { call in
    try call.emit(TileCrop(side: try call.int("tile_size")), [try call.tensor("input")], out: "out")
  },
]

extension OperatorCall {
  /// Padding of `self` by the amounts in `padding`.
  fileprivate mutating func pad(_ mode: Pad.Mode) throws {
    var operands: [ValueID?] = [try tensor("self")]
    let amounts = try intList("padding", &operands)
    try emitPad(mode, amounts, operands)
  }

  /// - Parameter amounts: the amounts before and after the last axis, then those of the axis before it, and so on.
  fileprivate mutating func emitPad(_ mode: Pad.Mode, _ amounts: [IntArgument], _ operands: [ValueID?]) throws {
    guard amounts.count % 2 == 0 else { throw CallError("padding has \(amounts.count) amounts") }
    let axes = (0..<amounts.count / 2).reversed()
    try emit(
      Pad(mode, before: axes.map { amounts[2 * $0] }, after: axes.map { amounts[2 * $0 + 1] }), operands, out: "out")
  }

  fileprivate mutating func triangle(keepsUpper: Bool) throws {
    var operands: [ValueID?] = [try tensor("self")]
    let diagonal = try int("diagonal", &operands)
    try emit(Triangle(keepsUpper: keepsUpper, diagonal: diagonal), operands, out: "out")
  }
}
