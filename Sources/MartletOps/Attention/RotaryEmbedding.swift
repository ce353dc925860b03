package import MartletGraph
import MartletKernels
import MartletTensor

/// Rotates pairs (a, b) of elements by angles: (a cos - b sin, b cos + a sin).
/// - Operands: `x`, of rank at least 2; `cosines` and `sines`.
/// - Shapes: interleaved, the last axis of `x` has extent 2 and holds the pairs; the tables broadcast to the other axes. Otherwise the first
///   half of the last axis holds the first elements of the pairs and the second half the others, and the tables broadcast to `x`; the second
///   half of a table's last axis belongs to b.
/// - DTypes: float32. - Accuracy: three roundings.
/// - Sources: recognised in programs.
package struct RotaryEmbedding: PlannedOperator {
  package static let contract = OperatorContract(
    [.init("x", .data, .float32), .init("cosines", .parameter, .float32), .init("sines", .parameter, .float32)], accuracy: .ulp)

  package var isInterleaved: Bool
  package var name: String { "rotary_embedding" }

  package init(isInterleaved: Bool) { self.isInterleaved = isInterleaved }

  /// The shape that the tables broadcast to.
  private func tableShape(_ x: [Int]) -> [Int] { isInterleaved ? x.dropLast() : x }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype == .float32, x.rank >= 2, let last = x.shape.last, isInterleaved ? last == 2 : last % 2 == 0 else {
      throw .invalid("\(x) does not hold pairs")
    }
    for index in 1...2 {
      let table = try operands.tensor(index)
      guard table.dtype == .float32, Shape.broadcast(table.shape, tableShape(x.shape)) == tableShape(x.shape) else {
        throw .invalid("angles \(table) do not fit \(x)")
      }
    }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? { operands.shape(0) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0)
    let y = node.staging(0, as: .float32)
    let shape = tableShape(x.shape)
    func table(_ index: Int) -> TensorView {
      let view = node.strided(index, as: .float32).broadcast(to: shape)
      let last = shape.count - 1
      // A row of a table is contiguous.
      return view.strides[last] == 1 || shape[last] <= 1
        ? view : node.builder.materialize(view, order: Array(shape.indices), dtype: .float32, source: node.source)
    }
    node.emit(
      "\(name) \(x.shape)", flops: Double(3 * x.elementCount),
      RotaryKernel(x: x, cosines: table(1), sines: table(2), y: y, isInterleaved: isInterleaved).kernel)
    node.finish(0, from: y)
  }
}
