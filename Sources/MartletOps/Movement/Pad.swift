package import MartletGraph
import MartletKernels
package import MartletTensor

/// Pads or crops the operand at the ends of its last axes.
/// - Shapes: any; negative amounts crop. Reflection padding must be less than the extent.
/// - DTypes: all.
/// - Layout: follows the operand.
/// - Sources: ATen `constant_pad_nd.out`, `reflection_pad{1,2,3}d.out`, `replication_pad{1,2,3}d.out`; MIL `pad`.
package struct Pad: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .any), .init("value", .number, .any, isOptional: true),
    ], accuracy: .exact)

  package enum Mode: String, Sendable, Hashable {
    /// Pads with the scalar in operand 1.
    case constant
    /// Reflects at the last element, without repeating it.
    case reflect
    /// Repeats the last element.
    case replicate
  }

  package var mode: Mode
  /// Amounts for the last `before.count` axes, in axis order.
  package var before: [IntArgument]
  package var after: [IntArgument]
  package var name: String { "pad" }

  package init(_ mode: Mode, before: [IntArgument], after: [IntArgument]) {
    self.mode = mode
    self.before = before
    self.after = after
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var x = try operands.tensor(0)
    if mode == .constant { _ = try operands.scalar(1) }
    let before = try operands.ints(before)
    let after = try operands.ints(after)
    guard before.count == after.count, before.count <= x.rank else {
      throw .invalid("padding \(before), \(after) does not fit rank \(x.rank)")
    }
    for (axis, (front, back)) in zip(x.shape.indices.suffix(before.count), zip(before, after)) {
      let extent = x.shape[axis]
      let padded = try extentSum(extent, front, back)
      guard padded >= 0 else { throw .invalid("padding \(front), \(back) crops more than the extent \(extent)") }
      switch mode {
      case .constant: break
      case .reflect:
        guard front < extent, back < extent else {
          throw .invalid("reflection padding \(front), \(back) needs an extent greater than \(extent)")
        }
      case .replicate:
        guard extent > 0 || padded == 0 else { throw .invalid("an axis of extent 0 has no element to repeat") }
      }
      x.shape[axis] = padded
    }
    return [.tensor(x)]
  }

  package var traits: OperatorTraits { mode == .constant ? .none : .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let x = operands.shape(0), before.count == after.count, before.count <= x.count else { return nil }
    let kept = x.count - before.count
    return x.enumerated().map { axis, extent in
      axis < kept || before[axis - kept] == .constant(0) && after[axis - kept] == .constant(0) ? extent : nil
    }
  }

  /// Amounts before every axis.
  private func fronts(_ node: NodePlan, rank: Int) -> [Int] {
    Array(repeating: 0, count: rank - before.count) + before.map { node.int($0).known ?? 0 }
  }

  private func backs(_ node: NodePlan, rank: Int) -> [Int] {
    Array(repeating: 0, count: rank - after.count) + after.map { node.int($0).known ?? 0 }
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = node.input(0)
    let fronts = fronts(node, rank: x.rank)
    guard fronts.allSatisfy({ $0 <= 0 }), backs(node, rank: x.rank).allSatisfy({ $0 <= 0 }) else { return nil }
    return interior(of: x, node)
  }

  /// The part of the operand that remains.
  private func interior(of x: TensorView, _ node: NodePlan) -> TensorView {
    let fronts = fronts(node, rank: x.rank)
    let backs = backs(node, rank: x.rank)
    var view = x
    for axis in x.shape.indices {
      let start = max(-fronts[axis], 0)
      // Cropping more than the whole extent at one end leaves nothing of the operand.
      let count = max(x.shape[axis] - start - max(-backs[axis], 0), 0)
      view = view.sliced(axis: axis, start: start, count: count, step: 1)
    }
    return view
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let output = node.outputs[0]
    if output.isEmpty { return }
    let fronts = fronts(node, rank: x.rank)
    switch mode {
    case .constant:
      let value = node.scalar(1)
      node.emit("fill \(output.shape)", bytes: Double(output.byteCount), Fill.kernel(output) { value.scalar($0) })
      let source = interior(of: x, node)
      if source.isEmpty { return }
      var target = output
      for axis in x.shape.indices {
        target = target.sliced(axis: axis, start: max(fronts[axis], 0), count: source.shape[axis], step: 1)
      }
      node.builder.emitCopy(from: source, to: target, source: node.source)
    case .reflect, .replicate:
      var maps: [[Int]?] = []
      for axis in x.shape.indices {
        let extent = x.shape[axis]
        let front = fronts[axis]
        try node.checkTable(entryCount: output.shape[axis], byteCount: 8)
        maps.append(
          front == 0 && output.shape[axis] == extent
            ? nil
            : (0..<output.shape[axis]).map { position in
              let inner = position - front
              if mode == .replicate { return min(max(inner, 0), extent - 1) }
              return inner < 0 ? -inner : inner >= extent ? 2 * (extent - 1) - inner : inner
            })
      }
      node.emit("\(mode.rawValue) \(output.shape)", AxisMappedCopy.kernel(from: x, to: output, maps: maps))
    }
  }
}
