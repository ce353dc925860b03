import MartletGraph
import MartletOps
import MartletTensor

extension GraphWriting {
  /// The operator and operands for `beta × addend + alpha × a b`. A factor of 0 stands for no addend.
  func sum(
    _ addend: ValueID, ofProduct a: ValueID, _ b: ValueID, beta: Double, alpha: Double, dtype: DType
  ) throws(CallError) -> (op: MatMul, operands: [ValueID?]) {
    let op = MatMul(dtype: dtype, alpha: alpha, beta: beta)
    let shape = try signature(of: addend).fixedShape
    if beta == 1, let shape, shape.count == 1, try signature(of: b).dimensions.last == .fixed(shape[0]) { return (op, [a, b, addend]) }
    return (op, beta == 0 ? [a, b] : [a, b, nil, addend])
  }
}
