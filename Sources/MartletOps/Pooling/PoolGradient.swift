package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Gradient of a pooling: each element of the gradient goes to the first maximum of its window, or in equal parts to all of the window.
/// - Operands: the gradient of the result [N, C, h, w] and the operand `x` [N, C, H, W], or both without N.
/// - Results: the gradient of `x`. - Layout: follows `x`. - DTypes: float32.
/// - Sources: the derivative of `Pool`; as ATen `max_pool2d_with_indices_backward`, `avg_pool2d_backward`.
package struct PoolGradient: PlannedOperator {
  package static let contract = OperatorContract(
    [.init("gradient", .data, .float32), .init("x", .data, .float32)], accuracy: .lengthScaled)

  package var window: Pool.Window
  package var reduction: PoolReduction

  package var name: String { "pool_gradient" }

  package init(_ window: Pool.Window, reduction: PoolReduction) {
    self.window = window
    self.reduction = reduction
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (gradient, x) = (try operands.tensor(0), try operands.tensor(1))
    guard case .tensor(let result)? = try Pool(window, reduction: reduction).infer(Operands([.tensor(x)])).first,
      result == gradient, x.dtype == .float32
    else { throw .invalid("a gradient \(gradient) does not match a pooling of \(x)") }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? { operands.shape(1) }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(1).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let (x, output) = (node.input(1), node.outputs[0])
    let isImage = [x, output].allSatisfy { $0.rank == 4 && ($0.strides[1] == 1 || $0.shape[1] == 1) }
    let gradient = isImage ? node.channelsLast(0) : node.input(0)
    let rank = x.rank
    for axis in 0..<2 { try node.checkTable(entryCount: gradient.shape[rank - 2 + axis], byteCount: 24) }
    func windows(_ axis: Int) -> PoolWindow {
      window.along(axis, extent: x.shape[rank - 2 + axis], output: gradient.shape[rank - 2 + axis])
    }
    let kernel = PoolGradientKernel(
      gradient: gradient.asBatch, x: x.asBatch, result: output.asBatch, rows: windows(0), columns: windows(1), reduction: reduction)
    node.emit("\(name) \(output.shape)", flops: kernel.operationCount, work: .depthwise, isImage ? kernel.imageKernel() : kernel.kernel())
  }
}
