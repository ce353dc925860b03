import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Copies, and conversions of dtype and memory layout.
let copyRows: CallTable = [
  "aten::_to_copy.out(self, non_blocking, memory_format, out)": { try $0.convert("self", out: "out") },
  "aten::clone.out(self, memory_format, out)": { try $0.convert("self", out: "out") },
  "aten::copy.out(self, src, non_blocking, out)": { try $0.assign(out: "out") },
  "aten::copy_(self, src, non_blocking)": { try $0.assign(out: "self") },
  "aten::lift_fresh_copy.out(self, out)": { try $0.convert("self", out: "out") },
  "aten::_conj_physical.out(self, out)": { call in
    guard try call.dtype("self").isComplex else { return try call.convert("self", out: "out") }
    try call.emit(ComplexPointwise(.conjugate, dtype: try call.dtype("out")), [try call.tensor("self")], out: "out")
  },
  "dim_order_ops::_clone_dim_order.out(self, non_blocking, dim_order, out)": { try $0.convert("self", out: "out") },
  "dim_order_ops::_to_dim_order_copy.out(self, non_blocking, dim_order, out)": { try $0.convert("self", out: "out") },
  "llama::fallback.out(input, output)": { try $0.convert("input", out: "output") },
  "et_copy::_d2h_copy.out(self, out)": { try $0.convert("self", out: "out") },
  "et_copy::_h2d_copy.out(self, out)": { try $0.convert("self", out: "out") },
]

extension OperatorCall {
  /// The result is `src`, broadcast to the shape of `self` and converted to the result's dtype.
  fileprivate mutating func assign(out: ArgumentName) throws {
    let target = try signature("self")
    // Read even if only its shape matters, because tensors that keep their value between calls are recognised by being read.
    let shape = try tensor("self")
    if let extents = target.fixedShape, try signature("src").fixedShape == extents { return try convert("src", out: out) }
    guard let type = ComputeType(for: try dtype("src")), !target.dtype.isComplex else {
      throw CallError("is not supported for broadcast \(try dtype("src")) elements")
    }
    try emit(
      Pointwise(.identity(as: type), dtype: try dtype(out), label: "copy"), [try tensor("src"), shape], out: out)
  }
}
