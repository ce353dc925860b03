package import MartletGraph
import MartletTensor

extension NodeGradients {
  /// The gradient of an operand that has the elements of the result in the same order.
  fileprivate func withOperandShape() throws(OperatorError) -> [ValueID?] {
    try only([reshaped(try gradient(), try shape(of: try operand(0)))])
  }
}

extension Reshape {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] { try node.withOperandShape() }
}

extension Squeeze {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] { try node.withOperandShape() }
}

extension Unsqueeze {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] { try node.withOperandShape() }
}

extension Permute {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    var inverse = axes
    for (position, axis) in axes.enumerated() { inverse[try normalAxis(axis, rank: axes.count)] = position }
    return [try node.permuted(try node.gradient(), inverse)]
  }
}

extension Expand {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    try node.only([node.summed(try node.gradient(), toShape: try node.shape(of: try node.operand(0)))])
  }
}

extension Slice {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    let gradient = try node.gradient()
    let (whole, part) = (try node.shape(of: try node.operand(0)), try node.shape(of: gradient))
    let axis = try normalAxis(axis, rank: whole.count)
    guard range.step == 1, case .constant(let start) = range.start else { throw .unsupported("the derivative of \(name) with steps") }
    // In range: positions on an axis.
    let before = min(start < 0 ? start + whole[axis] : start, whole[axis])
    // In range: positions on an axis.
    let after = whole[axis] - before - part[axis]
    let other = whole.count - axis - 1
    let zeros = Array(repeating: IntArgument.constant(0), count: other)
    let pad = Pad(.constant, before: [.constant(before)] + zeros, after: [.constant(after)] + zeros)
    return try node.only([node.apply(pad, [gradient, node.differentiation.constant(.double(0))])])
  }
}
