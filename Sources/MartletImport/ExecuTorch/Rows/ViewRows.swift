import MartletGraph
import MartletOps
import MartletTensor

/// Operators that only reinterpret their operand.
let viewRows: CallTable = [
  "aten::alias_copy.out(self, out)": { try $0.convert("self", out: "out") },
  "aten::detach_copy.out(self, out)": { try $0.convert("self", out: "out") },
  "aten::as_strided_copy.out(self, size, stride, storage_offset, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let shape = try call.intList("size", &operands)
    let strides = try call.intList("stride", &operands)
    let offset = try call.optionalInt("storage_offset", &operands) ?? .constant(0)
    let op = AsStrided(shape: shape, strides: strides, offset: offset, memoryOrder: try call.signature("self").dimOrder)
    try call.emit(op, operands, out: "out")
  },
  "aten::diagonal_copy.out(self, offset, dim1, dim2, out)": { call in
    let op = Diagonal(offset: try call.int("offset"), axis1: try call.int("dim1"), axis2: try call.int("dim2"))
    try call.emit(op, [try call.tensor("self")], out: "out")
  },
  "aten::expand_copy.out(self, size, implicit, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let shape = try call.intList("size", &operands)
    try call.emit(Expand(shape: shape), operands, out: "out")
  },
  "aten::narrow_copy.out(self, dim, start, length, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let start = try call.int("start", &operands)
    let length = try call.int("length", &operands)
    try call.emit(Slice(axis: try call.int("dim"), range: SliceRange(start: start, end: .count(length))), operands, out: "out")
  },
  "aten::permute_copy.out(self, dims, out)": { call in
    try call.emit(Permute(axes: try call.intList("dims")), [try call.tensor("self")], out: "out")
  },
  "aten::select_copy.int_out(self, dim, index, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let index = try call.int("index", &operands)
    try call.emit(Select(axis: try call.int("dim"), index: index), operands, out: "out")
  },
  "aten::slice_copy.Tensor_out(self, dim, start, end, step, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let range = try call.sliceRange(&operands)
    try call.emit(Slice(axis: try call.int("dim"), range: range), operands, out: "out")
  },
  "aten::split_copy.Tensor_out(self, split_size, dim, out)": { call in
    let size = try call.scalarValue("split_size")
    try call.split(sizes: Array(repeating: size, count: try call.outputList("out").count), isClamped: true)
  },
  "aten::split_with_sizes_copy.out(self, split_sizes, dim, out)": { call in
    var operands: [ValueID?] = []
    var sizes: [ValueID] = []
    for size in try call.intList("split_sizes", &operands) {
      switch size {
      case .constant(let count): sizes.append(call.number(.int(Int64(widening: count))))
      case .operand(let position): sizes.append(operands[position]!)
      }
    }
    try call.split(sizes: sizes, isClamped: false)
  },
  "aten::squeeze_copy.dim_out(self, dim, out)": { call in
    try call.emit(Squeeze(axes: [try call.int("dim")]), [try call.tensor("self")], out: "out")
  },
  "aten::squeeze_copy.dims_out(self, dim, out)": { call in
    try call.emit(Squeeze(axes: try call.intList("dim")), [try call.tensor("self")], out: "out")
  },
  "aten::t_copy.out(self, out)": { call in
    let x = try call.tensor("self")
    try call.emit(Permute(axes: try call.rank("self") < 2 ? Array(0..<(try call.rank("self"))) : [1, 0]), [x], out: "out")
  },
  "aten::transpose_copy.int_out(self, dim0, dim1, out)": { call in
    let rank = try call.rank("self")
    var axes = Array(0..<rank)
    guard let a = Shape.normalizedAxis(try call.int("dim0"), rank: rank), let b = Shape.normalizedAxis(try call.int("dim1"), rank: rank)
    else {
      throw CallError("axes \(try call.int("dim0")) and \(try call.int("dim1")) do not fit rank \(rank)")
    }
    if rank > 0 { axes.swapAt(a, b) }
    try call.emit(Permute(axes: axes), [try call.tensor("self")], out: "out")
  },
  "aten::unbind_copy.int_out(self, dim, out)": { call in
    let x = try call.tensor("self")
    let axis = try call.int("dim")
    let rank = try call.rank("self")
    let outputs = try call.outputList("out")
    guard let normal = Shape.normalizedAxis(axis, rank: rank), rank > 0 else {
      throw CallError("axis \(axis) does not fit rank \(rank)")
    }
    if case .fixed(let extent) = try call.signature("self").dimensions[normal], extent != outputs.count {
      throw CallError("gives \(outputs.count) results for an axis of extent \(extent)")
    }
    for position in outputs.indices {
      try call.emit(Select(axis: axis, index: .constant(position)), [x], outList: "out", item: position)
    }
  },
  "aten::unfold_copy.out(self, dimension, size, step, out)": { call in
    let op = Unfold(axis: try call.int("dimension"), size: try call.int("size"), step: try call.int("step"))
    try call.emit(op, [try call.tensor("self")], out: "out")
  },
  "aten::unsqueeze_copy.out(self, dim, out)": { call in
    try call.emit(Unsqueeze(axes: [try call.int("dim")]), [try call.tensor("self")], out: "out")
  },
  "aten::view_as_real_copy.out(self, out)": { call in
    try call.emit(ViewAsReal(), [try call.tensor("self")], out: "out")
  },
  "aten::view_copy.out(self, size, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let shape = try call.intList("size", &operands)
    try call.emit(Reshape(shape: shape), operands, out: "out")
  },
  "executorch_prim::et_view.default(self, size, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let shape = try call.intList("size", &operands)
    try call.emitView(Reshape(shape: shape), operands, out: "out")
  },
]

extension OperatorCall {
  /// The range given by `start?`, `end?` and `step`.
  mutating func sliceRange(_ operands: inout [ValueID?]) throws -> SliceRange {
    let first = try optionalInt("start", &operands) ?? .constant(0)
    let last = try optionalInt("end", &operands)
    return SliceRange(start: first, end: last.map { .position($0) } ?? .rest, step: try int("step"))
  }

  /// Appends a node whose result is an item of list argument `list`.
  mutating func emit(_ op: any Operator, _ operands: [ValueID?], outList list: ArgumentName, item: Int) throws {
    let index = try outputList(list)[item]
    let output = builder.addNode(op, operands, type: try resultType(of: op, index))
    try scope.write(index, output)
  }

  /// Consecutive pieces of `self`. If `isClamped`, the last one may be smaller than its size.
  fileprivate mutating func split(sizes: [ValueID], isClamped: Bool) throws {
    let x = try tensor("self")
    let axis = try int("dim")
    guard sizes.count == (try outputList("out").count) else {
      throw CallError("gives \(try outputList("out").count) results for \(sizes.count) sizes")
    }
    var start = number(.int(0))
    for (position, size) in sizes.enumerated() {
      let end = self.number(ScalarFunction(.add), [start, size], .int)
      let range = SliceRange(start: .operand(1), end: isClamped ? .position(.operand(2)) : .count(.operand(2)))
      try emit(Slice(axis: axis, range: range), [x, start, isClamped ? end : size], outList: "out", item: position)
      start = end
    }
  }
}
