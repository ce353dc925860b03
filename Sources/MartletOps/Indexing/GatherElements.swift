package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Gathers one element per index along an axis: `y[i, j] = x[i, index[i, j]]` for axis 1.
/// - Shapes: the indices (operand 1) have the shape of the result: the rank of operand 0 and, except along the gathered axis, at most its
///   extents.
/// - DTypes: all; indices are integers except uint64.
/// - Errors: an index out of range fails the call.
/// - Sources: ATen `gather.out`; MIL `gather_along_axis`.
package struct GatherElements: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any), .init("indices", .indices, .index)], accuracy: .exact)

  package var axis: Int
  /// Whether negative indices count from the end; otherwise they are out of range.
  package var allowsNegative: Bool
  package var name: String { "gather" }

  package init(axis: Int, allowsNegative: Bool = false) {
    self.axis = axis
    self.allowsNegative = allowsNegative
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let index = try operands.tensor(1)
    try checkIndices(index, for: x, axis: axis)
    return [.tensor(TensorType(x.dtype, index.shape))]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(1)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let x = node.input(0).withAxis
    let indices = node.contiguous(1, as: .int64).withAxis
    // Operands and indices of rank 0 are treated as rank 1.
    let kernel = AxisIndexing(
      x, axis: try normalAxis(axis, rank: x.rank), indices: indices, output.withAxis, allowsNegative: allowsNegative
    ).gather()
    node.emit("gather \(output.shape)", kernel)
  }
}

/// Replaces or combines elements of operand 0 along one axis: `y[i, index[i, j]] = source[i, j]` for axis 1. Operand 1 holds the indices,
/// operand 2 the source: a tensor or a scalar.
/// - Shapes: the indices have the rank of operand 0 and, except along the scattered axis, at most its extents. A source tensor has at
///   least the extents of the indices.
/// - DTypes: all, but combinations other than sums exclude bfloat16, bool and complex types. The source is converted to operand 0's
///   dtype. Combinations are computed in that dtype, in row-major order of the indices; of several updates to the same element the last
///   one wins.
/// - Errors: an index out of range and an integer division by zero fail the call.
/// - Sources: ATen `scatter.src_out`, `scatter.value_out`, `scatter_add.out`; MIL `scatter_along_axis`.
package struct ScatterElements: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .any), .init("indices", .indices, .index), .init("source", .data, .any, isOptional: true),
    ], accuracy: .ulp)

  package var axis: Int
  package var combination: Combination
  /// Whether negative indices count from the end; otherwise they are out of range.
  package var allowsNegative: Bool
  package var name: String { combination == .update ? "scatter" : "scatter_\(combination)" }

  package init(axis: Int, _ combination: Combination, allowsNegative: Bool = false) {
    self.axis = axis
    self.combination = combination
    self.allowsNegative = allowsNegative
  }

  package init(axis: Int, accumulates: Bool) { self.init(axis: axis, accumulates ? .add : .update) }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let index = try operands.tensor(1)
    if combination != .add { try checkCombination(combination, of: x.dtype) }
    if index.shape.contains(0) { return [.tensor(x)] }
    try checkIndices(index, for: x, axis: axis)
    if let source = operands.optionalTensor(2) {
      let (have, want) = (source.shape.isEmpty ? [1] : source.shape, index.shape.isEmpty ? [1] : index.shape)
      guard have.count == want.count, zip(have, want).allSatisfy({ $0 >= $1 }) else {
        throw .invalid("a source \(source.shape) does not fit indices \(index.shape)")
      }
    } else {
      _ = try operands.scalar(2)
    }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let shape = node.operandType(1).shape
    if shape.contains(0) || output.isEmpty { return node.beginUpdate() }
    let indices = node.apart(node.contiguous(1, as: .int64)).withAxis
    var source: TensorView
    if node.has(2) {
      source = node.updateSource(2, as: output.dtype).withAxis
      for axis in source.shape.indices {
        source = source.sliced(axis: axis, start: 0, count: indices.shape[axis], step: 1)
      }
    } else {
      let number = node.temporary(output.dtype, [1])
      let value = node.scalar(2)
      node.emit("fill", bytes: 0, Fill.kernel(number) { value.scalar($0) })
      source = number.broadcast(to: indices.shape)
    }
    node.beginUpdate()
    let kernel = AxisIndexing(
      output.withAxis, axis: try normalAxis(axis, rank: output.rank), indices: indices, source, allowsNegative: allowsNegative)
    node.emit(
      "\(name) \(shape)", bytes: Double(2 * source.byteCount),
      combination == .add ? kernel.accumulate() : kernel.scatter(combination))
  }
}

/// Validates the indices of a gather or scatter.
private func checkIndices(_ index: TensorType, for x: TensorType, axis: Int) throws(OperatorError) {
  let axis = try normalAxis(axis, rank: x.rank)
  guard index.dtype.isInteger, index.dtype != .uint64 else { throw .invalid("indices of type \(index.dtype)") }
  if index.shape.contains(0) { return }
  let (have, want) = (x.shape.isEmpty ? [1] : x.shape, index.shape.isEmpty ? [1] : index.shape)
  guard have.count == want.count, have.indices.allSatisfy({ $0 == axis || want[$0] <= have[$0] }) else {
    throw .invalid("indices \(index.shape) do not fit axis \(axis) of \(x.shape)")
  }
}

extension TensorView {
  /// A rank-0 view as one of shape `[1]`; other views unchanged.
  fileprivate var withAxis: TensorView {
    guard rank == 0 else { return self }
    var view = self
    view.shape = [1]
    view.strides = [1]
    return view
  }
}
