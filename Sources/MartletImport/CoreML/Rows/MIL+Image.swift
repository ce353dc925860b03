import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Resizing, cropping and sampling of images.
let milImageRows: MILCallTable = [
  // align_corners, half_pixel_centers: !align_corners unless given
  "upsample_bilinear": { call in
    let aligns = try call.bool("align_corners", default: true)
    let mode = try SamplingMode(alignCorners: aligns, halfPixelCenters: try call.bool("half_pixel_centers", default: !aligns))
    try call.upsample(mode, takesNearest: false)
  },
  "upsample_nearest_neighbor": { try $0.upsample(.regular, takesNearest: true) },
  "resize_bilinear": { call in
    try call.resize(
      height: .constant(try call.int("target_size_height", default: 1)), width: .constant(try call.int("target_size_width", default: 1)),
      try call.samplingMode(), takesNearest: false)
  },
  "resize_nearest_neighbor": { call in
    try call.resize(
      height: .constant(try call.int("target_size_height")), width: .constant(try call.int("target_size_width")), .unalignCorners,
      takesNearest: true)
  },
  // shape, resized_dims: number of its last elements that apply; an extent of 0 is kept
  "resize": { call in
    let interpolation = try call.string("interpolation_mode", default: "LINEAR").uppercased()
    guard interpolation == "LINEAR" || interpolation == "NEAREST_NEIGHBOR" else {
      throw CallError("interpolation_mode \"\(interpolation)\" is not known")
    }
    let count = try call.int("resized_dims")
    guard let shape = try call.numbers("shape"), count >= 0, count <= shape.count else {
      throw CallError("resized_dims and the length of shape do not fit")
    }
    let takesNearest = interpolation == "NEAREST_NEIGHBOR"
    var mode = try call.samplingMode()
    // By default, the nearest pixel is the one that contains the centre of the result's pixel, as in resize_nearest_neighbor.
    if takesNearest, mode == .regular { mode = .unalignCorners }
    let (op, operands) = try call.resizing(
      try call.tensor("x"), to: Array(shape.suffix(count)), mode, takesNearest: takesNearest)
    try call.emit(op, operands)
  },
  // roi [N, 1, 4 or 5, 1, 1]; since iOS 17 boxes [N, 4] and box_indices [N]
  "crop_resize": { call in
    let x = try call.tensor("x")
    let mode = try call.samplingMode()
    // With coordinates of pixel areas, the image is mirrored outside unless the program has a padding value. 0 counts as none, because
    // converters also write the default.
    let pad = Float(try call.double("pad_value", default: 0))
    let padding = mode == .unalignCorners && pad == 0 ? nil : pad
    let op = CropResize(
      height: .constant(try call.int("target_height", default: 1)), width: .constant(try call.int("target_width", default: 1)),
      sampling: CropSampling(
        mode: mode, boxForm: try call.boxForm(), isNormalized: try call.bool("normalized_coordinates", default: false),
        scale: Float(try call.double("spatial_scale", default: 1)), padding: padding))
    if call.has("boxes") {
      let boxes = try call.tensor("boxes")
      let indices = try call.optionalTensor("box_indices") ?? call.positions(of: boxes, axis: 0, rank: 1)
      return try call.emit(op, [x, boxes, indices])
    }
    let roi = try call.tensor("roi")
    let extents = try call.extents(of: roi)
    guard extents.count == 5, let width = extents[2].known?.intValue, width == 4 || width == 5 else {
      throw CallError("roi is not a list of boxes of 4 or 5 numbers")
    }
    let boxes = try call.reshaped(roi, [extents[0], extents[2]])
    if width == 4 { return try call.emit(op, [x, boxes, nil]) }
    var signature = try call.outputSignature()
    guard signature.rank == 5 else { throw CallError("the result has rank \(signature.rank), not 5") }
    signature.dimensions.remove(at: 1)
    try call.set(try call.unsqueezed(call.intermediate(op, [x, boxes, nil], signature), axis: 1))
  },
  "resample": { call in
    try call.emit(PlaneSample(try call.planeSampling()), [try call.tensor("x"), try call.tensor("coordinates")])
  },
  "affine": { call in
    let size = [IntArgument.constant(try call.int("output_height")), .constant(try call.int("output_width"))]
    try call.emit(
      PlaneSample(try call.planeSampling(), size: size), [try call.tensor("x"), try call.tensor("transform_matrix")])
  },
]

extension MILCall {
  fileprivate func samplingMode() throws -> SamplingMode {
    try SamplingMode(name: try string("sampling_mode", default: "DEFAULT"))
  }

  fileprivate func boxForm() throws -> CropSampling.BoxForm {
    let name = try string("box_coordinate_mode", default: "CORNERS_HEIGHT_FIRST").uppercased()
    switch name {
    case "CORNERS_HEIGHT_FIRST": return .corners(widthFirst: false)
    case "CORNERS_WIDTH_FIRST": return .corners(widthFirst: true)
    case "CENTER_SIZE_HEIGHT_FIRST": return .centerSize(widthFirst: false)
    case "CENTER_SIZE_WIDTH_FIRST": return .centerSize(widthFirst: true)
    default: throw CallError("box_coordinate_mode \"\(name)\" is not known")
    }
  }

  fileprivate func planeSampling() throws -> PlaneSampling {
    let sampling = try string("sampling_mode").lowercased()
    guard sampling == "bilinear" || sampling == "nearest" else { throw CallError("sampling_mode \"\(sampling)\" is not known") }
    let padding: PlaneSampling.Padding
    let paddingName = try string("padding_mode").lowercased()
    switch paddingName {
    case "constant": padding = .constant(Float(try double("padding_value", default: 0)))
    case "border": padding = .border
    case "reflection": padding = .reflection
    case "symmetric": padding = .symmetric
    default: throw CallError("padding_mode \"\(paddingName)\" is not known")
    }
    let coordinates: PlaneSampling.Coordinates
    let coordinatesName = try string("coordinates_mode").lowercased()
    switch coordinatesName {
    case "unnormalized": coordinates = .pixels
    case "normalized_minus_one_to_one": coordinates = .minusOneToOne
    case "normalized_zero_to_one": coordinates = .zeroToOne
    default: throw CallError("coordinates_mode \"\(coordinatesName)\" is not known")
    }
    return PlaneSampling(
      takesNearest: sampling == "nearest", padding: padding, coordinates: coordinates,
      alignCorners: try bool("align_corners", default: true))
  }

  fileprivate mutating func resize(height: IntArgument, width: IntArgument, _ mode: SamplingMode, takesNearest: Bool) throws {
    try emit(
      SampledResize(height: .count(height), width: .count(width), mode: mode, takesNearest: takesNearest), [try tensor("x")])
  }

  /// Resizes by factors.
  fileprivate mutating func upsample(_ mode: SamplingMode, takesNearest: Bool) throws {
    let factors = (height: try double("scale_factor_height", default: 1), width: try double("scale_factor_width", default: 1))
    try emit(try scaling(try outputSignature(), factors, mode, takesNearest: takesNearest), [try tensor("x")])
  }
}
