package import MartletGraph
package import MartletTensor

/// The operand's dense memory viewed with other strides: `y[i] = memory[offset + Σ i[a] × strides[a]]`.
/// - Shapes: any, as long as no element lies outside the operand. - DTypes: all.
/// - Sources: ATen `as_strided_copy.out`.
package struct AsStrided: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var shape: [IntArgument]
  package var strides: [IntArgument]
  package var offset: IntArgument
  /// Axis order of the memory that is viewed, outermost first; nil for row-major.
  package var memoryOrder: [Int]?
  package var name: String { "as_strided" }

  package init(shape: [IntArgument], strides: [IntArgument], offset: IntArgument, memoryOrder: [Int]? = nil) {
    self.shape = shape
    self.strides = strides
    self.offset = offset
    self.memoryOrder = memoryOrder
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let shape = try operands.ints(shape)
    let strides = try operands.ints(strides)
    let start = try operands.int(offset)
    guard shape.count == strides.count, !shape.contains(where: { $0 < 0 }), !strides.contains(where: { $0 < 0 }), start >= 0,
      memoryOrder == nil || memoryOrder!.sorted() == Array(0..<x.rank)
    else { throw .invalid("shape \(shape) with strides \(strides) from \(start) is not valid") }
    if !shape.contains(0) {
      var last = start
      for (extent, stride) in zip(shape, strides) {
        // In range: the extent is at least 1, and the functions check.
        last = try extentSum(last, try extentProduct(extent - 1, stride))
      }
      guard last < x.elementCount else {
        throw .invalid("shape \(shape) with strides \(strides) from \(start) exceeds a tensor of \(x.elementCount) elements")
      }
    }
    return [.tensor(TensorType(x.dtype, shape))]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    shape.map { operands.extent($0) }
  }

  private func known(_ arguments: [IntArgument], _ node: NodePlan) -> [Int] { arguments.map { node.int($0).known ?? 0 } }

  private func read(_ memory: TensorView, _ node: NodePlan) -> TensorView {
    var view = memory
    view.shape = node.outputType(0).shape
    view.strides = known(strides, node)
    if !view.isEmpty { view.offset += known([offset], node)[0] }
    return view
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = node.input(0)
    return x.isDense(inOrder: memoryOrder ?? Array(x.shape.indices)) ? read(x, node) : nil
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let memory = node.builder.materialize(
      x, order: memoryOrder ?? Array(x.shape.indices), dtype: x.dtype, source: node.source)
    node.builder.emitCopy(from: read(memory, node), to: node.outputs[0], source: node.source)
  }
}
