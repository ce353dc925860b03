import MartletGraph
import MartletOps
import MartletTensor

/// Operators that only reinterpret their operand.
let viewRows: CallTable = [
  "aten::alias_copy.out": { try $0.convert(0, out: 1) },
  "aten::detach_copy.out": { try $0.convert(0, out: 1) },
  // self, size, stride, storage_offset?
  "aten::as_strided_copy.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let shape = try call.intList(1, &operands)
    let strides = try call.intList(2, &operands)
    let offset = try call.optionalInt(3, &operands) ?? .constant(0)
    let op = AsStrided(shape: shape, strides: strides, offset: offset, memoryOrder: try call.signature(0).dimOrder)
    try call.emit(op, operands, out: 4)
  },
  // self, offset, dim1, dim2
  "aten::diagonal_copy.out": { call in
    let op = Diagonal(offset: try call.int(1), axis1: try call.int(2), axis2: try call.int(3))
    try call.emit(op, [try call.tensor(0)], out: 4)
  },
  // self, size, implicit
  "aten::expand_copy.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let shape = try call.intList(1, &operands)
    try call.emit(Expand(shape: shape), operands, out: 3)
  },
  // self, dim, start, length
  "aten::narrow_copy.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let start = try call.int(2, &operands)
    let length = try call.int(3, &operands)
    try call.emit(Slice(axis: try call.int(1), range: SliceRange(start: start, end: .count(length))), operands, out: 4)
  },
  "aten::permute_copy.out": { call in
    try call.emit(Permute(axes: try call.intList(1)), [try call.tensor(0)], out: 2)
  },
  // self, dim, index
  "aten::select_copy.int_out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let index = try call.int(2, &operands)
    try call.emit(Select(axis: try call.int(1), index: index), operands, out: 3)
  },
  // self, dim, start?, end?, step
  "aten::slice_copy.Tensor_out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let range = try call.sliceRange(start: 2, &operands)
    try call.emit(Slice(axis: try call.int(1), range: range), operands, out: 5)
  },
  // self, split_size, dim
  "aten::split_copy.Tensor_out": { call in
    let size = try call.scalarValue(1)
    try call.split(sizes: Array(repeating: size, count: try call.outputList(3).count), axis: 2, outputs: 3, isClamped: true)
  },
  // self, split_sizes, dim
  "aten::split_with_sizes_copy.out": { call in
    var operands: [ValueID?] = []
    var sizes: [ValueID] = []
    for size in try call.intList(1, &operands) {
      switch size {
      case .constant(let count): sizes.append(call.number(.int(Int64(count))))
      case .operand(let position): sizes.append(operands[position]!)
      }
    }
    try call.split(sizes: sizes, axis: 2, outputs: 3, isClamped: false)
  },
  "aten::squeeze_copy.dim_out": { call in
    try call.emit(Squeeze(axes: [try call.int(1)]), [try call.tensor(0)], out: 2)
  },
  "aten::squeeze_copy.dims_out": { call in
    try call.emit(Squeeze(axes: try call.intList(1)), [try call.tensor(0)], out: 2)
  },
  "aten::t_copy.out": { call in
    let x = try call.tensor(0)
    try call.emit(Permute(axes: try call.rank(0) < 2 ? Array(0..<(try call.rank(0))) : [1, 0]), [x], out: 1)
  },
  "aten::transpose_copy.int_out": { call in
    let rank = try call.rank(0)
    var axes = Array(0..<rank)
    guard let a = Shape.normalizedAxis(try call.int(1), rank: rank), let b = Shape.normalizedAxis(try call.int(2), rank: rank) else {
      throw CallError("axes \(try call.int(1)) and \(try call.int(2)) do not fit rank \(rank)")
    }
    if rank > 0 { axes.swapAt(a, b) }
    try call.emit(Permute(axes: axes), [try call.tensor(0)], out: 3)
  },
  // self, dim
  "aten::unbind_copy.int_out": { call in
    let x = try call.tensor(0)
    let axis = try call.int(1)
    let rank = try call.rank(0)
    let outputs = try call.outputList(2)
    guard let normal = Shape.normalizedAxis(axis, rank: rank), rank > 0 else {
      throw CallError("axis \(axis) does not fit rank \(rank)")
    }
    if case .fixed(let extent) = try call.signature(0).dimensions[normal], extent != outputs.count {
      throw CallError("gives \(outputs.count) results for an axis of extent \(extent)")
    }
    for position in outputs.indices {
      try call.emit(Select(axis: axis, index: .constant(position)), [x], outList: 2, item: position)
    }
  },
  // self, dimension, size, step
  "aten::unfold_copy.out": { call in
    let op = Unfold(axis: try call.int(1), size: try call.int(2), step: try call.int(3))
    try call.emit(op, [try call.tensor(0)], out: 4)
  },
  "aten::unsqueeze_copy.out": { call in
    try call.emit(Unsqueeze(axes: [try call.int(1)]), [try call.tensor(0)], out: 2)
  },
  "aten::view_as_real_copy.out": { call in
    try call.emit(ViewAsReal(), [try call.tensor(0)], out: 1)
  },
  "aten::view_copy.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let shape = try call.intList(1, &operands)
    try call.emit(Reshape(shape: shape), operands, out: 2)
  },
  "executorch_prim::et_view.default": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let shape = try call.intList(1, &operands)
    try call.emitView(Reshape(shape: shape), operands, out: 2)
  },
]

extension OperatorCall {
  /// The arguments `start?`, `end?` and `step` at positions `start ..< start + 3`.
  mutating func sliceRange(start: Int, _ operands: inout [ValueID?]) throws -> SliceRange {
    let first = try optionalInt(start, &operands) ?? .constant(0)
    let last = try optionalInt(start + 1, &operands)
    return SliceRange(start: first, end: last.map { .position($0) } ?? .rest, step: try int(start + 2))
  }

  /// Appends a node whose result is an item of list argument `list`.
  mutating func emit(_ op: any Operator, _ operands: [ValueID?], outList list: Int, item: Int) throws {
    let index = try outputList(list)[item]
    let output = builder.addNode(op, operands, types: [try resultType(of: op, index)])[0]
    try scope.write(index, output)
  }

  /// Consecutive pieces of argument 0. If `isClamped`, the last one may be smaller than its size.
  fileprivate mutating func split(sizes: [ValueID], axis: Int, outputs: Int, isClamped: Bool) throws {
    let x = try tensor(0)
    let axis = try int(axis)
    guard sizes.count == (try outputList(outputs).count) else {
      throw CallError("gives \(try outputList(outputs).count) results for \(sizes.count) sizes")
    }
    var start = number(.int(0))
    for (position, size) in sizes.enumerated() {
      let end = self.number(ScalarFunction(.add), [start, size], .int)
      let range = SliceRange(start: .operand(1), end: isClamped ? .position(.operand(2)) : .count(.operand(2)))
      try emit(Slice(axis: axis, range: range), [x, start, isClamped ? end : size], outList: outputs, item: position)
      start = end
    }
  }
}
