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
    let (op, operands) = try call.sum(
      try call.tensor("self"), ofProduct: try call.tensor("mat1"), try call.tensor("mat2"), beta: try call.double("beta"),
      alpha: try call.double("alpha"), dtype: try call.dtype("out"))
    try call.emit(op, operands, out: "out")
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
