package import MartletGraph
package import MartletTensor

/// The operand broadcast to a shape.
/// - Shapes: axes of extent 1 and new leading axes take any extent; -1 keeps the operand's extent.
/// - DTypes: all.
/// - Sources: ATen `expand_copy.out`; MIL `expand_dims` with `tile` of ones.
package struct Expand: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var shape: [IntArgument]
  package var name: String { "expand" }

  package init(shape: [IntArgument]) { self.shape = shape }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    var target = try operands.ints(shape)
    guard target.count >= x.rank else { throw .invalid("\(x.shape) cannot be expanded to \(target)") }
    for axis in target.indices {
      let own = axis - (target.count - x.rank)
      if target[axis] == -1, own >= 0 { target[axis] = x.shape[own] }
      guard target[axis] >= 0, own < 0 || x.shape[own] == 1 || x.shape[own] == target[axis] else {
        throw .invalid("\(x.shape) cannot be expanded to \(target)")
      }
    }
    return [.tensor(TensorType(x.dtype, target))]
  }

  package var traits: OperatorTraits { .movesElements.union(.isIdentityForEqualShapes) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0), shape.count >= x.count else { return nil }
    let missing = shape.count - x.count
    return shape.enumerated().map { axis, argument in
      if case .constant(-1) = argument, axis >= missing { return x[axis - missing] }
      return operands.extent(argument)
    }
  }

  package func alias(_ node: NodePlan) -> TensorView? { node.input(0).broadcast(to: node.outputType(0).shape) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    throw .invalid("a broadcast is always a view")
  }
}
