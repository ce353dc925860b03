package import MartletGraph
import MartletTensor
import MartletVocabulary

extension Convolution {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    guard activation == .none, dtype == .float32, node.optionalOperand(3) == nil, node.optionalOperand(4) == nil else {
      throw .unsupported("the derivative of a convolution with further terms")
    }
    let gradient = try node.gradient()
    let (x, weight) = (try node.operand(0), try node.operand(1))
    var found: [ValueID?] = [nil, nil, nil]
    if node.wants(0) {
      let adjoint = try adjoint(to: try node.shape(of: x), of: try node.shape(of: gradient), try node.shape(of: weight))
      found[0] = try node.apply(adjoint, [gradient, weight])
    }
    if node.wants(1) { found[1] = try node.apply(ConvolutionGradient(self, wanted: [false, true, false]), [gradient, x, weight]) }
    if let bias = node.optionalOperand(2), node.wants(2) {
      let rank = try node.shape(of: gradient).count
      found[2] = try node.reshaped(try node.summed(gradient, [0] + Array(2..<rank)), try node.shape(of: bias))
    }
    return try node.only(Array(found.prefix(node.operandCount)))
  }

  /// The convolution in the other direction: transposed if this one is not. It has the same weights.
  /// - Parameters:
  ///   - input: the shape of this convolution's operand.
  ///   - output: that of its result.
  private func adjoint(to input: [Int], of output: [Int], _ weight: [Int]) throws(OperatorError) -> Convolution {
    var result = self
    result.isTransposed = !isTransposed
    result.outputPadding = stride.map { _ in 0 }
    if isTransposed { return result }
    for axis in stride.indices {
      let reach = Extent(dilation[axis]) * (weight[axis + 2] - 1) + 1
      let full = (Extent(output[axis + 2]) - 1) * stride[axis] + reach - padding[axis].before - padding[axis].after
      guard let rest = (Extent(input[axis + 2]) - full).value, rest >= 0 else { throw .unsupported("the derivative of a cropped operand") }
      result.outputPadding[axis] = rest
    }
    return result
  }
}
