package import MartletGraph
import MartletKernels
import MartletTensor

/// A position on an axis, which fails the call unless as many positions from it on exist as are wanted.
/// - Operands: the position, an integer; the number of positions, known while planning.
/// - Results: the position.
/// - Sources: inserted by a pass.
package struct CheckedPosition: PlannedOperator {
  package static let contract = OperatorContract([.init("position", .number, .any), .init("count", .number, .any)], accuracy: .exact)

  /// Extent of the axis.
  package var extent: Int
  package var name: String { "checked_position" }
  package var givesNumber: Bool { true }

  package init(extent: Int) { self.extent = extent }

  private func check(_ position: Int, count: Int) -> String? {
    // In range: both are at most the extent when they are subtracted.
    if count >= 0, count <= extent, position >= 0, position <= extent - count { return nil }
    return "\(count) positions from \(position) are out of range for an axis of extent \(extent)"
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let count = try operands.int(.operand(1))
    guard let known = try operands.knownInt(.operand(0)) else { return [.computedScalar(.int)] }
    if let reason = check(known, count: count) { throw .invalid(reason) }
    return [.scalar(.known(.int(Int64(widening: known))))]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let slot = node.outputSlots[0]
    let position = node.int(.operand(0))
    guard let count = node.int(.operand(1)).known else { throw .invalid("the number of positions is not known") }
    let me = self
    node.emit(name, bytes: 0) { context in
      let value = position.value(context)
      if let reason = me.check(value, count: count) { throw KernelError(reason) }
      context.set(slot: slot, .int(Int64(widening: value)))
    }
  }
}
