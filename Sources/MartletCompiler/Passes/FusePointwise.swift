package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Joins a pointwise node with the pointwise nodes that produce its operands, if they have no other users. Intermediate results are then
/// never stored.
package struct FusePointwise: GraphPass {
  package let name = "fuse-pointwise"

  /// Limits that keep one block of every register in the first-level cache.
  private static let longestProgram = 40
  private static let mostOperands = 12

  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Pointwise.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      while let fused = fuseOne(position, &editor) {
        editor.replace(position, with: fused)
      }
    }
    return editor.finish(into: &graph)
  }

  /// Joins the producer of one operand to the node at `position` and removes the producer. Returns the joined node.
  private func fuseOne(_ position: Int, _ editor: inout GraphEditor) -> Node? {
    guard let (node, outer) = editor.node(at: position, applying: Pointwise.self) else { return nil }
    let values = node.inputs.compactMap { $0 }.sorted { $0.index < $1.index }
    for (number, value) in values.enumerated() where number == 0 || values[number - 1] != value {
      guard let (innerPosition, innerNode) = editor.producer(of: value), let inner = innerNode.op(as: Pointwise.self),
        editor.useCount(value) == node.inputs.count(where: { $0 == value }),
        outer.program.instructions.count + inner.program.instructions.count <= Self.longestProgram,
        let innerType = ComputeType(for: inner.dtype),
        editor.signature(value)?.dimensions == editor.signature(node.outputs[0])?.dimensions
      else { continue }
      var operands: [ValueID?] = []
      func operand(_ id: ValueID?) -> Int {
        if let known = operands.firstIndex(of: id) { return known }
        operands.append(id)
        return operands.count - 1
      }
      var program = PointwiseProgram()
      func load(_ instruction: PointwiseInstruction, _ program: inout PointwiseProgram) -> Int {
        program.instructions.firstIndex(of: instruction) ?? program.append(instruction)
      }
      let innerResult = program.inline(inner.program) { instruction, program in
        switch instruction {
        case .load(let index, let type): load(.load(operand: operand(innerNode.inputs[index]), as: type), &program)
        case .scalar(let index, let type): load(.scalar(operand: operand(innerNode.inputs[index]), as: type), &program)
        default: preconditionFailure("only loads are replaced")
        }
      }
      let stored = Self.stored(innerResult, as: inner.dtype, innerType, for: outer.dtype, &program)
      _ = program.inline(outer.program) { instruction, program in
        switch instruction {
        case .load(let index, let type) where node.inputs[index] == value:
          return program.types[stored] == type ? stored : program.append(.convert(stored, to: type))
        case .load(let index, let type): return load(.load(operand: operand(node.inputs[index]), as: type), &program)
        case .scalar(let index, let type): return load(.scalar(operand: operand(node.inputs[index]), as: type), &program)
        default: preconditionFailure("only loads are replaced")
        }
      }
      guard operands.count <= Self.mostOperands else { continue }
      // The last instruction of a program must compute its result.
      guard program.types.count > stored else { continue }
      var fused = node
      fused.op = Pointwise(program.withoutPairedNegations, dtype: outer.dtype, label: Self.label(inner.label, outer.label))
      fused.inputs = operands
      fused.source = "\(innerNode.source), \(node.source)"
      fused.origins = innerNode.origins.joined(with: node.origins)
      editor.remove(innerPosition)
      return fused
    }
    return nil
  }

  /// The register as it would be after a store and a load. Rounding to half precision is omitted if the fused result is rounded to the
  /// same type anyway, which is more accurate. It is kept where the value is converted to a wider type, an integer or a truth value.
  private static func stored(
    _ register: Int, as dtype: DType, _ type: ComputeType, for outer: DType, _ program: inout PointwiseProgram
  ) -> Int {
    var value = register
    if program.types[register] != type {
      // Truth values compare with 0 before any truncation to an integer.
      if dtype == .bool, !program.instructions[register].givesTruth {
        value = program.append(.binary(.ne, value, program.append(.literal(.int(0), as: program.types[register]))))
      }
      value = program.append(.convert(value, to: type))
    }
    switch dtype {
    case .float32, .float64, .int64, .uint64: return value
    case .float16, .bfloat16: return outer == dtype ? value : program.append(.narrow(value, dtype))
    default: return program.append(.narrow(value, dtype))
    }
  }

  private static func label(_ inner: String, _ outer: String) -> String {
    let joined = inner + "+" + outer
    // Bytes first, because counting characters is slow.
    return joined.utf8.count > 60 && joined.count > 60 ? "\(joined.prefix(57))…" : joined
  }
}

extension PointwiseInstruction {
  /// Whether the result is 0 or 1 in any type.
  fileprivate var givesTruth: Bool {
    switch self {
    case .unary(let function, _): [.logicalNot, .isnan, .isinf].contains(function)
    case .binary(let function, _, _):
      [.eq, .ne, .lt, .le, .gt, .ge, .logicalAnd, .logicalOr, .logicalXor].contains(function)
    case .load, .scalar, .literal, .ternary, .shift, .convert, .narrow: false
    }
  }
}
