package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Indexing of operand 0 in `GatherSlices` and `ScatterSlices`.
package struct SliceIndexing: Sendable, Hashable {
  /// Number of leading batch axes, shared by the data and the indices.
  package var batchAxes: Int
  /// The axis that single indices select along; nil if the last axis of the indices holds index tuples for the axes after the batch axes.
  package var axis: Int?

  package init(axis: Int?, batchAxes: Int = 0) {
    self.axis = axis
    self.batchAxes = batchAxes
  }

  /// The first indexed axis, the shape of the index tuples (with their length as last extent), and the shape of the result.
  func resolved(_ x: TensorType, _ indices: TensorType) throws(OperatorError) -> (first: Int, tuples: [Int], result: [Int]) {
    guard indices.dtype.isInteger, indices.dtype != .uint64 else { throw .invalid("indices of type \(indices.dtype)") }
    guard batchAxes >= 0, batchAxes <= x.rank, batchAxes <= indices.rank - (axis == nil ? 1 : 0),
      Array(x.shape[..<batchAxes]) == Array(indices.shape[..<batchAxes])
    else { throw .invalid("indices \(indices.shape) do not fit \(x.shape) with \(batchAxes) batch axes") }
    let first: Int
    let tuples: [Int]
    if let axis {
      guard x.rank > 0 else { throw .invalid("a tensor of rank 0 cannot be indexed") }
      first = try normalAxis(axis, rank: x.rank)
      tuples = indices.shape + [1]
    } else {
      first = batchAxes
      tuples = indices.shape
    }
    let count = tuples[tuples.count - 1]
    guard first >= batchAxes, first <= x.rank, count <= x.rank - first else {
      throw .invalid("indices \(indices.shape) do not fit axis \(first) of \(x.shape)")
    }
    let positions = Array(tuples[batchAxes..<(tuples.count - 1)])
    let result = Array(x.shape[..<first]) + positions + Array(x.shape[(first + count)...])
    guard Shape.elementCount(result) != nil, Shape.elementCount(Array(tuples.dropLast())) != nil else {
      throw .invalid("\(result) is too large")
    }
    return (first, tuples, result)
  }

  func slices(_ x: TensorView, _ indices: TensorView, _ y: TensorView, _ node: NodePlan) throws(OperatorError) -> IndexedSlices {
    let (first, tuples, _) = try resolved(x.type, indices.type)
    let count = tuples.dropLast().reduce(1, *)
    return IndexedSlices(
      x, batchAxes: batchAxes, firstIndexed: first, tuples: indices.reshaped(tuples)!, y,
      offsets: node.temporary(.int64, [max(count, 1)]))
  }
}

/// Gathers slices of operand 0 that operand 1 selects, by an index along one axis or by tuples of indices.
/// - Shapes: with an axis `x.shape[..<axis] + indices.shape[batchAxes...] + x.shape[(axis + 1)...]`; with tuples of `m` indices
///   `indices.shape[..<(-1)] + x.shape[(batchAxes + m)...]`.
/// - DTypes: all; indices are integers except uint64.
/// - Errors: an index out of range fails the call; negative ones count from the end.
/// - Sources: MIL `gather`, `gather_nd`.
package struct GatherSlices: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any), .init("indices", .indices, .index)], accuracy: .exact)

  package var indexing: SliceIndexing
  package var name: String { "gather_slices" }

  package init(_ indexing: SliceIndexing) { self.indexing = indexing }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    return [.tensor(TensorType(x.dtype, try indexing.resolved(x, try operands.tensor(1)).result))]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let axis = indexing.axis, let x = operands.shape(0), let indices = operands.shape(1), indexing.batchAxes >= 0,
      indexing.batchAxes <= indices.count, let axis = Shape.normalizedAxis(axis, rank: x.count), axis < x.count
    else { return nil }
    return Array(x[..<axis]) + Array(indices[indexing.batchAxes...]) + Array(x[(axis + 1)...])
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let slices = try indexing.slices(node.input(0), node.contiguous(1, as: .int64), output, node)
    node.emit("gather \(output.shape)", bytes: Double(2 * output.byteCount), slices.gather())
  }
}

/// Combines the slices of operand 0 that operand 1 selects with those of operand 2.
/// - Shapes: operand 2 has the shape of the result of `GatherSlices`.
/// - DTypes: all for replacement; otherwise the real ones except bfloat16 and bool, computed in operand 0's dtype. Indices are integers
///   except uint64.
/// - Errors: an index out of range and an integer division by zero fail the call; negative indices count from the end.
/// - Sources: MIL `scatter`, `scatter_nd`.
package struct ScatterSlices: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .any), .init("indices", .indices, .index), .init("updates", .data, .any),
    ], accuracy: .ulp)

  package var indexing: SliceIndexing
  package var combination: Combination
  package var name: String { "scatter_slices" }

  package init(_ indexing: SliceIndexing, _ combination: Combination) {
    self.indexing = indexing
    self.combination = combination
  }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let updates = try operands.tensor(2)
    try checkCombination(combination, of: x.dtype)
    guard updates.shape == (try indexing.resolved(x, try operands.tensor(1)).result) else {
      throw .invalid("updates \(updates.shape) do not fit the selected slices of \(x.shape)")
    }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let updates = node.apart(node.contiguous(2, as: output.dtype))
    let indices = node.apart(node.contiguous(1, as: .int64))
    node.beginUpdate()
    if output.isEmpty { return }
    let slices = try indexing.slices(output, indices, updates, node)
    node.emit("scatter \(combination) \(updates.shape)", bytes: Double(2 * updates.byteCount), slices.scatter(combination))
  }
}

/// Throws if the combination does not support elements of `dtype`.
func checkCombination(_ combination: Combination, of dtype: DType) throws(OperatorError) {
  if combination != .update, dtype.isComplex || dtype == .bfloat16 || dtype == .bool {
    throw .unsupported("\(combination) of \(dtype)")
  }
}
