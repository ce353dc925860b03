package import MartletGraph
import MartletTensor

extension Concat {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    let gradient = try node.gradient()
    let axis = try normalAxis(axis, rank: try node.shape(of: gradient).count)
    var found: [ValueID?] = []
    var start: Extent = 0
    for index in 0..<node.operandCount {
      let shape = try node.shape(of: try node.operand(index))
      guard shape.count > axis else { throw .unsupported("the derivative of an empty part") }
      found.append(node.wants(index) ? try node.sliced(gradient, axis: axis, start: start.clamped, count: shape[axis]) : nil)
      start += shape[axis]
    }
    return found
  }
}

extension Pad {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    func negated(_ amounts: [IntArgument]) throws(OperatorError) -> [IntArgument] {
      var result: [IntArgument] = []
      for amount in amounts {
        guard case .constant(let count) = amount, let opposite = (Extent(0) - count).value else {
          throw .unsupported("the derivative of padding by a computed amount")
        }
        result.append(.constant(opposite))
      }
      return result
    }
    guard mode == .constant else { throw .unsupported("the derivative of \(mode) padding") }
    let crop = Pad(.constant, before: try negated(before), after: try negated(after))
    return try node.only([node.apply(crop, [try node.gradient(), node.differentiation.constant(.double(0))])])
  }
}
