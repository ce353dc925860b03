package import MartletGraph
package import MartletTensor

/// A custom operator registered by the package's user: its name, shape rule and kernel.
package struct CustomDefinition: Sendable {
  /// `namespace::name.overload`.
  package let name: String
  /// Whether the results depend only on the operands and there are no side effects.
  package let isPure: Bool
  /// Types of the results.
  package let infer: @Sendable (CustomArguments) throws -> [TensorType]
  /// Computes the results.
  package let kernel: @Sendable (CustomCall) throws -> Void

  package init(
    name: String, isPure: Bool, infer: @escaping @Sendable (CustomArguments) throws -> [TensorType],
    kernel: @escaping @Sendable (CustomCall) throws -> Void
  ) {
    self.name = name
    self.isPure = isPure
    self.infer = infer
    self.kernel = kernel
  }
}

/// A call of a custom operator registered by the package's user.
/// - Operands: the tensors and computed scalars that `arguments` refers to.
/// - Results: row-major tensors with the types returned by the shape rule, which must match the declaration in the file.
/// - DTypes: determined by the user's code.
/// - Sources: a `.pte`'s calls of operators that ExecuTorch lets its users register.
package struct CustomNode: PlannedOperator {
  package static let contract = OperatorContract([.init("operands", .data, .any, repeats: true)], accuracy: .exact)

  package var definition: CustomDefinition
  package var arguments: [CustomArgument]
  /// The results as declared in the file.
  package var declared: [TensorSignature]

  package var name: String { definition.name }
  package var isPure: Bool { definition.isPure }
  package var attributes: [(name: String, value: String)] {
    [("arguments", "(\(arguments.map(\.description).joined(separator: ", ")))")]
  }

  package init(_ definition: CustomDefinition, arguments: [CustomArgument], declared: [TensorSignature]) {
    self.definition = definition
    self.arguments = arguments
    self.declared = declared
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let needed = CustomArguments.NeededValue()
    let results: [TensorType]
    do {
      results = try definition.infer(CustomArguments(list: arguments, phase: .planning(operands, needed)))
    } catch {
      // The rule requested a scalar that the program has yet to compute. It is called again when the value is known.
      if let operand = needed.operand { throw .needsValue(operand: operand) }
      throw .invalid("\(error)")
    }
    if let operand = needed.operand { throw .needsValue(operand: operand) }
    guard results.count == declared.count else {
      throw .invalid("its shape rule returns \(results.count) outputs, but the file declares \(declared.count)")
    }
    for (index, (result, signature)) in zip(results, declared).enumerated() {
      let fits = result.dtype == signature.dtype && result.rank == signature.rank
      guard fits, !result.shape.contains(where: { $0 < 0 }),
        zip(result.shape, signature.dimensions).allSatisfy({ extent, dimension in
          switch dimension {
          case .fixed(let expected): extent == expected
          case .symbolic(let bound): bound.map { extent <= $0 } ?? true
          }
        })
      else {
        throw .invalid("output \(index) of its shape rule is \(result), but the file declares \(signature)")
      }
    }
    return results.map { .tensor($0) }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    var inputs: [TensorView?] = []
    var scalars: [RuntimeScalar?] = []
    for index in node.operands.indices {
      let isScalar = if case .scalar = node.operands[index] { true } else { false }
      inputs.append(node.has(index) ? node.contiguous(index) : nil)
      scalars.append(isScalar ? node.scalar(index) : nil)
    }
    let binding = CustomBinding(inputs: inputs, scalars: scalars, outputs: node.outputs)
    let kernel = definition.kernel
    let arguments = arguments
    node.emit(name, evenIfEmpty: true) { context in try kernel(CustomCall(binding, arguments, context)) }
  }
}
