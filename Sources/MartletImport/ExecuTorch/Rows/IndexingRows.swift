import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Operators that select or replace elements by index or mask.
let indexingRows: CallTable = [
  "aten::gather.out(self, dim, index, sparse_grad, out)": { call in
    try call.emit(GatherElements(axis: try call.int("dim")), [try call.tensor("self"), try call.tensor("index")], out: "out")
  },
  "aten::scatter.src_out(self, dim, index, src, out)": { call in
    let operands = [try call.tensor("self"), try call.tensor("index"), try call.tensor("src")]
    try call.emit(ScatterElements(axis: try call.int("dim"), accumulates: false), operands, out: "out")
  },
  "aten::scatter.value_out(self, dim, index, value, out)": { call in
    let operands = [try call.tensor("self"), try call.tensor("index"), try call.scalarValue("value")]
    try call.emit(ScatterElements(axis: try call.int("dim"), accumulates: false), operands, out: "out")
  },
  "aten::scatter_add.out(self, dim, index, src, out)": { call in
    let operands = [try call.tensor("self"), try call.tensor("index"), try call.tensor("src")]
    try call.emit(ScatterElements(axis: try call.int("dim"), accumulates: true), operands, out: "out")
  },
  "aten::index.Tensor_out(self, indices, out)": { call in
    let x = try call.tensor("self")
    let (axes, indices) = try call.indexed(x, by: try call.optionalTensorList("indices"))
    try call.emit(Index(axes: axes, allowsNegative: true), [x] + indices, out: "out")
  },
  "aten::index_put.out(self, indices, values, accumulate, out)": { try $0.indexPut(out: "out") },
  "aten::index_put_(self, indices, values, accumulate)": { try $0.indexPut(out: "self") },
  "aten::index_select.out(self, dim, index, out)": { call in
    var x = try call.tensor("self")
    var index = try call.tensor("index")
    var type = try call.signature("self")
    let rank = type.rank
    guard let axis = Shape.normalizedAxis(try call.int("dim"), rank: rank) else {
      throw CallError("axis \(try call.int("dim")) does not fit rank \(rank)")
    }
    if try call.rank("index") == 0 {
      let dtype = try call.dtype("index")
      index = call.intermediate(Unsqueeze(axes: [0]), [index], TensorSignature(TensorType(dtype, [1])))
    }
    if rank > 0 { return try call.emit(Index(axes: [axis], allowsNegative: false), [x, index], out: "out") }
    // An operand of rank 0 counts as one of rank 1.
    type.dimensions = [.fixed(1)]
    x = call.intermediate(Unsqueeze(axes: [0]), [x], type)
    let chosen = call.intermediate(Index(axes: [0], allowsNegative: false), [x, index], type)
    try call.emit(Squeeze(axes: [0]), [chosen], out: "out")
  },
  "aten::masked_select.out(self, mask, out)": { call in
    try call.emit(MaskedSelect(), [try call.tensor("self"), try call.tensor("mask")], out: "out")
  },
  "aten::masked_scatter.out(self, mask, source, out)": { call in
    try call.emit(MaskedScatter(), [try call.tensor("self"), try call.tensor("mask"), try call.tensor("source")], out: "out")
  },
  "aten::nonzero.out(self, out)": { call in
    try call.emit(NonZero(), [try call.tensor("self")], out: "out")
  },
  "aten::select_scatter.out(self, src, dim, index, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self"), try call.tensor("src")]
    let index = try call.int("index", &operands)
    try call.emit(SelectScatter(axis: try call.int("dim"), index: index), operands, out: "out")
  },
  "aten::slice_scatter.out(self, src, dim, start, end, step, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self"), try call.tensor("src")]
    let range = try call.sliceRange(&operands)
    try call.emit(SliceScatter(axis: try call.int("dim"), range: range), operands, out: "out")
  },
  "aten::embedding.out(weight, indices, padding_idx, scale_grad_by_freq, sparse, out)": { call in
    try call.emit(Index(axes: [0], allowsNegative: false), [try call.tensor("weight"), try call.tensor("indices")], out: "out")
  },
  "aten::topk.values(self, k, dim, largest, sorted, values, indices)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let count = try call.int("k", &operands)
    try call.emit(TopK(count: count, axis: try call.int("dim"), largest: try call.bool("largest")), operands, outs: ["values", "indices"])
  },
  // The cache's axis 1 holds the positions.
  "llama::update_cache.out(value, cache, start_pos, out)": { call in
    try call.updateCache("cache", with: "value")
    try call.placeholder("out")
  },
  // `indices` holds for each batch and position of the value its position in the cache.
  "llama::update_cache_with_indices.out(value, cache, start_pos, indices, out)": { call in
    guard case .fixed(let batch) = try call.signature("cache").dimensions.first, batch > 0, batch <= 1 << 20 else {
      throw CallError("the cache's batch has no fixed extent")
    }
    var rows = HostTensor(zeros: .int64, shape: [batch, 1])
    unsafe rows.withUnsafeMutableBytes { bytes in
      let rows = unsafe bytes.assumingMemoryBound(to: Int64.self)
      for row in rows.indices { unsafe rows[row] = Int64(widening: row) }
    }
    let operands = [try call.tensor("cache"), try call.tensor("value"), call.constant(rows), try call.tensor("indices")]
    try call.emit(IndexPut(axes: [0, 1], accumulates: false, allowsNegative: false), operands, out: "cache")
    try call.placeholder("out")
  },
]

extension OperatorCall {
  /// Replaces the positions of a cache, its axis 1, from `start_pos` on. The cache must have as many as the value.
  mutating func updateCache(_ cache: ArgumentName, with value: ArgumentName) throws {
    var operands: [ValueID?] = [try tensor(cache), try tensor(value)]
    let range = SliceRange(start: try int("start_pos", &operands), end: .source, allowsNegative: false)
    try emit(SliceScatter(axis: 1, range: range), operands, out: cache)
  }

  /// Writes `values` to the elements of `self` that `indices` select, or adds them.
  fileprivate mutating func indexPut(out: ArgumentName) throws {
    let x = try tensor("self")
    let values = try tensor("values")
    if try maskedFill(x, values, out: out) { return }
    let (axes, indices) = try indexed(x, by: try optionalTensorList("indices"))
    try emit(
      IndexPut(axes: axes, accumulates: try bool("accumulate"), allowsNegative: true), [x, values] + indices, out: out)
  }

  /// Writes a single number where the only index, a mask, is true. This is a selection between two values, whose shape does not depend on
  /// data. Returns false for any other call.
  private mutating func maskedFill(_ x: ValueID, _ values: ValueID, out: ArgumentName) throws -> Bool {
    let items = try optionalTensorList("indices")
    let dtype = try dtype("self")
    let value = try signature("values")
    guard let axis = items.firstIndex(where: { $0 != nil }), items.count(where: { $0 != nil }) == 1, let mask = items[axis],
      var maskType = builder.tensorSignature(of: mask), maskType.dtype == .bool, maskType.rank > 0, try !bool("accumulate"),
      value.dtype == dtype,
      value.dimensions.allSatisfy({ $0 == .fixed(1) }), let type = ComputeType(for: dtype), try self.dtype(out) == dtype
    else { return false }
    let rank = try self.rank("self")
    let missing = rank - axis - maskType.rank
    guard missing >= 0, value.rank <= rank else { return false }
    var condition = mask
    if missing > 0 {
      maskType = TensorSignature(
        dtype: .bool, dimensions: maskType.dimensions + Array(repeating: .fixed(1), count: missing))
      condition = intermediate(Unsqueeze(axes: (1...missing).map { -$0 }), [mask], maskType)
    }
    var program = PointwiseProgram()
    let registers = (0..<3).map { program.append(.load(operand: $0, as: type)) }
    program.append(.ternary(.select, registers[0], registers[1], registers[2]))
    try emit(Pointwise(program, dtype: dtype, label: "masked_fill"), [condition, values, x], out: out)
    return true
  }

  /// A result that upstream does not write and that is never read.
  fileprivate mutating func placeholder(_ out: ArgumentName) throws {
    let type = try signature(out)
    guard let shape = type.fixedShape else { return }
    try emit(Full(shape: shape.map { .constant($0) }, dtype: type.dtype), [number(.int(0))], out: out)
  }
}
