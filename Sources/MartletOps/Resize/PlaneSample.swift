package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Samples images at the points of a grid, or at affine images of the result's pixels.
/// - Operands: 0 the images `[N, C, H, W]`; 1 the grid `[N, h, w, 2]` (x before y) or the affine maps `[N or 1, 6]`.
/// - Shapes: `[N, C, h, w]`; with maps `h` and `w` are `size`.
/// - DTypes: images floating point, operand 1 also integer; computed in float32.
/// - Accuracy: some roundings for the coordinates, which cost ulps at the magnitude of the image size, and two for the value.
/// - Sources: MIL `resample`, `affine`.
package struct PlaneSample: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating), .init("places", .indices, .placeLike)], accuracy: .ulp)

  package var sampling: PlaneSampling
  /// Height and width of the result of affine maps; nil if operand 1 is a grid.
  package var size: [IntArgument]?
  package var name: String { size == nil ? "resample" : "affine" }

  package init(_ sampling: PlaneSampling, size: [IntArgument]? = nil) {
    self.sampling = sampling
    self.size = size
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let places = try operands.tensor(1)
    guard x.dtype.isFloatingPoint, places.dtype.isFloatingPoint || places.dtype.isInteger else {
      throw .unsupported("images of \(x.dtype) at points of \(places.dtype)")
    }
    guard x.rank == 4, x.shape[2] > 0, x.shape[3] > 0 else { throw .invalid("images \(x)") }
    if let size {
      let extents = try operands.ints(size)
      guard places.rank == 2, places.shape[1] == 6, places.shape[0] == 1 || places.shape[0] == x.shape[0], extents.count == 2,
        extents.allSatisfy({ $0 >= 0 })
      else { throw .invalid("maps \(places.shape) do not fit images \(x.shape) and the size \(extents)") }
      return [.tensor(TensorType(x.dtype, Array(x.shape[..<2]) + extents))]
    }
    guard places.rank == 4, places.shape[3] == 2, x.shape[0] == places.shape[0] else {
      throw .invalid("images \(x) do not fit a grid \(places)")
    }
    return [.tensor(TensorType(x.dtype, [x.shape[0], x.shape[1], places.shape[1], places.shape[2]]))]
  }

  package var traits: OperatorTraits { .givesImages }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    let extents = size.map { $0.map { operands.extent($0) } } ?? [operands.extent(1, axis: 1), operands.extent(1, axis: 2)]
    return operands.leading(2, of: 0, extents)
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).channelsLastOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let x = node.strided(0, as: .float32)
    let places = node.strided(1, as: .float32)
    let y = node.staging(as: .float32, inOrder: node.resultOrder())
    node.emit(
      "\(name) \(output.shape)", flops: Double(8 * output.elementCount), work: .single,
      size == nil ? sampling.kernel(x, grid: places, to: y) : sampling.kernel(x, matrices: places, to: y))
    node.finish(0, from: y)
  }
}
