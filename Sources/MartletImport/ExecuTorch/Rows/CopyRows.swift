import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Copies, and conversions of dtype and memory layout.
let copyRows: CallTable = [
  "aten::_to_copy.out": { try $0.convert(0, out: 3) },
  "aten::clone.out": { try $0.convert(0, out: 2) },
  "aten::copy.out": { try $0.assign(out: 3) },
  "aten::copy_": { try $0.assign(out: 0) },
  "aten::lift_fresh_copy.out": { try $0.convert(0, out: 1) },
  "aten::_conj_physical.out": { call in
    guard try call.dtype(0).isComplex else { return try call.convert(0, out: 1) }
    try call.emit(ComplexPointwise(.conjugate, dtype: try call.dtype(1)), [try call.tensor(0)], out: 1)
  },
  "dim_order_ops::_clone_dim_order.out": { try $0.convert(0, out: 3) },
  "dim_order_ops::_to_dim_order_copy.out": { try $0.convert(0, out: 3) },
  "et_copy::_d2h_copy.out": { try $0.convert(0, out: 1) },
  "et_copy::_h2d_copy.out": { try $0.convert(0, out: 1) },
]

extension OperatorCall {
  /// The result is argument 1, broadcast to the shape of argument 0 and converted to the result's dtype.
  fileprivate mutating func assign(out: Int) throws {
    let target = try signature(0)
    // Read even if only its shape matters, because tensors that keep their value between calls are recognised by being read.
    let shape = try tensor(0)
    if let extents = target.fixedShape, try signature(1).fixedShape == extents { return try convert(1, out: out) }
    guard let type = ComputeType(for: try dtype(1)), !target.dtype.isComplex else {
      throw CallError("is not supported for broadcast \(try dtype(1)) elements")
    }
    try emit(
      Pointwise(.identity(as: type), dtype: try dtype(out), label: "copy"), [try tensor(1), shape], out: out)
  }
}
