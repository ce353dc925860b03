package import MartletTensor

/// The reason why an operator cannot be applied to its operands.
package enum OperatorError: Error, Sendable {
  /// The operands do not match: wrong rank, shape, dtype or attribute.
  case invalid(String)
  /// The operands are valid, but this engine does not support them.
  case unsupported(String)
  /// The call would need more memory than it is allowed.
  case overBudget(String)
  /// The output shape depends on the value of this scalar operand, which is not known yet. The planner runs the plan up to this node and
  /// continues with the value.
  case needsValue(operand: Int)
}

/// A scalar operand as the planner sees it.
package enum ScalarOperand: Sendable, Hashable {
  case known(Scalar)
  /// Known only when the plan runs: the value in `slot` plus `offset`, which is 0 unless the kind is int. Two operands with the same slot
  /// differ by a known amount, so that `x[p : p + 4]` has a known extent.
  case runtime(kind: ScalarKind, slot: Int, offset: Int64)

  package var kind: ScalarKind {
    switch self {
    case .known(let scalar): scalar.kind
    case .runtime(let kind, _, _): kind
    }
  }
}

/// An operand or a result during shape inference.
package enum OperandType: Sendable {
  case tensor(TensorType)
  /// A result with extents that are upper bounds until the node has run. `dynamicAxes` lists these axes in the order of their scalar slots.
  case bounded(TensorType, dynamicAxes: [Int])
  case scalar(ScalarOperand)
  /// A scalar result that the node's kernel computes.
  case computedScalar(ScalarKind)
  case string(String)
}

/// An integer attribute that may be a run-time value.
package enum IntArgument: Sendable, Hashable {
  case constant(Int)
  /// Index of the operand.
  case operand(Int)
}

/// The operands of a node, for shape inference.
package struct Operands: Sendable {
  package let all: [OperandType?]

  package init(_ all: [OperandType?]) { self.all = all }

  package var count: Int { all.count }

  package func tensor(_ index: Int) throws(OperatorError) -> TensorType {
    guard index < all.count, case .tensor(let type) = all[index] else {
      throw .invalid("operand \(index) must be a tensor")
    }
    return type
  }

  /// The tensor operand; nil if it is absent.
  package func optionalTensor(_ index: Int) -> TensorType? {
    guard index < all.count, case .tensor(let type)? = all[index] else { return nil }
    return type
  }

  package func scalar(_ index: Int) throws(OperatorError) -> ScalarOperand {
    guard index < all.count, case .scalar(let scalar)? = all[index] else {
      throw .invalid("operand \(index) must be a number")
    }
    return scalar
  }

  /// The scalar's value; throws `needsValue` if it is a run-time value.
  package func known(_ index: Int) throws(OperatorError) -> Scalar {
    guard case .known(let scalar) = try scalar(index) else { throw .needsValue(operand: index) }
    return scalar
  }

  /// The integer's value; throws `needsValue` if it is a run-time value.
  package func int(_ argument: IntArgument) throws(OperatorError) -> Int {
    switch argument {
    case .constant(let value): return try bounded(value)
    case .operand(let index):
      guard let value = try known(index).intValue.flatMap({ Int(exactly: $0) }) else {
        throw .invalid("operand \(index) must be an integer")
      }
      return try bounded(value)
    }
  }

  /// Limits integers to the largest element count. Valid extents and positions are far smaller, and sums of a few such integers cannot
  /// overflow.
  private func bounded(_ value: Int) throws(OperatorError) -> Int {
    guard value.magnitude <= UInt(clamping: Shape.largestElementCount) else { throw .invalid("the integer \(value) is too large") }
    return value
  }

  /// A position that is clamped to an axis. As `int`, but numbers beyond any extent become the nearer end of the allowed range.
  package func position(_ argument: IntArgument) throws(OperatorError) -> Int {
    let value: Int
    switch argument {
    case .constant(let constant): value = constant
    case .operand(let index):
      guard let known = try known(index).intValue.flatMap({ Int(exactly: $0) }) else {
        throw .invalid("operand \(index) must be an integer")
      }
      value = known
    }
    return min(max(value, -Shape.largestElementCount), Shape.largestElementCount)
  }

  package func ints(_ arguments: [IntArgument]) throws(OperatorError) -> [Int] {
    var result: [Int] = []
    for argument in arguments { result.append(try int(argument)) }
    return result
  }

  /// `end - start`, which may be known even if neither of the two is.
  package func difference(_ end: IntArgument, _ start: IntArgument) throws(OperatorError) -> Int {
    if case .operand(let e) = end, case .operand(let s) = start,
      case .runtime(_, let endSlot, let endOffset) = try scalar(e), case .runtime(_, let startSlot, let startOffset) = try scalar(s),
      endSlot == startSlot
    {
      return try distance(Int(widening: endOffset), Int(widening: startOffset))
    }
    return try distance(try position(end), try position(start))
  }

  private func distance(_ end: Int, _ start: Int) throws(OperatorError) -> Int {
    guard let result = (Extent(end) - start).value else { throw .invalid("\(end) - \(start) overflows") }
    return try bounded(result)
  }
}

/// An operation of the graph with its attributes. Operands and results are values of the graph.
///
/// This protocol describes an operator's name, attributes, shape rules and traits; `PlannedOperator` (MartletOps) adds how it runs.
package protocol Operator: Sendable {
  /// Lower-case name for dumps and messages, e.g. `softmax`.
  var name: String { get }
  /// Attributes for dumps, in declaration order.
  var attributes: [(name: String, value: String)] { get }
  /// True if the results depend only on the operands and there are no side effects; false for random numbers.
  var isPure: Bool { get }
  /// True if the only result is a scalar; the results of all other operators are tensors.
  var givesNumber: Bool { get }
  /// The operator as seen by the layer that runs it; nil if it has no kernels. That layer implements this property, because a
  /// dynamic cast to a protocol searches all conformances of the process for every operator type of the first model.
  var refinement: AnyObject? { get }
  /// Types of the results for operands of concrete shape. Throws if the operands do not match.
  func infer(_ operands: Operands) throws(OperatorError) -> [OperandType]
  /// The shape rule for extents known only per call: the extents of the first result, a tensor. Nil without such a rule; an element is nil
  /// where the operands do not determine the extent.
  func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]?
  /// The extent that the only result, a scalar, is equal to; nil if unknown.
  func symbolicNumber(_ operands: SymbolicOperands) -> SymbolicExtent?
  /// Properties that passes rely on.
  var traits: OperatorTraits { get }
  /// Operands that are tables: a run reads the rows that other operands select, and no more. Nil unless the operator is made for that.
  var tableOperands: Range<Int>? { get }
}

extension Operator {
  package var isPure: Bool { true }
  package var givesNumber: Bool { false }
  package var refinement: AnyObject? { nil }
  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? { nil }
  package func symbolicNumber(_ operands: SymbolicOperands) -> SymbolicExtent? { nil }
  package var traits: OperatorTraits { .none }
  package var tableOperands: Range<Int>? { nil }

  package var attributes: [(name: String, value: String)] {
    Mirror(reflecting: self).children.compactMap { child in
      guard let label = child.label else { return nil }
      return (label, attributeText(child.value))
    }
  }
}

/// A value as text for dumps: `none` for nil, the wrapped value of an optional, lists in brackets, and other values by their description,
/// or by type name and members.
private func attributeText(_ value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  func parts() -> String {
    mirror.children.map { child in
      let text = attributeText(child.value)
      // Labels of tuple elements without names are `.0`, `.1`, ….
      guard let label = child.label, !label.hasPrefix(".") else { return text }
      return "\(label): \(text)"
    }.joined(separator: ", ")
  }
  switch mirror.displayStyle {
  case .optional: return mirror.children.first.map { attributeText($0.value) } ?? "none"
  case .collection: return "[\(parts())]"
  case _ where value is any CustomStringConvertible: return "\(value)"
  case .tuple: return "(\(parts()))"
  case .struct: return "\(type(of: value))(\(parts()))"
  case .enum:
    // A case with values is one child, labelled with the case's name.
    guard let child = mirror.children.first, let label = child.label else { return "\(value)" }
    let inner = Mirror(reflecting: child.value).displayStyle == .tuple ? attributeText(child.value) : "(\(attributeText(child.value)))"
    return label + inner
  default: return "\(value)"
  }
}
