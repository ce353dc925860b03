package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Samples images (operand 0) at the points of a grid (operand 1) with coordinates from -1 to 1.
/// - Shapes: `[N, C, H, W]` and `[N, h, w, 2]` (x before y) give `[N, C, h, w]`.
/// - DTypes: floating point; float64 is computed in float64, float16 and bfloat16 in float32. Integers if both operands have them:
///   coordinates are then rounded towards zero at every step, and every interpolation mode returns the pixel at the point.
/// - Layout: the result is channels-last if the images are.
/// - Sources: ATen `grid_sampler_2d.out`; MIL `resample`.
package struct GridSample: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .placeLike), .init("grid", .indices, .placeLike)], accuracy: .ulp)

  package var sampling: GridSampling
  package var name: String { "grid_sample" }

  package init(_ sampling: GridSampling) { self.sampling = sampling }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let grid = try operands.tensor(1)
    guard x.rank == 4, grid.rank == 4, grid.shape[3] == 2, x.shape[0] == grid.shape[0], x.shape[2] > 0, x.shape[3] > 0 else {
      throw .invalid("images \(x) do not fit a grid \(grid)")
    }
    guard x.dtype.isFloatingPoint && grid.dtype.isFloatingPoint || x.dtype.isInteger && grid.dtype.isInteger else {
      throw .unsupported("images of \(x.dtype) with a grid of \(grid.dtype)")
    }
    return [.tensor(TensorType(x.dtype, [x.shape[0], x.shape[1], grid.shape[1], grid.shape[2]]))]
  }

  package var traits: OperatorTraits { .givesImages }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.leading(2, of: 0, [operands.extent(1, axis: 1), operands.extent(1, axis: 2)])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).channelsLastOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let type: DType = output.dtype == .float64 ? .float64 : output.dtype.isInteger ? .int64 : .float32
    let x = node.strided(0, as: type)
    let grid = node.strided(1, as: type)
    let y = node.staging(as: type, inOrder: node.resultOrder())
    node.emit(
      "grid_sample \(output.shape)", flops: Double(8 * output.elementCount), work: .single,
      type == .int64
        ? sampling.integerKernel(x, grid, to: y)
        : type == .float64 ? sampling.kernel(x, grid, to: y, as: Double.self) : sampling.kernel(x, grid, to: y, as: Float.self))
    node.finish(0, from: y)
  }
}
