package import MartletGraph
import MartletKernels
import MartletTensor

/// A list of tensors, operand 0 with the elements along axis 0, made at least `count` elements long; new elements are zeros.
/// - Operands: 1, if it is there, has the shape of an element, which a list without any elements' data takes over.
/// - Shapes: `[max(length, count), …]`. - DTypes: all.
/// - Sources: MIL `list_write`, `list_scatter`.
package struct GrowList: PlannedOperator {
  package var count: IntArgument
  package var name: String { "grow_list" }

  package init(count: IntArgument) { self.count = count }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let list = try operands.tensor(0)
    guard list.rank > 0 else { throw .invalid("a list without an axis of elements") }
    let count = max(try operands.int(count), list.shape[0])
    var element = Array(list.shape.dropFirst())
    if let like = operands.optionalTensor(1), like.shape != element {
      guard list.elementCount == 0 else { throw .invalid("an element \(like.shape) for a list of elements \(element)") }
      element = like.shape
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
