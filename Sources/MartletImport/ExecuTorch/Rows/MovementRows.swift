import MartletGraph
import MartletOps
import MartletTensor

/// Operators that move elements: concatenation, padding, flips, repetition.
let movementRows: CallTable = [
  // tensors, dim
  "aten::cat.out": { call in
    try call.emit(Concat(axis: try call.int(1), dtype: try call.dtype(2)), try call.tensorList(0), out: 2)
  },
  "aten::stack.out": { call in
    let axis = try call.int(1)
    var items: [ValueID?] = []
    for item in try call.tensorList(0) { items.append(try call.unsqueezed(item, axis: axis)) }
    try call.emit(Concat(axis: axis, dtype: try call.dtype(2)), items, out: 2)
  },
  // self, pad, value
  "aten::constant_pad_nd.out": { call in
    var operands: [ValueID?] = [try call.tensor(0), try call.scalarValue(2)]
    let amounts = try call.intList(1, &operands)
    try call.pad(.constant, amounts, operands, out: 3)
  },
  "aten::reflection_pad1d.out": { try $0.pad(.reflect) },
  "aten::reflection_pad2d.out": { try $0.pad(.reflect) },
  "aten::reflection_pad3d.out": { try $0.pad(.reflect) },
  "aten::replication_pad1d.out": { try $0.pad(.replicate) },
  "aten::replication_pad2d.out": { try $0.pad(.replicate) },
  "aten::replication_pad3d.out": { try $0.pad(.replicate) },
  "aten::flip.out": { call in
    try call.emit(Flip(axes: try call.intList(1)), [try call.tensor(0)], out: 2)
  },
  // self, shifts, dims
  "aten::roll.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let shifts = try call.intList(1, &operands)
    try call.emit(Roll(shifts: shifts, axes: try call.intList(2)), operands, out: 3)
  },
  "aten::repeat.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let counts = try call.intList(1, &operands)
    try call.emit(Repeat(counts: counts), operands, out: 2)
  },
  // repeats, output_size?
  "aten::repeat_interleave.Tensor_out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let count = try call.optionalInt(1, &operands)
    let result = try call.signature(2)
    let bound = result.dimensions.first?.upperBound
    guard count != nil || bound != nil else { throw CallError("the result's extent has no bound") }
    try call.emit(RepeatInterleave(count: count, bound: bound ?? 0, dtype: result.dtype), operands, out: 2)
  },
  "aten::tril.out": { try $0.triangle(keepsUpper: false) },
  "aten::triu.out": { try $0.triangle(keepsUpper: true) },
  "aten::pixel_shuffle.out": { call in
    try call.emit(PixelShuffle(factor: try call.int(1), isInverse: false), [try call.tensor(0)], out: 2)
  },
  "aten::pixel_unshuffle.out": { call in
    try call.emit(PixelShuffle(factor: try call.int(1), isInverse: true), [try call.tensor(0)], out: 2)
  },
  "preprocess::tile_crop.out": { call in
    try call.emit(TileCrop(side: try call.int(1)), [try call.tensor(0)], out: 2)
  },
]

extension OperatorCall {
  /// Padding of argument 0 by the amounts in argument 1.
  fileprivate mutating func pad(_ mode: Pad.Mode) throws {
    var operands: [ValueID?] = [try tensor(0)]
    let amounts = try intList(1, &operands)
    try pad(mode, amounts, operands, out: 2)
  }

  /// - Parameter amounts: the amounts before and after the last axis, then those of the axis before it, and so on.
  fileprivate mutating func pad(_ mode: Pad.Mode, _ amounts: [IntArgument], _ operands: [ValueID?], out: Int) throws {
    guard amounts.count % 2 == 0 else { throw CallError("padding has \(amounts.count) amounts") }
    let axes = (0..<amounts.count / 2).reversed()
    try emit(
      Pad(mode, before: axes.map { amounts[2 * $0] }, after: axes.map { amounts[2 * $0 + 1] }), operands, out: out)
  }

  fileprivate mutating func triangle(keepsUpper: Bool) throws {
    var operands: [ValueID?] = [try tensor(0)]
    let diagonal = try int(1, &operands)
    try emit(Triangle(keepsUpper: keepsUpper, diagonal: diagonal), operands, out: 2)
  }
}
