import MartletGraph
import MartletOps
import MartletTensor

/// Fourier and Hadamard transforms, distances.
let spectralRows: CallTable = [
  "aten::_fft_r2c.out(self, dim, normalization, onesided, out)": { call in
    let op = RealFourier(axes: try call.intList("dim"), scaling: try call.fourierScaling(), isOneSided: try call.bool("onesided"))
    try call.emit(op, [try call.tensor("self")], out: "out")
  },
  "aten::_fft_c2r.out(self, dim, normalization, last_dim_size, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let extent = try call.int("last_dim_size", &operands)
    let op = InverseRealFourier(axes: try call.intList("dim"), scaling: try call.fourierScaling(), lastExtent: extent)
    try call.emit(op, operands, out: "out")
  },
  "aten::_cdist_forward.out(x1, x2, p, compute_mode, out)": { call in
    try call.emit(Distance(p: try call.double("p")), [try call.tensor("x1"), try call.tensor("x2")], out: "out")
  },
  "aten::_pdist_forward.out(self, p, out)": { call in
    try call.emit(PairDistance(p: try call.double("p")), [try call.tensor("self")], out: "out")
  },
  "llama::fast_hadamard_transform.out(mat, out)": { call in try call.emit(Hadamard(), [try call.tensor("mat")], out: "out") },
]

extension OperatorCall {
  fileprivate func fourierScaling() throws -> FourierScaling {
    guard let scaling = FourierScaling(rawValue: try int("normalization")) else {
      throw CallError("argument 'normalization' is \(try int("normalization")), not a normalisation of 0, 1 or 2")
    }
    return scaling
  }
}
