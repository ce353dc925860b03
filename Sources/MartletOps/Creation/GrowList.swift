package import MartletGraph
import MartletKernels
import MartletTensor

/// Grows a list of tensors to at least `count` elements. Operand 0 holds the elements along axis 0; new elements are zeros.
/// - Operands: 1, optional, is an element or, if `isExampleStacked`, several along axis 0. A list without data takes over the shape of
///   the example's elements.
/// - Shapes: `[max(length, count), …]`. - DTypes: all.
/// - Sources: MIL `list_write`, `list_scatter`.
package struct GrowList: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("list", .state, .any), .init("like", .data, .any, isOptional: true),
    ], accuracy: .exact)

  package var count: IntArgument
  package var isExampleStacked: Bool
  package var name: String { "grow_list" }

  package init(count: IntArgument, isExampleStacked: Bool = false) {
    self.count = count
    self.isExampleStacked = isExampleStacked
  }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let list = try operands.tensor(0)
    guard list.rank > 0 else { throw .invalid("a list must have rank at least 1") }
    let count = max(try operands.int(count), list.shape[0])
    var element = Array(list.shape.dropFirst())
    if let example = operands.optionalTensor(1) {
      guard !isExampleStacked || example.rank > 0 else { throw .invalid("elements without an axis that counts them") }
      let shape = isExampleStacked ? Array(example.shape.dropFirst()) : example.shape
      guard shape == element || list.elementCount == 0 else { throw .invalid("an element \(shape) for a list of elements \(element)") }
      element = shape
    }
    return [.tensor(TensorType(list.dtype, [count] + element))]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let list = node.input(0)
    let output = node.outputs[0]
    if output.isEmpty || list == output { return }
    let length = list.isEmpty ? 0 : list.shape[0]
    if length > 0 {
      node.builder.emitCopy(
        from: list, to: output.sliced(axis: 0, start: 0, count: length, step: 1), source: node.source)
    }
    if length < output.shape[0] {
      let rest = output.sliced(axis: 0, start: length, count: output.shape[0] - length, step: 1)
      node.emit("zeros \(rest.shape)", bytes: Double(rest.byteCount), Fill.kernel(rest) { _ in .int(0) })
    }
  }
}
