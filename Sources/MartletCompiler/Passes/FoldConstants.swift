package import MartletGraph
import MartletOps
import MartletTensor

/// Replaces nodes whose operands are constants by constants. Results that are not small are computed when a plan asks
/// for them, so that a weight which only passes through to be packed is never kept unpacked.
///
/// With `keepsQuantized`, weights that are stored as integers stay behind their `Dequantize` node, for patterns that look for
/// them (`QuantizedWeight`); the last run in a pipeline must be without.
package struct FoldConstants: GraphPass {
  package let name = "fold-constants"

  /// Results up to this size are computed at once.
  private static let smallByteCount = 4096
  /// Lists of numbers up to this size that are quantised, such as biases, as well.
  private static let listByteCount = 64 << 10
  /// Larger results must not be larger than the operands by more than this factor: a filled or expanded tensor is
  /// cheaper to make than to keep.
  private static let growth = 4

  /// Nodes that a constant is computed by, counted once for each use: each takes stack, and time whenever it is computed.
  private static let mostSteps = 64

  package let keepsQuantized: Bool

  package init(keepsQuantized: Bool = false) { self.keepsQuantized = keepsQuantized }

  package func rewrite(_ graph: Graph) throws -> Graph? {
    var editor = GraphEditor(graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), node.outputs.count == 1, node.regions.isEmpty else { continue }
      var operands: [Constant?] = []
      var areConstant = true
      for input in node.inputs {
        if let constant = editor.constant(input) {
          operands.append(constant)
        } else if input == nil {
          operands.append(nil)
        } else {
          areConstant = false
        }
      }
      guard areConstant, operands.contains(where: { $0 != nil }), node.op.isPure, node.op.planned != nil,
        let folded = try? fold(node, operands)
      else { continue }
      let value = editor.add(Value(type: .tensor(TensorSignature(folded.type)), origin: .constant(folded)))
      editor.replaceUses(of: node.outputs[0], by: value)
      editor.remove(position, label: "\(name): \(node.source)")
    }
    return editor.finish()
  }

  private func fold(_ node: Node, _ operands: [Constant?]) throws -> Constant? {
    let types: [OperandType?] = operands.map { $0.map { .tensor($0.type) } }
    guard case .tensor(let type)? = try node.op.infer(Operands(types)).first,
      let byteCount = HostTensor.byteCount(dtype: type.dtype, shape: type.shape)
    else { return nil }
    let present = operands.compactMap { $0 }
    guard present.reduce(1, { $0 + $1.stepCount }) <= Self.mostSteps else { return nil }
    if let permute = node.op as? Permute, let source = present.first {
      let view = TensorView(buffer: BufferID(0), dtype: source.type.dtype, shape: source.type.shape, strides: source.strides)
        .permuted(permute.axes.map { $0 < 0 ? $0 + source.type.rank : $0 })
      return Constant(viewOf: source, shape: view.shape, strides: view.strides)
    }
    let isWeight = node.op is Dequantize && type.rank >= 2
    if keepsQuantized, isWeight { return nil }
    let operandBytes = present.reduce(0) { $0 + $1.type.byteCount }
    let op = node.op
    let source = node.source
    if byteCount <= Self.listByteCount, !isWeight, let numbers = ConstantEvaluator.dequantized(op, operands) {
      return Constant(floats: numbers, shape: type.shape)
    }
    if let scalar = ConstantEvaluator.converted(op, operands) { return Constant(floats: [scalar], shape: type.shape) }
    if byteCount <= Self.smallByteCount, !isWeight {
      return Constant(
        type: type, bytes: Constant.Bytes(try ConstantEvaluator.evaluate(op, operands, source: source)))
    }
    guard byteCount <= operandBytes * Self.growth || isWeight else { return nil }
    let attributes = op.attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    return Constant(type: type, description: "\(op.name)(\(attributes))", sources: present) {
      Constant.Bytes(try ConstantEvaluator.evaluate(op, operands, source: source))
    }
  }
}
