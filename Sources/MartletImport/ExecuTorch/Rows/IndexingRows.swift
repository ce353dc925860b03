import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Operators that select or replace elements by index or mask.
let indexingRows: CallTable = [
  // self, dim, index, sparse_grad
  "aten::gather.out": { call in
    try call.emit(GatherElements(axis: try call.int(1)), [try call.tensor(0), try call.tensor(2)], out: 4)
  },
  // self, dim, index, src
  "aten::scatter.src_out": { call in
    let operands = [try call.tensor(0), try call.tensor(2), try call.tensor(3)]
    try call.emit(ScatterElements(axis: try call.int(1), accumulates: false), operands, out: 4)
  },
  // self, dim, index, value
  "aten::scatter.value_out": { call in
    let operands = [try call.tensor(0), try call.tensor(2), try call.scalarValue(3)]
    try call.emit(ScatterElements(axis: try call.int(1), accumulates: false), operands, out: 4)
  },
  // self, dim, index, src
  "aten::scatter_add.out": { call in
    let operands = [try call.tensor(0), try call.tensor(2), try call.tensor(3)]
    try call.emit(ScatterElements(axis: try call.int(1), accumulates: true), operands, out: 4)
  },
  // self, indices
  "aten::index.Tensor_out": { call in
    let x = try call.tensor(0)
    let (axes, indices) = try call.indices(1, of: x)
    try call.emit(Index(axes: axes, allowsNegative: true), [x] + indices, out: 2)
  },
  // self, indices, values, accumulate
  "aten::index_put.out": { try $0.indexPut(out: 4) },
  "aten::index_put_": { try $0.indexPut(out: 0) },
  // self, dim, index
  "aten::index_select.out": { call in
    var x = try call.tensor(0)
    var index = try call.tensor(2)
    var type = try call.signature(0)
    let rank = type.rank
    guard let axis = Shape.normalizedAxis(try call.int(1), rank: rank) else {
      throw CallError("axis \(try call.int(1)) does not fit rank \(rank)")
    }
    if try call.rank(2) == 0 {
      let dtype = try call.dtype(2)
      index = call.intermediate(Unsqueeze(axes: [0]), [index], TensorSignature(TensorType(dtype, [1])))
    }
    if rank > 0 { return try call.emit(Index(axes: [axis], allowsNegative: false), [x, index], out: 3) }
    // An operand of rank 0 counts as one of rank 1.
    type.dimensions = [.fixed(1)]
    x = call.intermediate(Unsqueeze(axes: [0]), [x], type)
    let chosen = call.intermediate(Index(axes: [0], allowsNegative: false), [x, index], type)
    try call.emit(Squeeze(axes: [0]), [chosen], out: 3)
  },
  "aten::masked_select.out": { call in
    try call.emit(MaskedSelect(), [try call.tensor(0), try call.tensor(1)], out: 2)
  },
  // self, mask, source
  "aten::masked_scatter.out": { call in
    try call.emit(MaskedScatter(), [try call.tensor(0), try call.tensor(1), try call.tensor(2)], out: 3)
  },
  "aten::nonzero.out": { call in
    try call.emit(NonZero(), [try call.tensor(0)], out: 1)
  },
  // self, src, dim, index
  "aten::select_scatter.out": { call in
    var operands: [ValueID?] = [try call.tensor(0), try call.tensor(1)]
    let index = try call.int(3, &operands)
    try call.emit(SelectScatter(axis: try call.int(2), index: index), operands, out: 4)
  },
  // self, src, dim, start?, end?, step
  "aten::slice_scatter.out": { call in
    var operands: [ValueID?] = [try call.tensor(0), try call.tensor(1)]
    let range = try call.sliceRange(start: 3, &operands)
    try call.emit(SliceScatter(axis: try call.int(2), range: range), operands, out: 6)
  },
  // weight, indices, padding_idx, scale_grad_by_freq, sparse
  "aten::embedding.out": { call in
    try call.emit(Index(axes: [0], allowsNegative: false), [try call.tensor(0), try call.tensor(1)], out: 5)
  },
  // self, k, dim, largest, sorted
  "aten::topk.values": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let count = try call.int(1, &operands)
    try call.emit(TopK(count: count, axis: try call.int(2), largest: try call.bool(3)), operands, outs: [5, 6])
  },
  // value, cache, start_pos: the cache's axis 1 holds the positions.
  "llama::update_cache.out": { call in
    var operands: [ValueID?] = [try call.tensor(1), try call.tensor(0)]
    let start = try call.int(2, &operands)
    let range = SliceRange(start: start, end: .source)
    try call.emit(SliceScatter(axis: 1, range: range), operands, out: 1)
    try call.placeholder(3)
  },
  // value, cache, start_pos, indices: for each batch and position of the value, its position in the cache.
  "llama::update_cache_with_indices.out": { call in
    guard case .fixed(let batch) = try call.signature(1).dimensions.first, batch > 0, batch <= 1 << 20 else {
      throw CallError("the cache's batch has no fixed extent")
    }
    var rows = HostTensor(zeros: .int64, shape: [batch, 1])
    unsafe rows.withUnsafeMutableBytes { bytes in
      let rows = unsafe bytes.assumingMemoryBound(to: Int64.self)
      for row in rows.indices { unsafe rows[row] = Int64(row) }
    }
    let operands = [try call.tensor(1), try call.tensor(0), call.constant(rows), try call.tensor(3)]
    try call.emit(IndexPut(axes: [0, 1], accumulates: false, allowsNegative: false), operands, out: 1)
    try call.placeholder(4)
  },
]

extension OperatorCall {
  /// The indexed axes and index tensors of list argument `position`. A mask becomes the coordinates of its true elements.
  fileprivate mutating func indices(_ position: Int, of x: ValueID) throws -> (axes: [Int], indices: [ValueID?]) {
    var axes: [Int] = []
    var indices: [ValueID?] = []
    var axis = 0
    for item in try optionalTensorList(position) {
      guard let item else {
        axis += 1
        continue
      }
      let type = try signature(of: item)
      if type.dtype != .bool, type.dtype != .uint8 {
        axes.append(axis)
        indices.append(item)
        axis += 1
        continue
      }
      if type.rank == 0 { throw CallError("a mask without axes is not supported as an index") }
      var bound: Int? = 1
      for dimension in type.dimensions {
        bound = bound.flatMap { total in
          dimension.upperBound.flatMap { extent in
            let (product, overflow) = total.multipliedReportingOverflow(by: extent)
            return overflow ? nil : product
          }
        }
      }
      let count = Dimension.symbolic(bound: bound)
      let coordinates = intermediate(
        NonZero(indexedAxis: axis), [item, x], TensorSignature(dtype: .int64, dimensions: [count, .fixed(type.rank)]))
      for column in 0..<type.rank {
        axes.append(axis)
        indices.append(
          intermediate(
            Select(axis: 1, index: .constant(column)), [coordinates], TensorSignature(dtype: .int64, dimensions: [count])))
        axis += 1
      }
    }
    return (axes, indices)
  }

  /// Writes argument 2 to the elements of argument 0 that the indices in argument 1 select, or adds it to them.
  fileprivate mutating func indexPut(out: Int) throws {
    let x = try tensor(0)
    let values = try tensor(2)
    if try maskedFill(x, values, out: out) { return }
    let (axes, indices) = try indices(1, of: x)
    try emit(
      IndexPut(axes: axes, accumulates: try bool(3), allowsNegative: true), [x, values] + indices, out: out)
  }

  /// Writes a single number where the only index, a mask, is true. This is a selection between two values, whose shape does not depend on
  /// data. Returns false for any other call.
  private mutating func maskedFill(_ x: ValueID, _ values: ValueID, out: Int) throws -> Bool {
    let items = try optionalTensorList(1)
    let dtype = try dtype(0)
    let value = try signature(2)
    guard let axis = items.firstIndex(where: { $0 != nil }), items.count(where: { $0 != nil }) == 1, let mask = items[axis],
      var maskType = builder.tensorSignature(of: mask), maskType.dtype == .bool, maskType.rank > 0, try !bool(3), value.dtype == dtype,
      value.dimensions.allSatisfy({ $0 == .fixed(1) }), let type = ComputeType(for: dtype), try self.dtype(out) == dtype
    else { return false }
    let rank = try self.rank(0)
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
  fileprivate mutating func placeholder(_ out: Int) throws {
    let type = try signature(out)
    guard let shape = type.fixedShape else { return }
    try emit(Full(shape: shape.map { .constant($0) }, dtype: type.dtype), [number(.int(0))], out: out)
  }
}
