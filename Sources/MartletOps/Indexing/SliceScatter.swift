package import MartletGraph
import MartletKernels
import MartletTensor

/// Replaces a slice of operand 0 along an axis by operand 1. The start may be a run-time value, as for a growing KV cache.
/// - Shapes: operand 1 has the shape of the slice, or broadcasts to it.
/// - DTypes: all; operand 1 is converted to operand 0's dtype.
/// - Sources: ATen `slice_scatter.out`; `llama::update_cache.out`; MIL `slice_update`.
package struct SliceScatter: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any), .init("source", .data, .any)], accuracy: .exact)

  package var axis: Int
  package var range: SliceRange
  package var name: String { "slice_scatter" }

  package init(axis: Int, range: SliceRange) {
    self.axis = axis
    self.range = range
  }

  package var inPlaceOperands: [Int] { [0] }

  /// The shape of the slice.
  private func stretch(_ x: TensorType, _ source: TensorType, count: Int) throws(OperatorError) -> [Int] {
    var shape = x.shape
    shape[try normalAxis(axis, rank: x.rank)] = count
    guard Shape.broadcast(source.shape, shape) == shape else {
      throw .invalid("\(source.shape) does not fit a slice \(shape)")
    }
    return shape
  }

  private func sourceExtent(_ x: TensorType, _ source: TensorType) throws(OperatorError) -> Int? {
    source.rank == x.rank && x.rank > 0 ? source.shape[try normalAxis(axis, rank: x.rank)] : nil
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let source = try operands.tensor(1)
    if x.rank == 0 { throw .invalid("a tensor of rank 0 cannot be sliced") }
    let extent = x.shape[try normalAxis(axis, rank: x.rank)]
    let count = try range.count(operands, extent: extent, sourceExtent: try sourceExtent(x, source))
    _ = try stretch(x, source, count: count)
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let axis = try normalAxis(axis, rank: output.rank)
    let sourceType = node.operandType(1)
    let operands = Operands(node.operands.map(\.type))
    let count = try range.count(
      operands, extent: output.shape[axis], sourceExtent: try sourceExtent(output.type, sourceType))
    let shape = try stretch(output.type, sourceType, count: count)
    var source = node.input(1)
    source = node.apart(source).broadcast(to: shape)
    node.beginUpdate()
    if let target = try range.view(of: output, axis: axis, count: count, node: node) {
      if !target.isEmpty { node.builder.emitCopy(from: source, to: target, source: node.source) }
      return
    }
    let (target, offset) = range.runtimeView(of: output, axis: axis, count: count, node: node)
    node.emit(
      "slice_scatter \(shape)", bytes: Double(2 * source.byteCount), evenIfEmpty: true,
      StridedCopy.kernel(from: source, to: target, destinationMovedBy: offset))
  }
}

/// Replaces one index of operand 0 along an axis by operand 1.
/// - Shapes: operand 1 has operand 0's shape without the axis, or broadcasts to it.
/// - DTypes: all; operand 1 is converted to operand 0's dtype.
/// - Sources: ATen `select_scatter.out`.
package struct SelectScatter: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any), .init("source", .data, .any)], accuracy: .exact)

  package var axis: Int
  /// Negative indices count from the end.
  package var index: IntArgument
  package var name: String { "select_scatter" }

  package init(axis: Int, index: IntArgument) {
    self.axis = axis
    self.index = index
  }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let source = try operands.tensor(1)
    if x.rank == 0 { throw .invalid("a tensor of rank 0 cannot be indexed") }
    var shape = x.shape
    let extent = shape.remove(at: try normalAxis(axis, rank: x.rank))
    guard Shape.broadcast(source.shape, shape) == shape else { throw .invalid("\(source.shape) does not fit \(shape)") }
    if let index = try operands.knownInt(index), index < -extent || index >= extent {
      throw .invalid("index \(index) is out of range for an axis of extent \(extent)")
    }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let axis = try normalAxis(axis, rank: output.rank)
    var target = output
    target.shape.remove(at: axis)
    target.strides.remove(at: axis)
    let source = node.apart(node.input(1)).broadcast(to: target.shape)
    node.beginUpdate()
    let offset = runtimeOffset(node.int(index), extent: output.shape[axis], stride: output.strides[axis])
    node.emit(
      "select_scatter \(target.shape)", bytes: Double(2 * source.byteCount), evenIfEmpty: true,
      StridedCopy.kernel(from: source, to: target, destinationMovedBy: offset))
  }
}

extension PlannedOperand {
  /// The operand's type as shape inference sees it.
  var type: OperandType? {
    switch self {
    case .tensor(let view, _): .tensor(view.type)
    case .scalar(let scalar): .scalar(scalar)
    case .string(let string): .string(string)
    case .absent: nil
    }
  }
}
