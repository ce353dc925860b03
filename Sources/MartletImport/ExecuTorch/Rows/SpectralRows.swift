import MartletGraph
import MartletOps
import MartletTensor

/// Fourier and Hadamard transforms, distances.
let spectralRows: CallTable = [
  "aten::_fft_r2c.out": { call in
    let op = RealFourier(axes: try call.intList(1), scaling: try call.fourierScaling(2), isOneSided: try call.bool(3))
    try call.emit(op, [try call.tensor(0)], out: 4)
  },
  "aten::_fft_c2r.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let extent = try call.int(3, &operands)
    let op = InverseRealFourier(axes: try call.intList(1), scaling: try call.fourierScaling(2), lastExtent: extent)
    try call.emit(op, operands, out: 4)
  },
  "aten::_cdist_forward.out": { call in
    try call.emit(Distance(p: try call.double(2)), [try call.tensor(0), try call.tensor(1)], out: 4)
  },
  "aten::_pdist_forward.out": { call in
    try call.emit(PairDistance(p: try call.double(1)), [try call.tensor(0)], out: 2)
  },
  "llama::fast_hadamard_transform.out": { call in try call.emit(Hadamard(), [try call.tensor(0)], out: 1) },
]

extension OperatorCall {
  fileprivate func fourierScaling(_ position: Int) throws -> FourierScaling {
    guard let scaling = FourierScaling(rawValue: try int(position)) else {
      throw CallError("argument \(position) is \(try int(position)), not a normalisation of 0, 1 or 2")
    }
    return scaling
  }
}
