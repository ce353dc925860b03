import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Tensors made from numbers: fill, full, arange and the like.
let creationRows: CallTable = [
  "aten::arange.out": { call in
    let start = call.number(.int(0))
    let step = call.number(.int(1))
    try call.emit(NumberRange(dtype: try call.dtype(1)), [start, try call.scalarValue(0), step], out: 1)
  },
  "aten::arange.start_out": { call in
    let operands = [try call.scalarValue(0), try call.scalarValue(1), try call.scalarValue(2)]
    try call.emit(NumberRange(dtype: try call.dtype(3)), operands, out: 3)
  },
  // The elements of an `empty` tensor are unspecified.
  "aten::empty.out": { try $0.full(.int(0), out: 2) },
  "dim_order_ops::_empty_dim_order.out": { try $0.full(.int(0), out: 2) },
  "aten::zeros.out": { try $0.full(.int(0), out: 1) },
  "aten::ones.out": { try $0.full(.int(1), out: 1) },
  "aten::full.out": { call in
    var operands: [ValueID?] = [try call.scalarValue(1)]
    let shape = try call.intList(0, &operands)
    try call.emit(Full(shape: shape, dtype: try call.dtype(2)), operands, out: 2)
  },
  "aten::full_like.out": { try $0.fill(out: 3) },
  "aten::fill.Scalar_out": { try $0.fill(out: 2) },
  "aten::fill.Tensor_out": { call in
    guard let type = ComputeType(for: try call.dtype(1)), try !call.dtype(2).isComplex else {
      throw CallError("is not supported for complex elements")
    }
    let operands = [try call.tensor(1), try call.tensor(0)]
    try call.emit(Pointwise(.identity(as: type), dtype: try call.dtype(2), label: "fill"), operands, out: 2)
  },
  "aten::scalar_tensor.out": { call in
    try call.emit(Full(shape: [], dtype: try call.dtype(1)), [try call.scalarValue(0)], out: 1)
  },
  "executorch_prim::et_copy_index.tensor": { call in
    let target = try call.signature(0)
    guard let count = target.dimensions.first else { throw CallError("argument 0 has no axes") }
    let grows = if case .symbolic = count { true } else { false }
    let operands = [try call.scope.readOrZeros(call.arguments[0]), try call.tensor(1), try call.scalarValue(2)]
    try call.emit(WriteRow(grows: grows), operands, out: 0)
  },
]

extension OperatorCall {
  /// A tensor with the shape in argument 0, filled with a number.
  fileprivate mutating func full(_ value: Scalar, out: Int) throws {
    var operands: [ValueID?] = [number(value)]
    let shape = try intList(0, &operands)
    try emit(Full(shape: shape, dtype: try dtype(out)), operands, out: out)
  }

  /// A tensor with the shape of argument 0, filled with the number in argument 1.
  fileprivate mutating func fill(out: Int) throws {
    try emit(Full(shape: nil, dtype: try dtype(out)), [try scalarValue(1), try tensor(0)], out: out)
  }
}
