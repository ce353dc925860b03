import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Resizing and resampling.
let resizeRows: CallTable = [
  // input, output_size?, scale_factors?
  "aten::upsample_nearest2d.vec_out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let size = try call.isNone(1) ? nil : try call.intList(1, &operands)
    let target = ResizeTarget(size: size, factors: try call.optionalDoubleList(2))
    try call.emit(ResizeNearest(target: target), operands, out: 3)
  },
  // input, output_size?, align_corners, scale_factors?
  "aten::upsample_bilinear2d.vec_out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let size = try call.isNone(1) ? nil : try call.intList(1, &operands)
    let target = ResizeTarget(size: size, factors: try call.optionalDoubleList(3))
    try call.emit(
      ResizeBilinear(target: target, alignCorners: try call.bool(2), antialiases: false), operands, out: 4)
  },
  // self, output_size, align_corners, scales_h?, scales_w?
  "aten::_upsample_bilinear2d_aa.out": { call in
    var operands: [ValueID?] = [try call.tensor(0)]
    let size = try call.intList(1, &operands)
    var factors: [Double]?
    if let height = try call.optionalDouble(3), let width = try call.optionalDouble(4) { factors = [height, width] }
    let op = ResizeBilinear(
      target: ResizeTarget(size: size, factors: factors), alignCorners: try call.bool(2), antialiases: true)
    try call.emit(op, operands, out: 5)
  },
  // input, grid, interpolation_mode, padding_mode, align_corners
  "aten::grid_sampler_2d.out": { call in
    guard let interpolation = GridSampling.Interpolation(rawValue: try call.int(2)),
      let padding = GridSampling.Padding(rawValue: try call.int(3))
    else { throw CallError("has no mode \(try call.int(2)) with padding \(try call.int(3))") }
    let sampling = GridSampling(interpolation, padding, alignCorners: try call.bool(4))
    try call.emit(GridSample(sampling), [try call.tensor(0), try call.tensor(1)], out: 5)
  },
]
