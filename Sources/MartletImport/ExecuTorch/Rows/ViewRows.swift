import MartletGraph
import MartletOps
import MartletTensor

/// Operators that only reinterpret their operand.
let viewRows: CallTable = [
  "aten::permute_copy.out": { call in
    try call.emit(Permute(axes: try call.intList(1)), [try call.tensor(0)], out: 2)
  },
  "aten::t_copy.out": { call in
    let x = try call.tensor(0)
    try call.emit(Permute(axes: try call.rank(0) < 2 ? Array(0..<(try call.rank(0))) : [1, 0]), [x], out: 1)
  },
  "aten::transpose_copy.int_out": { call in
    let rank = try call.rank(0)
    var axes = Array(0..<rank)
    guard let a = Shape.normalizedAxis(try call.int(1), rank: rank), let b = Shape.normalizedAxis(try call.int(2), rank: rank) else {
      throw CallError("axes \(try call.int(1)) and \(try call.int(2)) do not fit rank \(rank)")
    }
    if rank > 0 { axes.swapAt(a, b) }
    try call.emit(Permute(axes: axes), [try call.tensor(0)], out: 3)
  },
  "aten::view_copy.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let shape = try call.intList(1, &operands)
    try call.emit(Reshape(shape: shape), operands, out: 2)
  },
  "executorch_prim::et_view.default": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let shape = try call.intList(1, &operands)
    try call.emit(Reshape(shape: shape), operands, out: 2)
  },
]
