package import MartletGraph
import MartletKernels
import MartletTensor

/// Resizes images with linear interpolation along both axes.
/// - Shapes: `[…, H, W]` of rank at least 3.
/// - DTypes: the real ones. float64 is computed in float64, all others in float32. Integer results are truncated, also with antialiasing.
/// - Accuracy: two roundings per axis.
/// - Layout: follows the operand where that is row-major or channels-last.
/// - Sources: ATen `upsample_bilinear2d.vec_out`, `_upsample_bilinear2d_aa.out`; MIL `upsample_bilinear`, `resize_bilinear`.
package struct ResizeBilinear: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .real)], accuracy: .ulp)

  package var target: ResizeTarget
  /// Whether the centres of the corner pixels coincide; otherwise the edges of the images do.
  package var alignCorners: Bool
  /// Whether downsampling averages all pixels that a result pixel covers.
  package var antialiases: Bool
  package var name: String { antialiases ? "resize_bilinear_antialiased" : "resize_bilinear" }

  package init(target: ResizeTarget, alignCorners: Bool, antialiases: Bool) {
    self.target = target
    self.alignCorners = alignCorners
    self.antialiases = antialiases
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    if x.dtype.isComplex { throw .unsupported("resizing of \(x.dtype)") }
    return [.tensor(TensorType(x.dtype, try target.shape(operands, x)))]
  }

  package var traits: OperatorTraits { .givesImages }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacingLast: target.size.map { $0.map { operands.extent($0) } } ?? [nil, nil])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).channelsLastOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    if node.outputs[0].isEmpty { return }
    if node.operandType(0).dtype == .float64 {
      try plan(node, .float64, Double.self)
    } else {
      try plan(node, .float32, Float.self)
    }
  }

  private func plan<T: ResampleElement>(_ node: NodePlan, _ type: DType, _: T.Type) throws(OperatorError) {
    let output = node.outputs[0]
    let order = !output.isContiguous ? Shape.channelsLastOrder(rank: output.rank) : Array(output.shape.indices)
    let x = node.dense(0, as: type, inOrder: order)
    let y = node.staging(as: type, inOrder: order)
    let rank = x.rank
    func step(_ axis: Int) -> T {
      target.step(
        axis, from: x.shape[rank - 2 + axis], to: y.shape[rank - 2 + axis], alignCorners: alignCorners, as: T.self)
    }
    let (height, width) = (x.shape[rank - 2], x.shape[rank - 1])
    var flops = Double(8 * y.elementCount)
    for axis in 0..<2 {
      // Positions and weights for each position of the result.
      let length = antialiases ? ResampleWindows<T>.windowLength(extent: axis == 0 ? height : width, step: step(axis)) : 2
      try node.checkTable(entryCount: y.shape[rank - 2 + axis], byteCount: 16 + length * 8)
      flops = max(flops, Double(2 * y.elementCount) * Double(length))
    }
    if antialiases {
      // The width is resampled first, as in PyTorch.
      let narrow = node.builder.temporary(TensorType(type, Array(x.shape[..<(rank - 1)]) + [y.shape[rank - 1]]), order: order)
      let columns = ResampleWindows<T>.antialiased(count: y.shape[rank - 1], extent: width, step: step(1))
      let rows = ResampleWindows<T>.antialiased(count: y.shape[rank - 2], extent: height, step: step(0))
      node.emit("resample width \(narrow.shape)", flops: flops, Resample.kernel(x, axis: rank - 1, order: order, columns, to: narrow))
      node.emit("resample height \(y.shape)", flops: flops, Resample.kernel(narrow, axis: rank - 2, order: order, rows, to: y))
    } else {
      let rows = LinearSamples<T>(count: y.shape[rank - 2], extent: height, step: step(0), alignCorners: alignCorners)
      let columns = LinearSamples<T>(count: y.shape[rank - 1], extent: width, step: step(1), alignCorners: alignCorners)
      node.emit("bilinear \(y.shape)", flops: flops, BilinearResize.kernel(x, rows, columns, to: y))
    }
    node.finish(0, from: y)
  }
}
