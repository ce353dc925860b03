package import MartletGraph
import MartletTensor
import MartletVocabulary

extension MatMul {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    guard activation == .none, alpha == 1, dtype == .float32, node.optionalOperand(3) == nil else {
      throw .unsupported("the derivative of a matrix product with further terms")
    }
    let gradient = try node.gradient()
    let (a, b) = (try node.operand(0), try node.operand(1))
    let (first, second) = (try node.shape(of: a), try node.shape(of: b))
    let columns = try node.shape(of: gradient).last ?? 1
    var found: [ValueID?] = [nil, nil, nil]
    if node.wants(0) {
      let product = try node.apply(MatMul(dtype: .float32), [gradient, try node.transposed(b)])
      found[0] = try node.summed(product, toShape: first)
    }
    if node.wants(1) {
      if second.count == 2, first.count > 2, let inner = first.last, let rows = Shape.elementCount(Array(first.dropLast())) {
        // All matrices are multiplied with the same one.
        let (x, y) = (try node.reshaped(a, [rows, inner]), try node.reshaped(gradient, [rows, columns]))
        found[1] = try node.apply(MatMul(dtype: .float32), [try node.transposed(x), y])
      } else {
        let product = try node.apply(MatMul(dtype: .float32), [try node.transposed(a), gradient])
        found[1] = try node.summed(product, toShape: second)
      }
    }
    if node.wants(2) { found[2] = try node.summed(gradient, toShape: [columns]) }
    return try node.only(Array(found.prefix(node.operandCount)))
  }
}
