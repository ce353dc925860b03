import MartletGraph
import MartletVocabulary
import MartletOps
import MartletTensor

/// Sampling grids of resize operators. Formats select one by flags or names; `SamplingMode` has the formulas.
extension SamplingMode {
  /// The grid of an upsampling layer with the two flags of Core ML and TensorFlow.
  init(alignCorners: Bool, halfPixelCenters: Bool) throws(CallError) {
    switch (alignCorners, halfPixelCenters) {
    case (true, false): self = .strictAlignCorners
    case (false, true): self = .unalignCorners
    case (false, false): self = .regular
    case (true, true): throw CallError("align_corners together with half_pixel_centers is not supported")
    }
  }

  /// - Parameter name: the name in Core ML's formats, e.g. `STRICT_ALIGN_CORNERS`.
  init(name: String) throws(CallError) {
    switch name.uppercased() {
    case "STRICT_ALIGN_CORNERS": self = .strictAlignCorners
    case "ALIGN_CORNERS": self = .alignCorners
    case "DEFAULT": self = .regular
    case "OFFSET_CORNERS": self = .offsetCorners
    case "UNALIGN_CORNERS": self = .unalignCorners
    default: throw CallError("the sampling mode \"\(name)\" is not known")
    }
  }
}

extension GraphWriting {
  /// The operator and operands that resize the last axes of `x`. Axes before the last two are resized here one at a time, because linear
  /// interpolation is separable.
  ///
  /// - Parameter extents: extents of the last axes of the result; 0 keeps an extent.
  func resizing(
    _ x: ValueID, to extents: [GraphNumber], _ mode: SamplingMode, takesNearest: Bool
  ) throws(CallError) -> (op: SampledResize, operands: [ValueID?]) {
    let rank = try signature(of: x).rank
    guard extents.count <= rank else { throw CallError("\(extents.count) axes of rank \(rank) are resized") }
    var (x, targets) = (x, extents)
    while targets.count > 2 {
      let axis = rank - targets.count
      let target = targets.removeFirst()
      if target.known?.intValue == 0 { continue }
      var shape = try self.extents(of: x)
      let rest = try product(of: x, axes: axis + 1..<rank)
      let lines = try reshaped(x, Array(shape[...axis]) + [rest])
      var operands: [ValueID?] = [lines]
      let height = try intArguments([target], "shape", &operands)[0]
      var signature = try signature(of: lines)
      signature.dimensions[axis] = .symbolic(bound: nil)
      if case .constant(let extent) = height { signature.dimensions[axis] = .fixed(extent) }
      let op = SampledResize(height: .count(height), width: .count(.constant(0)), mode: mode, takesNearest: takesNearest)
      let resized = intermediate(op, operands, signature)
      shape[axis] = try extent(of: resized, axis: axis)
      x = try reshaped(resized, shape)
    }
    var operands: [ValueID?] = [x]
    var counts = try intArguments(targets, "shape", &operands)
    while counts.count < 2 { counts.insert(.constant(0), at: 0) }
    let op = SampledResize(height: .count(counts[0]), width: .count(counts[1]), mode: mode, takesNearest: takesNearest)
    return (op, operands)
  }

  /// The operator that resizes the last two axes, height and width, by factors. The extents that the file declares are the products as the
  /// exporter rounded them.
  func scaling(
    _ declared: TensorSignature, _ factors: (height: Double, width: Double), _ mode: SamplingMode, takesNearest: Bool
  ) throws(CallError) -> SampledResize {
    let dimensions = declared.dimensions.suffix(2)
    guard dimensions.count == 2 else { throw CallError("the result has rank \(declared.rank)") }
    func extent(_ dimension: Dimension?, _ factor: Double) -> SampledResize.Extent {
      if case .fixed(let extent)? = dimension { .count(.constant(extent)) } else { .factor(factor) }
    }
    return SampledResize(
      height: extent(dimensions.first, factors.height), width: extent(dimensions.last, factors.width), mode: mode,
      takesNearest: takesNearest)
  }
}
