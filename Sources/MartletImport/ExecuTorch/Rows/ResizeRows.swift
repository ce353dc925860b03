import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Resizing and resampling.
let resizeRows: CallTable = [
  "aten::upsample_nearest2d.vec_out(input, output_size, scale_factors, out)": { call in
    var operands: [ValueID?] = [try call.tensor("input")]
    let size = try call.isNone("output_size") ? nil : try call.intList("output_size", &operands)
    let target = ResizeTarget(size: size, factors: try call.optionalDoubleList("scale_factors"))
    try call.emit(ResizeNearest(target: target), operands, out: "out")
  },
  "aten::upsample_bilinear2d.vec_out(input, output_size, align_corners, scale_factors, out)": { call in
    var operands: [ValueID?] = [try call.tensor("input")]
    let size = try call.isNone("output_size") ? nil : try call.intList("output_size", &operands)
    let target = ResizeTarget(size: size, factors: try call.optionalDoubleList("scale_factors"))
    try call.emit(
      ResizeBilinear(target: target, alignCorners: try call.bool("align_corners"), antialiases: false), operands, out: "out")
  },
  "aten::_upsample_bilinear2d_aa.out(self, output_size, align_corners, scales_h, scales_w, out)": { call in
    var operands: [ValueID?] = [try call.tensor("self")]
    let size = try call.intList("output_size", &operands)
    var factors: [Double]?
    if let height = try call.optionalDouble("scales_h"), let width = try call.optionalDouble("scales_w") { factors = [height, width] }
    let op = ResizeBilinear(
      target: ResizeTarget(size: size, factors: factors), alignCorners: try call.bool("align_corners"), antialiases: true)
    try call.emit(op, operands, out: "out")
  },
  "aten::grid_sampler_2d.out(input, grid, interpolation_mode, padding_mode, align_corners, out)": { call in
    guard let interpolation = GridSampling.Interpolation(rawValue: try call.int("interpolation_mode")),
      let padding = GridSampling.Padding(rawValue: try call.int("padding_mode"))
    else { throw CallError("has no mode \(try call.int("interpolation_mode")) with padding \(try call.int("padding_mode"))") }
    let sampling = GridSampling(interpolation, padding, alignCorners: try call.bool("align_corners"))
    try call.emit(GridSample(sampling), [try call.tensor("input"), try call.tensor("grid")], out: "out")
  },
]
