import MartletCoreMLFile
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// Choosing elements by index, and their order.
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
            let position = Int(index) < 0 ? Int(index) + x.count : Int(index)
            guard x.indices.contains(position) else { throw CallError("index \(index) is out of range") }
            return x[position]
          })
      }
    }
    if batch != 0 { return try call.gather(axis: axis, batch: batch < 0 ? batch + (try call.rank("indices")) : batch) }
    try call.emit(Index(axes: [axis], allowsNegative: true), [try call.tensor("x"), try call.tensor("indices")])
  },
  "gather_along_axis": { call in
    let axis = try call.normalized(try call.int("axis", default: 0), rank: try call.rank("x"))
    try call.emit(GatherElements(axis: axis), [try call.tensor("x"), try call.nonNegativeIndices("indices", of: "x", axis: axis)])
  },
  "non_zero": { call in try call.emit(NonZero(), [try call.tensor("x")], dtypes: [.int64]) },
  // x, axis, ascending
  "argsort": { call in
    let x = try call.tensor("x")
    let axis = try call.normalized(try call.int("axis", default: -1), rank: try call.rank("x"))
    var operands: [ValueID?] = [x]
    let count = try call.intArguments([try call.extent(of: x, axis: axis)], "axis", &operands)[0]
    let op = TopK(count: count, axis: axis, largest: try !call.bool("ascending", default: false))
    let signature = try call.signature(of: x)
    let results = call.intermediates(op, operands, [signature, TensorSignature(dtype: .int64, dimensions: signature.dimensions)])
    try call.setConverted(results[1])
  },
  // x, k, axis, ascending, sort, return_indices, output_indices_dtype
  "topk": { call in
    let axis = try call.normalized(try call.int("axis", default: -1), rank: try call.rank("x"))
    var operands: [ValueID?] = [try call.tensor("x")]
    let count = call.has("k") ? try call.intArgument("k", &operands) : .constant(1)
    let op = TopK(count: count, axis: axis, largest: try !call.bool("ascending", default: false))
    try call.emit(op, operands, dtypes: [try call.dtype("x"), .int64])
  },
]

extension MILCall {
  /// Appends a node with several results that the file does not name.
  mutating func intermediates(_ op: any Operator, _ operands: [ValueID?], _ signatures: [TensorSignature]) -> [ValueID] {
    importer.addNode(op, operands, types: signatures.map { .tensor($0) }, source: source)
  }

  /// Indices of an axis of another parameter, negative ones counted from its end made positive.
  mutating func nonNegativeIndices(_ parameter: String, of target: String, axis: Int) throws -> ValueID {
    let indices = try tensor(parameter)
    if let constant = try constant(parameter), constant.elementCount <= Self.mostAttributeElements,
      constant.integers?.allSatisfy({ $0 >= 0 }) == true
    {
      return indices
    }
    let signature = try signature(of: indices)
    guard signature.dtype.isInteger else { throw CallError("parameter \(parameter) has elements of type \(signature.dtype)") }
    if signature.dtype.isUnsigned { return indices }
    var program = PointwiseProgram()
    var operands: [ValueID?] = [indices]
    let index = program.append(.load(operand: 0, as: .int64))
    let extent: Int
    switch try self.extent(of: try tensor(target), axis: axis) {
    case .known(let scalar): extent = program.append(.literal(scalar, as: .int64))
    case .computed(let value):
      operands.append(value)
      extent = program.append(.scalar(operand: 1, as: .int64))
    }
    let isNegative = program.append(.binary(.lt, index, program.append(.literal(.int(0), as: .int64))))
    program.append(.ternary(.select, isNegative, program.append(.binary(.add, index, extent)), index))
    return intermediate(Pointwise(program, dtype: signature.dtype, label: "indices"), operands, signature)
  }

  /// Elements chosen along an axis by indices of their own for each element of the first `batch` axes.
  fileprivate mutating func gather(axis: Int, batch: Int) throws {
    let x = try tensor("x")
    let indices = try tensor("indices")
    let rank = try rank("indices")
    guard batch > 0, batch <= axis, batch <= rank else { throw CallError("batch_dims \(batch) does not fit axis \(axis)") }
    var operands: [ValueID?] = [x]
    for position in 0..<batch { operands.append(try positions(of: indices, axis: position, rank: rank)) }
    operands.append(indices)
    let op = Index(axes: Array(0..<batch) + [axis], allowsNegative: true)
    if axis == batch { return try emit(op, operands) }
    // Indexed axes that are no neighbours stand in front: batch, indices, then batch ..< axis and the rest.
    let result = try outputSignature()
    let between = axis - batch
    let order = Array(0..<batch) + Array(rank..<rank + between) + Array(batch..<rank) + Array(rank + between..<result.rank)
    guard order.count == result.rank else { throw CallError("the result has rank \(result.rank), not \(order.count)") }
    var dimensions = result.dimensions
    for (position, source) in order.enumerated() { dimensions[source] = result.dimensions[position] }
    let front = intermediate(op, operands, TensorSignature(dtype: result.dtype, dimensions: dimensions))
    try emit(Permute(axes: order), [front])
  }

  /// The positions 0, 1, … along an axis of a tensor, as a tensor that broadcasts to one of `rank`.
  mutating func positions(of value: ValueID, axis: Int, rank: Int) throws -> ValueID {
    let dimension = try signature(of: value).dimensions[axis]
    let extent = importer.value(try extent(of: value, axis: axis))
    let line = intermediate(
      NumberRange(dtype: .int64), [number(.int(0)), extent, number(.int(1))], TensorSignature(dtype: .int64, dimensions: [dimension]))
    let added = rank - axis - 1
    guard added > 0 else { return line }
    return intermediate(
      Unsqueeze(axes: Array(1...added)), [line],
      TensorSignature(dtype: .int64, dimensions: [dimension] + Array(repeating: .fixed(1), count: added)))
  }
}
