import MartletGraph
import MartletOps
import MartletTensor

/// Matrix products.
let linearAlgebraRows: CallTable = [
  "aten::mm.out": { call in
    try call.emit(MatMul(dtype: try call.dtype(2)), [try call.tensor(0), try call.tensor(1)], out: 2)
  },
  "aten::bmm.out": { call in
    try call.emit(MatMul(dtype: try call.dtype(2)), [try call.tensor(0), try call.tensor(1)], out: 2)
  },
  // self, mat1, mat2, beta, alpha
  "aten::addmm.out": { call in
    let bias = try call.tensor(0)
    let alpha = try call.double(4)
    let beta = try call.double(3)
    let op = MatMul(dtype: try call.dtype(5), alpha: alpha, beta: beta)
    let matrices = [try call.tensor(1), try call.tensor(2)]
    let shape = try call.signature(0).fixedShape
    let columns = try call.signature(2).dimensions.last
    if beta == 1, let shape, shape.count == 1, columns == .fixed(shape[0]) {
      try call.emit(op, matrices + [bias], out: 5)
    } else if beta == 0 {
      try call.emit(op, matrices, out: 5)
    } else {
      try call.emit(op, matrices + [nil, bias], out: 5)
    }
  },
  // input, weight [out, in], bias?
  "aten::linear.out": { call in
    let x = try call.tensor(0)
    let weight = try call.tensor(1)
    let bias = try call.optionalTensor(2)
    let out = try call.signature(3)
    let declared = try call.signature(1)
    guard declared.rank == 2 else { throw CallError("a weight of rank \(declared.rank) is not supported") }
    let transposed = call.intermediate(
      Permute(axes: [1, 0]), [weight], TensorSignature(dtype: declared.dtype, dimensions: declared.dimensions.reversed()))
    if try call.rank(0) == 1 {
      let dimensions = try call.signature(0).dimensions
      let row = call.intermediate(
        Reshape(shape: [.constant(1), .constant(-1)]), [x],
        TensorSignature(dtype: try call.dtype(0), dimensions: [.fixed(1)] + dimensions))
      let product = call.intermediate(
        MatMul(dtype: out.dtype), [row, transposed, bias], TensorSignature(dtype: out.dtype, dimensions: [.fixed(1)] + out.dimensions))
      try call.emit(Reshape(shape: [.constant(-1)]), [product], out: 3)
    } else {
      try call.emit(MatMul(dtype: out.dtype), [x, transposed, bias], out: 3)
    }
  },
]
