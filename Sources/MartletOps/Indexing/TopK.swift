package import MartletGraph
import MartletKernels
import MartletTensor

/// The largest or smallest elements along an axis in sorted order, with their indices.
/// - Shapes: any; a tensor of rank 0 is treated as one element.
/// - DTypes: the real ones; the second result is int64. NaN is greater than any number. The sort is stable.
/// - Sources: ATen `topk.values`; MIL `topk`, `argsort`.
package struct TopK: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .real)], accuracy: .exact)

  /// Nil for all elements of the axis.
  package var count: IntArgument?
  package var axis: Int
  package var largest: Bool
  package var name: String { "topk" }

  package init(count: IntArgument?, axis: Int, largest: Bool) {
    self.count = count
    self.axis = axis
    self.largest = largest
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var x = try operands.tensor(0)
    let axis = try normalAxis(axis, rank: x.rank)
    let count = try count.map { argument throws(OperatorError) in try operands.int(argument) } ?? (x.rank == 0 ? 1 : x.shape[axis])
    guard count >= 0, count <= (x.rank == 0 ? 1 : x.shape[axis]) else {
      throw .invalid("\(count) elements exceed an axis of \(x.shape)")
    }
    if x.dtype.isComplex { throw .invalid("complex numbers cannot be sorted") }
    if x.rank > 0 { x.shape[axis] = count }
    return [.tensor(x), .tensor(TensorType(.int64, x.shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let count else { return operands.shape(0) }
    return operands.shape(0, replacing: axis, by: operands.extent(count))
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let dtype = node.operandType(0).dtype
    let type: DType = dtype == .float64 || dtype == .uint64 ? dtype : dtype.isFloatingPoint ? .float32 : .int64
    var x = node.strided(0, as: type)
    var values = node.staging(0, as: type)
    var indices = node.staging(1, as: .int64)
    let results = (values, indices)
    if x.rank == 0 {
      x = x.reshaped([1])!
      // With a count of 0 the results are empty and have no element to reshape.
      values = values.reshaped([1])!
      indices = indices.reshaped([1])!
    }
    let axis = try normalAxis(axis, rank: x.rank)
    node.emit(
      "topk \(x.shape)", flops: 4 * Double(x.elementCount), work: .single,
      TopSelection.kernel(x, axis: axis, count: values.shape[axis], largest: largest, values: values, indices: indices))
    node.finish(0, from: results.0)
    node.finish(1, from: results.1)
  }
}
