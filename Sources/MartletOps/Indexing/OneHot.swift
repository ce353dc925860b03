package import MartletGraph
import MartletKernels
package import MartletTensor

/// One-hot encoding: a new axis on which each index of operand 0 marks one position. An index out of range marks none.
/// - Operands: 0 the indices, 1 and 2 the scalars for marked and unmarked positions.
/// - Shapes: any; the new axis stands at `axis` of the result. - DTypes: indices are integers; the result has `dtype`.
/// - Sources: MIL `one_hot`.
package struct OneHot: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("indices", .indices, .integer), .init("on", .number, .any), .init("off", .number, .any),
    ], accuracy: .exact)

  package var count: IntArgument
  package var axis: Int
  package var dtype: DType
  package var name: String { "one_hot" }

  package init(count: IntArgument, axis: Int, dtype: DType) {
    self.count = count
    self.axis = axis
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let indices = try operands.tensor(0)
    _ = (try operands.scalar(1), try operands.scalar(2))
    guard indices.dtype.isInteger else { throw .invalid("indices of type \(indices.dtype)") }
    let axis = try normalAxis(axis, rank: indices.rank + 1)
    let count = try operands.int(count)
    guard count >= 0 else { throw .invalid("a one-hot axis of extent \(count)") }
    var shape = indices.shape
    shape.insert(count, at: axis)
    return [.tensor(TensorType(dtype, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0), let axis = Shape.normalizedAxis(axis, rank: x.count + 1) else { return nil }
    var result: [SymbolicExtent?] = x
    result.insert(operands.extent(count), at: axis)
    return result
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let indices = node.contiguous(0, as: .int64)
    let axis = try normalAxis(axis, rank: output.rank)
    let (marked, other) = (node.scalar(1), node.scalar(2))
    node.emit("one_hot \(output.shape)", Fill.kernel(output) { other.scalar($0) })
    let number = node.temporary(output.dtype, [1])
    node.emit("fill", bytes: 0, Fill.kernel(number) { marked.scalar($0) })
    let count = output.shape[axis]
    let inner = output.shape[(axis + 1)...].reduce(1, *)
    let size = output.dtype.byteCount
    node.emit("one_hot marks", bytes: Double(indices.byteCount)) { context in
      let list = context.elements(indices, as: Int64.self)
      let source = unsafe context.address(number)
      let target = unsafe context.address(output)
      for position in 0..<indices.elementCount {
        let index = list[position]
        guard index >= 0, index < Int64(widening: count) else { continue }
        let (outer, lane) = position.quotientAndRemainder(dividingBy: inner)
        unsafe (target + ((outer * count + Int(widening: index)) * inner + lane) * size).copyMemory(from: source, byteCount: size)
      }
    }
  }
}
