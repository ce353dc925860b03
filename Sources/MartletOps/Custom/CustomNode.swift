package import MartletGraph
package import MartletTensor

/// An operator that the package's user has registered: its name, shape rule and kernel.
package struct CustomDefinition: Sendable {
  /// `namespace::name.overload`.
  package let name: String
  /// Whether equal operands always give equal results and nothing else happens.
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

/// A call of an operator that the package's user has registered.
/// - Operands: the tensors and computed numbers that `arguments` refers to.
/// - Results: tensors, row-major, of the types that the user's rule gives; these must be what the file declares.
/// - DTypes: what the user's code makes of them.
/// - Sources: a `.pte`'s calls of operators that ExecuTorch lets its users register.
package struct CustomNode: PlannedOperator {
  package var definition: CustomDefinition
  package var arguments: [CustomArgument]
  /// The results as the file declares them.
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
      // The rule asked for a number that the program has yet to compute: it is asked again when the number is known.
      if let operand = needed.operand { throw .needsValue(operand: operand) }
      throw .invalid("\(error)")
    }
    if let operand = needed.operand { throw .needsValue(operand: operand) }
    guard results.count == declared.count else {
      throw .invalid("its shape rule gives \(results.count) outputs, the file declares \(declared.count)")
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
        throw .invalid("its shape rule says that output \(index) is \(result), the file declares \(signature)")
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
