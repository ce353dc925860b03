package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Converts quantised uint8 values to int8, with zero points reduced by 128, because the kernels work on int8.
///
/// Reals are quantised directly to int8. Conversions between the two types remain where a method has uint8 inputs or outputs.
package struct SignedQuantization: GraphPass {
  package let name = "signed-quantization"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.hasTensors(of: [.uint8]) else { return false }
    var editor = GraphEditor(taking: &graph)
    /// The int8 value for each uint8 value.
    var signed: [ValueID: ValueID] = [:]
    for position in editor.positions {
      guard var node = editor.node(at: position), node.inputs.count == 1, node.outputs.count == 1, let x = node.inputs[0] else { continue }
      if let range = QuantizationPattern.quantization(node, to: .uint8), let type = int8(like: node.outputs[0], editor) {
        let op = Pointwise.quantize(
          QuantizationParameters(scale: Double(range.scale), zeroPoint: Int64(widening: range.zeroPoint)),
          to: Int64(widening: range.lowest)...Int64(widening: range.highest), from: .float32, as: .int8)
        let value = editor.insert(op, [x], type: type, before: position, source: node.source)
        signed[node.outputs[0]] = value
        node.op = shift(by: 128, to: .uint8)
        node.inputs = [value]
      } else if let range = QuantizationPattern.dequantization(node, of: .uint8), editor.dtype(x) == .uint8,
        !editor.isConstant(x), let type = int8(like: x, editor)
      {
        let value =
          signed[x] ?? editor.insert(shift(by: -128, to: .int8), [x], type: type, before: position, source: node.source)
        signed[x] = value
        node.op = Pointwise.dequantize(
          QuantizationParameters(scale: Double(range.scale), zeroPoint: Int64(widening: range.zeroPoint)), from: .int8, as: .float32)
        node.inputs = [value]
      } else {
        continue
      }
      editor.replace(position, with: node)
    }
    return editor.finish(into: &graph)
  }

  private func int8(like value: ValueID, _ editor: GraphEditor) -> ValueType? {
    guard var signature = editor.signature(value) else { return nil }
    signature.dtype = .int8
    return .tensor(signature)
  }

  private func shift(by difference: Double, to dtype: DType) -> Pointwise {
    var program = PointwiseProgram()
    let x = program.append(.load(operand: 0, as: .float32))
    program.append(.binary(.add, x, program.append(.literal(.double(difference), as: .float32))))
    return Pointwise(program, dtype: dtype, label: dtype == .int8 ? "to_int8" : "to_uint8")
  }
}
