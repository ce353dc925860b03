package import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary

/// Index of the largest or smallest element: the first NaN if there is one, otherwise the first of equal elements.
/// - Shapes: any except empty reductions. Without an axis, the index counts elements in row-major order.
/// - DTypes: the real ones except uint64; the result is int64.
/// - Sources: ATen `argmax.out`, `argmin.out`, `max.dim_max`, `min.dim_min`; MIL `reduce_argmax`, `reduce_argmin`.
package struct ArgReduce: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .real)], accuracy: .exact)

  package var wantsMaximum: Bool
  /// Nil to reduce all elements.
  package var axis: Int?
  package var keepsAxes: Bool
  package var name: String { wantsMaximum ? "argmax" : "argmin" }

  package init(wantsMaximum: Bool, axis: Int?, keepsAxes: Bool) {
    self.wantsMaximum = wantsMaximum
    self.axis = axis
    self.keepsAxes = keepsAxes
  }

  private var axes: ReducedAxes { ReducedAxes(axis.map { [$0] }, keepsAxes: keepsAxes) }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let shape = try axes.reducing(x.shape)
    if x.elementCount == 0, !shape.contains(0) { throw .invalid("\(name) of an empty range: the operand is \(x.shape)") }
    guard let type = ComputeType(for: x.dtype), type != .uint64 else { throw .unsupported("\(name) of \(x.dtype)") }
    return [.tensor(TensorType(.int64, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    axes.reducing(operands.shape(0))
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    guard let type = ComputeType(for: node.operandType(0).dtype) else { throw .unsupported(name) }
    let reduced = try axes.normalized(rank: node.operandType(0).rank)
    // Indices count in row-major order, and results are row-major: only such a layout needs no copy.
    var source = node.contiguous(0, as: type.dtype)
    if reduced.count > 1 { source = source.reshaped([source.elementCount])! }
    let pass = ReductionPasses(source, reducing: reduced.count > 1 ? [0] : reduced)?.positions(ofMaximum: wantsMaximum)
    let target = node.staging(0, as: .int64)
    if let pass {
      node.emit("\(name) \(source.shape)", flops: Double(source.elementCount), pass.kernel(from: source, to: target))
    } else {
      // The axis has extent 1.
      node.emit(name, bytes: Double(target.byteCount)) { context in
        let positions = context.elements(target, as: Int64.self)
        for index in 0..<target.elementCount { positions[index] = 0 }
      }
    }
    node.finish(0, from: target)
  }
}
