import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Reading and writing slices by tuples of indices, and rearrangements that depend on data or blocks.
let milScatterRows: MILCallTable = [
  "gather_nd": { call in
    let batch = try call.int("batch_dims", default: 0)
    try call.emit(
      GatherSlices(SliceIndexing(axis: nil, batchAxes: batch)), [try call.tensor("x"), try call.tensor("indices")])
  },
  // data, indices, updates, axis, mode
  "scatter": { call in
    let axis = try call.normalized(try call.int("axis", default: 0), rank: try call.rank("data"))
    try call.emit(ScatterSlices(SliceIndexing(axis: axis), try call.combination()), try call.scatterOperands())
  },
  "scatter_along_axis": { call in
    let axis = try call.normalized(try call.int("axis", default: 0), rank: try call.rank("data"))
    try call.emit(ScatterElements(axis: axis, try call.combination(), allowsNegative: true), try call.scatterOperands())
  },
  "scatter_nd": { call in
    try call.emit(ScatterSlices(SliceIndexing(axis: nil), try call.combination()), try call.scatterOperands())
  },
  "one_hot": { call in
    var operands: [ValueID?] = [try call.tensor("indices")]
    operands.append(call.has("on_value") ? try call.scalarValue("on_value") : call.number(.int(1)))
    operands.append(call.has("off_value") ? try call.scalarValue("off_value") : call.number(.int(0)))
    let count = try call.intArgument("one_hot_vector_size", &operands)
    let axis = try call.normalized(try call.int("axis", default: -1), rank: try call.rank("indices") + 1)
    try call.emit(OneHot(count: count, axis: axis, dtype: try call.outputDType()), operands)
  },
  "band_part": { call in
    var x = try call.tensor("x")
    let (lower, upper) = (try call.int("lower", default: -1), try call.int("upper", default: -1))
    let signature = try call.signature(of: x)
    if upper >= 0 { x = call.intermediate(Triangle(keepsUpper: false, diagonal: .constant(upper)), [x], signature) }
    if lower >= 0 { x = call.intermediate(Triangle(keepsUpper: true, diagonal: .constant(-lower)), [x], signature) }
    try call.set(x)
  },
  "reverse_sequence": { call in
    let rank = try call.rank("x")
    let op = ReverseSequence(
      axis: try call.normalized(try call.int("seq_axis", default: 0), rank: rank),
      batchAxis: try call.normalized(try call.int("batch_axis", default: 0), rank: rank))
    try call.emit(op, [try call.tensor("x"), try call.tensor("lengths")])
  },
  // x, axis, size, stride: the elements of the windows are on a new axis after it
  "sliding_windows": { call in
    let x = try call.tensor("x")
    let signature = try call.signature(of: x)
    let axis = try call.normalized(try call.int("axis"), rank: signature.rank)
    let declared = try call.outputSignature()
    guard declared.rank == signature.rank + 1 else { throw CallError("the result has rank \(declared.rank)") }
    var last = declared
    last.dimensions.append(last.dimensions.remove(at: axis + 1))
    let windows = call.intermediate(
      Unfold(axis: axis, size: try call.int("size"), step: try call.int("stride", default: 1)), [x], last)
    if axis == signature.rank - 1 { return try call.set(windows) }
    try call.emit(Permute(axes: Array(0...axis) + [signature.rank] + Array(axis + 1..<signature.rank)), [windows])
  },
  // block_shape [2], paddings [2, 2]
  "space_to_batch": { call in
    let (block, amounts) = (try call.ints("block_shape"), try call.ints("paddings"))
    guard block.count == 2, amounts.count == 4, try call.rank("x") == 4 else {
      throw CallError("block_shape and paddings are not for two axes")
    }
    var x = try call.tensor("x")
    if amounts.contains(where: { $0 != 0 }) {
      var signature = try call.signature(of: x)
      signature.dimensions.replaceSubrange(2..., with: [.symbolic(bound: nil), .symbolic(bound: nil)])
      let pad = Pad(
        .constant, before: [.constant(amounts[0]), .constant(amounts[2])], after: [.constant(amounts[1]), .constant(amounts[3])])
      x = call.intermediate(pad, [x, call.number(.double(0))], signature)
    }
    try call.emit(BlocksToBatch(height: block[0], width: block[1], isInverse: false), [x])
  },
  // block_shape [2], crops [2, 2]
  "batch_to_space": { call in
    let (block, amounts) = (try call.ints("block_shape"), try call.ints("crops"))
    guard block.count == 2, amounts.count == 4, amounts.allSatisfy({ $0 >= 0 }), try call.rank("x") == 4 else {
      throw CallError("block_shape and crops are not for two axes")
    }
    let x = try call.tensor("x")
    let op = BlocksToBatch(height: block[0], width: block[1], isInverse: true)
    if amounts.allSatisfy({ $0 == 0 }) { return try call.emit(op, [x]) }
    var signature = try call.outputSignature()
    guard signature.rank == 4 else { throw CallError("the result has rank \(signature.rank), not 4") }
    signature.dimensions.replaceSubrange(2..., with: [.symbolic(bound: nil), .symbolic(bound: nil)])
    var value = call.intermediate(op, [x], signature)
    for axis in [2, 3] {
      let (first, last) = (amounts[2 * axis - 4], amounts[2 * axis - 3])
      let end: SliceRange.End = last == 0 ? .rest : .position(.constant(-last))
      value = try call.sliced([value], axis: axis, SliceRange(start: .constant(first), end: end))
    }
    try call.set(value)
  },
  // boxes [n, B, 4] and scores [n, B, K]; since iOS 17 [n, 4, B] and [n, K, B], without score_threshold
  "non_maximum_suppression": { call in
    let isNew = call.opset >= 17
    let op = SuppressBoxes(
      BoxSuppression(
        overlapThreshold: Float(try call.double("iou_threshold")),
        scoreThreshold: isNew ? nil : Float(try call.double("score_threshold")),
        isPerClass: try call.bool("per_class_suppression", default: false)),
      count: .constant(try call.int("max_boxes")), boxesLast: isNew, givesCounts: !isNew)
    let (boxes, scores) = (try call.tensor("boxes"), try call.tensor("scores"))
    let dtypes = [try call.dtype("boxes"), try call.dtype("scores"), .int32] + (isNew ? [] : [.int32])
    try call.emit(op, [boxes, scores], dtypes: dtypes)
  },
]

extension MILCall {
  fileprivate func combination() throws -> Combination {
    try Combination(name: try string("mode", default: "add"))
  }

  fileprivate func scatterOperands() throws -> [ValueID?] { [try tensor("data"), try tensor("indices"), try tensor("updates")] }
}
