import MartletGraph
import MartletOps
import MartletTensor

/// Matrix products.
let linearAlgebraRows: CallTable = [
  "aten::mm.out(self, mat2, out)": { call in
    try call.emit(MatMul(dtype: try call.dtype("out")), [try call.tensor("self"), try call.tensor("mat2")], out: "out")
  },
  "aten::bmm.out(self, mat2, out)": { call in
    try call.emit(MatMul(dtype: try call.dtype("out")), [try call.tensor("self"), try call.tensor("mat2")], out: "out")
  },
  "aten::addmm.out(self, mat1, mat2, beta, alpha, out)": { call in
    let bias = try call.tensor("self")
    let alpha = try call.double("alpha")
    let beta = try call.double("beta")
    let op = MatMul(dtype: try call.dtype("out"), alpha: alpha, beta: beta)
    let matrices = [try call.tensor("mat1"), try call.tensor("mat2")]
    let shape = try call.signature("self").fixedShape
    let columns = try call.signature("mat2").dimensions.last
    if beta == 1, let shape, shape.count == 1, columns == .fixed(shape[0]) {
      try call.emit(op, matrices + [bias], out: "out")
    } else if beta == 0 {
      try call.emit(op, matrices, out: "out")
    } else {
      try call.emit(op, matrices + [nil, bias], out: "out")
    }
  },
  "aten::linear.out(input, weight, bias, out)": { call in
    let x = try call.tensor("input")
    let weight = try call.tensor("weight")
    let bias = try call.optionalTensor("bias")
    let out = try call.signature("out")
    let declared = try call.signature("weight")
    guard declared.rank == 2 else { throw CallError("a weight of rank \(declared.rank) is not supported") }
    let transposed = call.intermediate(
      Permute(axes: [1, 0]), [weight], TensorSignature(dtype: declared.dtype, dimensions: declared.dimensions.reversed()))
    if try call.rank("input") == 1 {
      let dimensions = try call.signature("input").dimensions
      let row = call.intermediate(
        Reshape(shape: [.constant(1), .constant(-1)]), [x],
        TensorSignature(dtype: try call.dtype("input"), dimensions: [.fixed(1)] + dimensions))
      let product = call.intermediate(
        MatMul(dtype: out.dtype), [row, transposed, bias], TensorSignature(dtype: out.dtype, dimensions: [.fixed(1)] + out.dimensions))
      try call.emit(Reshape(shape: [.constant(-1)]), [product], out: "out")
    } else {
      try call.emit(MatMul(dtype: out.dtype), [x, transposed, bias], out: "out")
    }
  },
]
