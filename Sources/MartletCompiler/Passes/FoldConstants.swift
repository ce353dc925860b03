package import MartletGraph
import MartletOps
import MartletTensor

/// Replaces nodes whose operands are constants by constants. Large results are computed only when a plan requests them, so that a weight
/// that is merely transformed before packing is never kept unpacked.
///
/// With `keepsQuantized`, integer weights stay behind their `Dequantize` node for the patterns that look for them (`QuantizedWeight`).
/// The last run in a pipeline must not set it.
package struct FoldConstants: GraphPass {
  package let name = "fold-constants"

  /// Results up to this size, in bytes, are computed immediately.
  private static let smallByteCount = 4096
  /// Quantised vectors up to this size, in bytes, such as biases, are also computed immediately.
  private static let listByteCount = 64 << 10
  /// Maximum ratio of the size of a large result to that of its operands: a filled or expanded tensor is cheaper to compute than to
  /// store.
  private static let growth = 4

  /// Maximum number of nodes in the computation of a constant, counted once per use. Each takes stack space, and time whenever the
  /// constant is computed.
  private static let mostSteps = 64

  package let keepsQuantized: Bool

  package init(keepsQuantized: Bool = false) { self.keepsQuantized = keepsQuantized }

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    var editor = GraphEditor(taking: &graph)
    lazy var builder = ConstantEvaluator.viewBuilder()
    let allowance = Allowance.current
    for position in editor.positions {
      try allowance?.check()
      guard editor.hasConstantOperands(position), let node = editor.node(at: position), node.outputs.count == 1, node.regions.isEmpty,
        node.isPure, let op = node.op.planned,
        let folded = try? fold(op, node.inputs.map { editor.constant($0) }, source: node.source, viewBuilder: builder)
      else { continue }
      let value = editor.add(folded)
      editor.replaceUses(of: node.outputs[0], by: value)
      editor.remove(position)
    }
    return editor.finish(into: &graph)
  }

  private func fold(
    _ op: any PlannedOperator, _ operands: [Constant?], source: String, viewBuilder: @autoclosure () -> PlanBuilder
  ) throws -> Constant? {
    let types: [OperandType?] = operands.map { $0.map { .tensor($0.type) } }
    guard case .tensor(let type)? = try op.infer(Operands(types)).first,
      let byteCount = HostTensor.byteCount(dtype: type.dtype, shape: type.shape)
    else { return nil }
    let present = operands.compactMap { $0 }
    guard present.reduce(1, { $0 + $1.stepCount }) <= Self.mostSteps else { return nil }
    if let view = ConstantEvaluator.view(op, operands, type, viewBuilder()) { return view }
    let isWeight = op.traits.contains(.decodesWeight) && type.rank >= 2
    if keepsQuantized, isWeight { return nil }
    let operandBytes = Extent.sum(present.map(\.type.byteCount))
    if byteCount <= Self.listByteCount, !isWeight, let numbers = ConstantEvaluator.dequantized(op, operands) {
      return Constant(floats: numbers, shape: type.shape)
    }
    if let scalar = ConstantEvaluator.converted(op, operands) { return Constant(floats: [scalar], shape: type.shape) }
    if byteCount <= Self.smallByteCount, !isWeight {
      return Constant(
        type: type, bytes: Constant.Bytes(try ConstantEvaluator.evaluate(op, operands, source: source)))
    }
    guard Extent(byteCount) <= operandBytes * Self.growth || isWeight else { return nil }
    let attributes = op.attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    return Constant(
      type: type, description: "\(op.name)(\(attributes))", sources: present, compression: op.compression(of: operands)
    ) {
      Constant.Bytes(try ConstantEvaluator.evaluate(op, operands, source: source))
    }
  }
}
