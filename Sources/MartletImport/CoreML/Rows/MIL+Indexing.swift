import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Selection of elements by index, and sorting.
let milIndexingRows: MILCallTable = [
  // x, indices, axis, batch_dims
  "gather": { call in
    let rank = try call.rank("x")
    let axis = try call.normalized(try call.int("axis", default: 0), rank: rank)
    let batch = try call.int("batch_dims", default: 0)
    if let x = try call.shallowNumbers("x"), let indices = try call.shallowNumbers("indices"), rank == 1, batch == 0 {
      let known = indices.compactMap { $0.known?.intValue }
      if known.count == indices.count {
        return try call.set(
          numbers: try known.map { index in
            let position = Int(widening: index) < 0 ? Int(widening: index) + x.count : Int(widening: index)
            guard x.indices.contains(position) else { throw CallError("index \(index) is out of range") }
            return x[position]
          })
      }
    }
    let operands = [try call.tensor("x"), try call.tensor("indices")]
    if batch != 0 {
      let batchAxes = batch < 0 ? batch + (try call.rank("indices")) : batch
      return try call.emit(GatherSlices(SliceIndexing(axis: axis, batchAxes: batchAxes)), operands)
    }
    try call.emit(Index(axes: [axis], allowsNegative: true), operands)
  },
  "gather_along_axis": { call in
    let axis = try call.normalized(try call.int("axis", default: 0), rank: try call.rank("x"))
    try call.emit(GatherElements(axis: axis, allowsNegative: true), [try call.tensor("x"), try call.tensor("indices")])
  },
  "non_zero": { call in try call.emit(NonZero(), [try call.tensor("x")], dtypes: [.int64]) },
  // x, axis, ascending
  "argsort": { call in
    let axis = try call.normalized(try call.int("axis", default: -1), rank: try call.rank("x"))
    let op = TopK(count: nil, axis: axis, largest: try !call.bool("ascending", default: false))
    let x = try call.tensor("x")
    let signature = try call.signature(of: x)
    let results = call.intermediates(op, [x], [signature, TensorSignature(dtype: .int64, dimensions: signature.dimensions)])
    try call.setConverted(results[1])
  },
  // x, k, axis, ascending, sort, return_indices, output_indices_dtype
  "topk": { call in
    let axis = try call.normalized(try call.int("axis", default: -1), rank: try call.rank("x"))
    var operands: [ValueID?] = [try call.tensor("x")]
    // -1 stands for all elements.
    var count: IntArgument? = call.has("k") ? try call.intArgument("k", &operands) : .constant(1)
    if count == .constant(-1) { count = nil }
    let op = TopK(count: count, axis: axis, largest: try !call.bool("ascending", default: false))
    try call.emit(op, operands, dtypes: [try call.dtype("x"), .int64])
  },
]
