package import MartletGraph
import MartletKernels
package import MartletTensor

/// Concatenates the operands along an axis.
/// - Shapes: equal except along the axis, of rank at least 1. Operands of shape `[0]` are skipped, whatever the rank of the others, as in
///   ATen.
/// - DTypes: all; operands are converted to the dtype of the result.
/// - Layout: follows the largest operand.
/// - Sources: ATen `cat.out`, `stack.out`; MIL `concat`, `stack`.
package struct Concat: PlannedOperator {
  package static let contract = OperatorContract([.init("parts", .data, .any, repeats: true)], accuracy: .exact)

  package var axis: Int
  /// Dtype of the result.
  package var dtype: DType
  package var name: String { "concat" }

  package init(axis: Int, dtype: DType) {
    self.axis = axis
    self.dtype = dtype
  }

  private static func isSkipped(_ type: TensorType) -> Bool { type.shape == [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var result: [Int]?
    var normal = 0
    for index in 0..<operands.count {
      let x = try operands.tensor(index)
      if Self.isSkipped(x) { continue }
      guard var shape = result else {
        if x.rank == 0 { throw .invalid("tensors of rank 0 cannot be concatenated") }
        normal = try normalAxis(axis, rank: x.rank)
        result = x.shape
        continue
      }
      guard x.rank == shape.count, x.shape.indices.allSatisfy({ $0 == normal || x.shape[$0] == shape[$0] }) else {
        throw .invalid("\(x.shape) does not fit \(shape) along axis \(axis)")
      }
      shape[normal] = try extentSum(shape[normal], x.shape[normal])
      result = shape
    }
    if operands.count == 0 { throw .invalid("there is nothing to concatenate") }
    return [.tensor(TensorType(dtype, result ?? [0]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    let shapes = (0..<operands.count).map { operands.shape($0) }
    guard let first = shapes.first ?? nil, first.count > 1, let axis = Shape.normalizedAxis(axis, rank: first.count),
      shapes.allSatisfy({ $0?.count == first.count })
    else { return nil }
    // Along other axes all are equal: one whose extent is fixed tells it for the others.
    var result: [SymbolicExtent?] = first.indices.map { position in
      shapes.lazy.compactMap { $0?[position] }.first { if case .fixed = $0 { true } else { false } } ?? first[position]
    }
    result[axis] = nil
    return result
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    var narrowed = self
    narrowed.dtype = .bfloat16
    return NarrowForm(narrowed: narrowed, operands: Set(operands.indices), tied: Set(operands.indices))
  }

  /// The operands as one view, if they are already adjacent in memory.
  private func joined(_ node: NodePlan) -> TensorView? {
    guard let axis = try? normalAxis(axis, rank: node.outputType(0).rank) else { return nil }
    var whole: TensorView?
    for index in node.operands.indices where !node.operandType(index).shape.contains(0) {
      guard case .tensor(let part, nil) = node.operands[index], part.dtype == dtype, part.buffer.index >= 0, part.strides[axis] > 0 else {
        return nil
      }
      guard var view = whole else {
        whole = part
        continue
      }
      guard part.buffer == view.buffer, part.strides == view.strides,
        part.offset == view.offset + view.shape[axis] * view.strides[axis]
      else { return nil }
      view.shape[axis] += part.shape[axis]
      whole = view
    }
    return whole?.shape == node.outputType(0).shape ? whole : nil
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    if let view = joined(node) { return view }
    var only: Int?
    for index in node.operands.indices where !node.operandType(index).shape.contains(0) {
      if only != nil { return nil }
      only = index
    }
    guard let only, node.operandType(only) == node.outputType(0) else { return nil }
    return node.input(only)
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? {
    let rank = node.outputType(0).rank
    let largest = node.operands.indices.filter { node.operandType($0).rank == rank }
      .max { node.operandType($0).byteCount < node.operandType($1).byteCount }
    return largest.flatMap { node.input($0).denseOrder }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let axis = try normalAxis(axis, rank: output.rank)
    var start = 0
    for index in node.operands.indices where !Self.isSkipped(node.operandType(index)) {
      let x = node.input(index)
      let count = x.shape[axis]
      if !x.isEmpty {
        node.builder.emitCopy(
          from: x, to: output.sliced(axis: axis, start: start, count: count, step: 1), source: node.source)
      }
      start += count
    }
  }
}
