package import MartletGraph
import MartletKernels
import MartletTensor

/// Resizes images by nearest-neighbour sampling at `floor(i × step)`.
/// - Shapes: `[…, H, W]` of rank at least 3. - DTypes: all.
/// - Accuracy: positions are computed in float32, in float64 for float64 elements.
/// - Layout: follows the operand.
/// - Sources: ATen `upsample_nearest2d.vec_out`; MIL `upsample_nearest_neighbor`, `resize_nearest_neighbor`.
package struct ResizeNearest: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var target: ResizeTarget
  package var name: String { "resize_nearest" }

  package init(target: ResizeTarget) { self.target = target }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    return [.tensor(TensorType(x.dtype, try target.shape(operands, x)))]
  }

  package var traits: OperatorTraits { .movesElements.union(.givesImages) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacingLast: target.size.map { $0.map { operands.extent($0) } } ?? [nil, nil])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  private func positions<T: BinaryFloatingPoint>(_ axis: Int, from extent: Int, to count: Int, as type: T.Type) -> [Int]? {
    if extent == count, target.size != nil, target.factors == nil { return nil }
    let step = target.step(axis, from: extent, to: count, alignCorners: false, as: type)
    return (0..<count).map { position in
      let place = (T(position) * step).rounded(.down)
      // In range: the place lies on the axis.
      return place < T(extent - 1) ? Int(place) : extent - 1
    }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let output = node.outputs[0]
    var maps = [[Int]?](repeating: nil, count: x.rank)
    for axis in 0..<2 {
      let position = x.rank - 2 + axis
      let (extent, count) = (x.shape[position], output.shape[position])
      try node.checkTable(entryCount: count, byteCount: 8)
      maps[position] =
        x.dtype == .float64
        ? positions(axis, from: extent, to: count, as: Double.self) : positions(axis, from: extent, to: count, as: Float.self)
    }
    node.emit("nearest \(output.shape)", AxisMappedCopy.kernel(from: x, to: output, maps: maps))
  }
}
