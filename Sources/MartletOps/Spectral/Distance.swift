package import MartletGraph
import MartletKernels
import MartletTensor

/// Pairwise p-norm distances between the rows of two matrices.
/// - Operands: `x1` […, P, M]; `x2` […, R, M]. - Result: […, P, R]; batch axes broadcast.
/// - DTypes: floating point, equal for both operands. - Accuracy: accumulated in double precision.
/// - Sources: ATen `_cdist_forward.out`.
package struct Distance: PlannedOperator {
  package static let contract = OperatorContract([.init("x1", .data, .floating), .init("x2", .data, .floating)], accuracy: .lengthScaled)

  package var p: Double
  package var name: String { "distance" }

  package init(p: Double) { self.p = p }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x1 = try operands.tensor(0)
    let x2 = try operands.tensor(1)
    guard x1.dtype.isFloatingPoint, x1.dtype == x2.dtype else { throw .unsupported("distances of \(x1.dtype) and \(x2.dtype)") }
    guard p >= 0 else { throw .invalid("a distance of order \(p)") }
    guard x1.rank >= 2, x2.rank >= 2, x1.shape[x1.rank - 1] == x2.shape[x2.rank - 1],
      let batch = Shape.broadcast(Array(x1.shape.dropLast(2)), Array(x2.shape.dropLast(2)))
    else { throw .invalid("the rows of \(x1.shape) and \(x2.shape) do not fit each other") }
    return [.tensor(TensorType(x1.dtype, batch + [x1.shape[x1.rank - 2], x2.shape[x2.rank - 2]]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let a = operands.shape(0), let b = operands.shape(1), a.count >= 2, b.count >= 2 else { return nil }
    return operands.broadcast(0..<2, droppingLast: 2) + [a[a.count - 2], b[b.count - 2]]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let shape = node.outputs[0].shape
    if node.outputs[0].isEmpty { return }
    let type: DType = node.operandType(0).dtype == .float64 ? .float64 : .float32
    let batch = Array(shape.dropLast(2))
    func matrices(_ index: Int) -> TensorView {
      let view = node.strided(index, as: type)
      let target = batch + view.shape.suffix(2)
      let broadcast = view.broadcast(to: target)
      return node.builder.materialize(broadcast, order: Array(target.indices), dtype: type, source: node.source)
    }
    let x1 = matrices(0)
    let x2 = matrices(1)
    let y = node.staging(0, as: type)
    let (rows, columns, width) = (shape[shape.count - 2], shape[shape.count - 1], x1.shape[x1.rank - 1])
    node.emit(
      "distance \(x1.shape) \(x2.shape)", flops: Double(3 * y.elementCount * width),
      DistanceKernel(p: p).kernel(
        batches: batch.reduce(1, *), rows: rows, columns: columns, width: width, x1: x1, x2: x2, y: y))
    node.finish(0, from: y)
  }
}

/// The p-norm distances of all pairs of rows `i < j` of a matrix, ordered by `i`, then `j`.
/// - Shapes: [N, M] to [N * (N - 1) / 2]. - DTypes: floating point. - Accuracy: accumulated in double precision.
/// - Sources: ATen `_pdist_forward.out`.
package struct PairDistance: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .lengthScaled)

  package var p: Double
  package var name: String { "pair_distance" }

  package init(p: Double) { self.p = p }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isFloatingPoint else { throw .unsupported("distances of \(x.dtype)") }
    guard p >= 0 else { throw .invalid("a distance of order \(p)") }
    guard x.rank == 2 else { throw .invalid("a matrix is needed, not \(x.shape)") }
    let rows = x.shape[0]
    guard let pairs = (Extent(rows) * max(rows - 1, 0) / 2).value else { throw .invalid("\(x.shape) has too many pairs of rows") }
    return [.tensor(TensorType(x.dtype, [pairs]))]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    if node.outputs[0].isEmpty { return }
    let type: DType = node.operandType(0).dtype == .float64 ? .float64 : .float32
    let x = node.contiguous(0, as: type)
    let y = node.staging(0, as: type)
    node.emit(
      "pair_distance \(x.shape)", flops: Double(3 * y.elementCount * x.shape[1]),
      DistanceKernel(p: p).pairKernel(rows: x.shape[0], width: x.shape[1], x: x, y: y))
    node.finish(0, from: y)
  }
}
