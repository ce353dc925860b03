package import MartletGraph
import MartletTensor
import MartletVocabulary

extension BatchNorm {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    let gradient = try node.gradient()
    let shape = try node.shape(of: gradient)
    let epsilon = epsilon
    let variance = try node.operand(4)
    let factors = try node.pointwise("batch_norm_factors", [variance] + [node.optionalOperand(1)].compactMap { $0 }) { build, x in
      let scale = build.append(.unary(.rsqrt, build.append(.binary(.add, x[0], build.number(epsilon)))))
      if x.count > 1 { build.append(.binary(.mul, scale, x[1])) }
    }
    let channels = try node.reshaped(factors, [shape[1]] + shape.dropFirst(2).map { _ in 1 })
    return try node.only([
      try node.pointwise("batch_norm_gradient", [gradient, channels]) { build, x in build.append(.binary(.mul, x[0], x[1])) }
    ])
  }
}
