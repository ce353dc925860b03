extension Operator {
  /// Returns true if both operators have one type and equal stored properties, so that they compute the same from the same operands.
  ///
  /// Properties that are not `Hashable` are compared part by part, and instances of classes by identity. What cannot be compared, such as a
  /// function, counts as different. Reflection makes this slow: it is meant for pairs that agree in everything else.
  package func isEqual(to other: any Operator) -> Bool { areEqual(self, other) }
}

private func areEqual(_ a: Any, _ b: Any) -> Bool {
  if let a = a as? AnyHashable, let b = b as? AnyHashable { return a == b }
  let (first, second) = (Mirror(reflecting: a), Mirror(reflecting: b))
  guard first.subjectType == second.subjectType, first.children.count == second.children.count else { return false }
  switch first.displayStyle {
  case .class: return a as AnyObject === b as AnyObject
  case .enum where first.children.isEmpty: return "\(a)" == "\(b)"
  case .struct, .tuple, .optional, .collection, .enum:
    return zip(first.children, second.children).allSatisfy { $0.label == $1.label && areEqual($0.value, $1.value) }
  default: return false
  }
}
