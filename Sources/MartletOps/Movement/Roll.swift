package import MartletGraph
import MartletKernels
import MartletTensor

/// Shifts the elements cyclically along some axes.
/// - Shapes: any. - DTypes: all.
/// - Layout: follows the operand, unless it is rolled as a flat vector.
/// - Sources: ATen `roll.out`.
package struct Roll: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var shifts: [IntArgument]
  /// One axis for each shift. Empty to shift the flattened elements in row-major order, with one shift.
  package var axes: [Int]
  package var name: String { "roll" }

  package init(shifts: [IntArgument], axes: [Int]) {
    self.shifts = shifts
    self.axes = axes
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    // Any integer is allowed because only its remainder matters.
    for shift in shifts { if case .operand(let index) = shift { _ = try operands.known(index) } }
    guard axes.isEmpty ? shifts.count == 1 : shifts.count == axes.count else {
      throw .invalid("\(shifts.count) shifts do not fit axes \(axes)")
    }
    for axis in axes { _ = try normalAxis(axis, rank: x.rank) }
    return [.tensor(x)]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { axes.isEmpty ? nil : node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    var source = axes.isEmpty ? node.contiguous(0) : node.input(0)
    var output = node.outputs[0]
    if output.isEmpty { return }
    if axes.isEmpty || source.rank == 0 {
      source = source.reshaped([source.elementCount])!
      output = output.reshaped([output.elementCount])!
    }
    // Shift along each axis, in 0 ..< extent.
    var moves = [Int](repeating: 0, count: source.rank)
    for (position, shift) in shifts.enumerated() {
      let axis = axes.isEmpty || node.outputs[0].rank == 0 ? 0 : try normalAxis(axes[position], rank: source.rank)
      let extent = source.shape[axis]
      let move = (node.int(shift).exact ?? 0) % extent
      moves[axis] = (moves[axis] + move + extent) % extent
    }
    let moved = moves.indices.filter { moves[$0] != 0 }
    if moved.count > 1 {
      for axis in moved { try node.checkTable(entryCount: source.shape[axis], byteCount: 8) }
      let maps = moves.indices.map { axis -> [Int]? in
        let extent = source.shape[axis]
        return moves[axis] == 0 ? nil : (0..<extent).map { ($0 - moves[axis] + extent) % extent }
      }
      return node.emit("roll \(output.shape)", AxisMappedCopy.kernel(from: source, to: output, maps: maps))
    }
    guard let axis = moved.first else { return node.builder.emitCopy(from: source, to: output, source: node.source) }
    let extent = source.shape[axis]
    let move = moves[axis]
    for (from, to, count) in [(0, move, extent - move), (extent - move, 0, move)] {
      node.builder.emitCopy(
        from: source.sliced(axis: axis, start: from, count: count, step: 1),
        to: output.sliced(axis: axis, start: to, count: count, step: 1), source: node.source)
    }
  }
}
