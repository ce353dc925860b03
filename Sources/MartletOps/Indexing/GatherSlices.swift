package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// How operand 0 of a `GatherSlices` or `ScatterSlices` is indexed.
package struct SliceIndexing: Sendable, Hashable {
  /// Leading axes that the data and the indices have in common.
  package var batchAxes: Int
  /// The axis that single indices choose along; nil if the indices' last axis holds a tuple for the axes behind the batch axes.
  package var axis: Int?

  package init(axis: Int?, batchAxes: Int = 0) {
    self.axis = axis
    self.batchAxes = batchAxes
  }

  /// The first indexed axis, the shape of the tuples (their length last), and the shape of the slices.
  func resolved(_ x: TensorType, _ indices: TensorType) throws(OperatorError) -> (first: Int, tuples: [Int], result: [Int]) {
    guard indices.dtype.isInteger, indices.dtype != .uint64 else { throw .invalid("indices of \(indices.dtype)") }
    guard batchAxes >= 0, batchAxes <= x.rank, batchAxes <= indices.rank - (axis == nil ? 1 : 0),
      Array(x.shape[..<batchAxes]) == Array(indices.shape[..<batchAxes])
    else { throw .invalid("indices \(indices.shape) for \(x.shape) with \(batchAxes) batch axes") }
    let first: Int
    let tuples: [Int]
    if let axis {
      guard x.rank > 0 else { throw .invalid("indices for a tensor of rank 0") }
      first = try normalAxis(axis, rank: x.rank)
      tuples = indices.shape + [1]
    } else {
      first = batchAxes
      tuples = indices.shape
    }
    let count = tuples[tuples.count - 1]
    guard first >= batchAxes, first <= x.rank, count <= x.rank - first else {
      throw .invalid("indices \(indices.shape) for axis \(first) of \(x.shape)")
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

/// Slices of operand 0 that operand 1 chooses, by an index along one axis or by tuples of indices.
/// - Shapes: with an axis `x.shape[..<axis] + indices.shape[batchAxes...] + x.shape[(axis + 1)...]`; with tuples of `m` indices
///   `indices.shape[..<(-1)] + x.shape[(batchAxes + m)...]`.
/// - DTypes: all; indices are integers but uint64.
/// - Errors: an index out of range fails the call; negative ones count from the end.
/// - Sources: MIL `gather`, `gather_nd`.
package struct GatherSlices: PlannedOperator {
  package var indexing: SliceIndexing
  package var name: String { "gather_slices" }

  package init(_ indexing: SliceIndexing) { self.indexing = indexing }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    return [.tensor(TensorType(x.dtype, try indexing.resolved(x, try operands.tensor(1)).result))]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let slices = try indexing.slices(node.input(0), node.contiguous(1, as: .int64), output, node)
    node.emit("gather \(output.shape)", bytes: Double(2 * output.byteCount), slices.gather())
  }
}

/// Operand 0 with the slices that operand 1 chooses combined with those of operand 2.
/// - Shapes: operand 2 has the shape that `GatherSlices` gives.
/// - DTypes: all for replacing; otherwise the real ones but bfloat16 and bool, computed in operand 0's dtype. Indices are integers
///   but uint64.
/// - Errors: an index out of range and an integer division by zero fail the call; negative indices count from the end.
/// - Sources: MIL `scatter`, `scatter_nd`.
package struct ScatterSlices: PlannedOperator {
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
      throw .invalid("updates \(updates.shape) for the chosen slices of \(x.shape)")
    }
    return [.tensor(x)]
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

/// Throws if elements of `dtype` cannot be combined.
func checkCombination(_ combination: Combination, of dtype: DType) throws(OperatorError) {
  if combination != .update, dtype.isComplex || dtype == .bfloat16 || dtype == .bool {
    throw .unsupported("\(combination) of \(dtype)")
  }
}
