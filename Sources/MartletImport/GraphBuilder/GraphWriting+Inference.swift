package import MartletGraph
import MartletTensor

/// Result shapes for formats that do not declare them.
extension GraphWriting {
  /// Values that stand for all open extents and computed integers while the operator's shape rule is applied. Small and large ones, even and
  /// odd ones: an extent of a result counts as fixed if it is the same for all of them that the operator accepts.
  private var openExtents: [Int] { [1, 2, 7, 60, 96, 480] }

  /// Appends a node whose results have the types that the operator's own shape rule gives.
  ///
  /// - Throws: `CallError` if the operator rejects the operands, for every extent that they may have.
  package func inferred(_ op: any Operator, _ operands: [ValueID?]) throws(CallError) -> [ValueID] {
    builder.addNode(op, operands, types: try resultTypes(of: op, operands))
  }

  /// Appends a node with one result, or returns the first one; see `inferred`.
  package func applied(_ op: any Operator, _ operands: [ValueID?]) throws(CallError) -> ValueID {
    guard let result = try inferred(op, operands).first else { throw CallError("\(op.name) has no result") }
    return result
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private func resultTypes(of op: any Operator, _ operands: [ValueID?]) throws(CallError) -> [ValueType] {
    var isOpen = false
    for case let operand? in operands {
      switch builder.type(of: operand) {
      case .tensor(let signature): if signature.fixedShape == nil { isOpen = true }
      case .scalar: if builder.scalar(operand) == nil { isOpen = true }
      case .string, .none: break
      }
    }
    if !isOpen { return try inferredTypes(of: op, operands, open: 1).get().map(ValueType.init) }
    var found: [[ValueType]] = []
    var failure: CallError?
    for extent in openExtents {
      switch inferredTypes(of: op, operands, open: extent) {
      case .success(let types): found.append(types.map(ValueType.init))
      case .failure(let error): failure = error
      }
    }
    guard let first = found.first else { throw failure ?? CallError("the shape of the result is not known") }
    guard found.allSatisfy({ $0.count == first.count }) else { throw CallError("the number of results depends on the shapes") }
    return first.indices.map { position in
      // A single accepted extent does not show which extents depend on it.
      ValueType(common: found.map { $0[position] }, isCertain: found.count > 1)
    }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private func inferredTypes(of op: any Operator, _ operands: [ValueID?], open: Int) -> Result<[OperandType], CallError> {
    let types = operands.enumerated().map { position, operand -> OperandType? in
      guard let operand else { return nil }
      switch builder.type(of: operand) {
      case .tensor(let signature): return .tensor(signature.type(open: open))
      case .scalar(let kind):
        if let scalar = builder.scalar(operand) { return .scalar(.known(scalar)) }
        return .scalar(kind == .int ? .known(.int(Int64(widening: open))) : .runtime(kind: kind, slot: position, offset: 0))
      case .string, .none: return nil
      }
    }
    do throws(OperatorError) {
      return .success(try op.infer(Operands(types)))
    } catch .invalid(let reason), .unsupported(let reason) {
      return .failure(CallError(reason))
    } catch .overBudget(let reason) {
      return .failure(CallError(reason, isOverLimit: true))
    } catch {
      return .failure(CallError("the shape of the result depends on a number that is not known before the model runs"))
    }
  }
}

extension TensorSignature {
  /// The type with `open` in place of every extent that is not fixed.
  fileprivate func type(open: Int) -> TensorType {
    TensorType(
      dtype,
      dimensions.map { dimension in
        switch dimension {
        case .fixed(let extent): extent
        case .symbolic(let bound): min(open, bound ?? open)
        }
      })
  }
}

extension ValueType {
  fileprivate init(_ result: OperandType) {
    switch result {
    case .tensor(let type): self = .tensor(TensorSignature(type))
    case .bounded(let type, let axes):
      var signature = TensorSignature(type)
      for axis in axes where signature.dimensions.indices.contains(axis) { signature.dimensions[axis] = .symbolic(bound: type.shape[axis]) }
      self = .tensor(signature)
    case .scalar(let scalar): self = .scalar(scalar.kind)
    case .computedScalar(let kind): self = .scalar(kind)
    case .string: self = .string
    }
  }

  /// The type of a result that has these types for different extents of the operands.
  fileprivate init(common types: [ValueType], isCertain: Bool) {
    self = types[0]
    guard case .tensor(var signature) = types[0] else { return }
    for case .tensor(let other) in types.dropFirst() where other.rank == signature.rank {
      for axis in signature.dimensions.indices where other.dimensions[axis] != signature.dimensions[axis] {
        signature.dimensions[axis] = .symbolic(bound: nil)
      }
    }
    if !isCertain { signature.dimensions = signature.dimensions.map { _ in .symbolic(bound: nil) } }
    self = .tensor(signature)
  }
}
