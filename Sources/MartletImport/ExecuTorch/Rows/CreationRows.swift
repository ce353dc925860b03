import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Tensors made from numbers: fill, full, arange and the like.
let creationRows: CallTable = [
  "aten::arange.out(end, out)": { call in
    let start = call.number(.int(0))
    let step = call.number(.int(1))
    try call.emit(NumberRange(dtype: try call.dtype("out")), [start, try call.scalarValue("end"), step], out: "out")
  },
  "aten::arange.start_out(start, end, step, out)": { call in
    let operands = [try call.scalarValue("start"), try call.scalarValue("end"), try call.scalarValue("step")]
    try call.emit(NumberRange(dtype: try call.dtype("out")), operands, out: "out")
  },
  // The elements of an `empty` tensor are unspecified.
  "aten::empty.out(size, memory_format, out)": { try $0.full(.int(0)) },
  "dim_order_ops::_empty_dim_order.out(size, dim_order, out)": { try $0.full(.int(0)) },
  "aten::zeros.out(size, out)": { try $0.full(.int(0)) },
  "aten::ones.out(size, out)": { try $0.full(.int(1)) },
  "aten::full.out(size, fill_value, out)": { call in
    var operands: [ValueID?] = [try call.scalarValue("fill_value")]
    let shape = try call.intList("size", &operands)
    try call.emit(Full(shape: shape, dtype: try call.dtype("out"), isStrict: true), operands, out: "out")
  },
  "aten::full_like.out(self, fill_value, memory_format, out)": { try $0.fill("fill_value") },
  "aten::fill.Scalar_out(self, value, out)": { try $0.fill("value") },
  "aten::fill.Tensor_out(self, value, out)": { call in
    guard let type = ComputeType(for: try call.dtype("value")), try !call.dtype("out").isComplex else {
      throw CallError("is not supported for complex elements")
    }
    let operands = [try call.tensor("value"), try call.tensor("self")]
    try call.emit(Pointwise(.identity(as: type), dtype: try call.dtype("out"), label: "fill"), operands, out: "out")
  },
  "aten::scalar_tensor.out(s, out)": { call in
    try call.emit(Full(shape: [], dtype: try call.dtype("out"), isStrict: true), [try call.scalarValue("s")], out: "out")
  },
  "executorch_prim::et_copy_index.tensor(copy_to, copy_from, index)": { call in
    let target = try call.signature("copy_to")
    guard let count = target.dimensions.first else { throw CallError("argument 'copy_to' has no axes") }
    let grows = if case .symbolic = count { true } else { false }
    let operands = [try call.scope.readOrZeros(call.index("copy_to")), try call.tensor("copy_from"), try call.scalarValue("index")]
    try call.emit(WriteRow(grows: grows), operands, out: "copy_to")
  },
]

extension OperatorCall {
  /// A tensor of the shape `size`, filled with a number.
  fileprivate mutating func full(_ value: Scalar) throws {
    var operands: [ValueID?] = [number(value)]
    let shape = try intList("size", &operands)
    try emit(Full(shape: shape, dtype: try dtype("out")), operands, out: "out")
  }

  /// A tensor with the shape of `self`, filled with a number.
  fileprivate mutating func fill(_ value: ArgumentName) throws {
    try emit(Full(shape: nil, dtype: try dtype("out"), isStrict: true), [try scalarValue(value), try tensor("self")], out: "out")
  }
}
