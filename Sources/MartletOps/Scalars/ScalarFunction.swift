package import MartletGraph
import MartletKernels
package import MartletTensor

/// Arithmetic on one or two scalars, which exporters use for sizes and conditions.
/// - Results: a scalar, known while planning if the operands are. A run-time integer plus or minus a known one remains related to it, so
///   that the difference of two positions can be known while the positions are not.
/// - Sources: `executorch_prim::*.Scalar`, Python's arithmetic on ints and floats.
package struct ScalarFunction: PlannedOperator {
  package static let contract = OperatorContract(
    [.init("a", .number, .any), .init("b", .number, .any, isOptional: true)], accuracy: .exact)

  package enum Function: String, Sendable, Hashable {
    case add, sub, mul, trueDivide, floorDivide, modulo, negate, min, max
    case equal, notEqual, less, lessEqual, greater, greaterEqual, not
    case ceil, floor, round, trunc, toInt, toFloat, choose
  }

  package var function: Function
  package var name: String { "scalar_\(function.rawValue)" }
  package var givesNumber: Bool { true }
  package var attributes: [(name: String, value: String)] { [] }

  package init(_ function: Function) { self.function = function }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var scalars: [ScalarOperand] = []
    for index in 0..<operands.count { scalars.append(try operands.scalar(index)) }
    if let related = relation(scalars) { return [.scalar(related)] }
    var known: [Scalar] = []
    for case .known(let scalar) in scalars { known.append(scalar) }
    if known.count == scalars.count { return [.scalar(.known(try evaluate(known)))] }
    return [.computedScalar(resultKind(scalars.map(\.kind)))]
  }

  /// `a ± known` as an offset from `a`.
  private func relation(_ scalars: [ScalarOperand]) -> ScalarOperand? {
    guard function == .add || function == .sub, scalars.count == 2 else { return nil }
    switch (scalars[0], scalars[1]) {
    case (.runtime(.int, let slot, let offset), .known(.int(let value))):
      let (offset, value) = (Extent(Int(widening: offset)), Int(widening: value))
      guard let sum = (function == .add ? offset + value : offset - value).value else { return nil }
      return .runtime(kind: .int, slot: slot, offset: Int64(widening: sum))
    case (.known(.int(let value)), .runtime(.int, let slot, let offset)) where function == .add:
      guard let sum = (Extent(Int(widening: offset)) + Int(widening: value)).value else { return nil }
      return .runtime(kind: .int, slot: slot, offset: Int64(widening: sum))
    default: return nil
    }
  }

  private func resultKind(_ kinds: [ScalarKind]) -> ScalarKind {
    switch function {
    case .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual, .not: .bool
    case .trueDivide, .toFloat: .double
    case .ceil, .floor, .round, .trunc, .toInt: .int
    case .choose: kinds[1] == .double || kinds[2] == .double ? .double : kinds[1]
    case .add, .sub, .mul, .floorDivide, .modulo, .negate, .min, .max: kinds.contains(.double) ? .double : .int
    }
  }

  /// - Throws: for an integer division by zero, and for a result that is not an integer where one is required.
  package func evaluate(_ x: [Scalar]) throws(OperatorError) -> Scalar {
    let kind = resultKind(x.map(\.kind))
    func integer(_ value: Double) throws(OperatorError) -> Scalar {
      guard let result = Int64(exactly: value) else { throw .invalid("\(value) is not a 64-bit integer") }
      return .int(result)
    }
    let a = x[0]
    let isInteger = kind == .int
    let i = a.intValue ?? 0
    let j = x.count > 1 ? x[1].intValue ?? 0 : 0
    let p = a.doubleValue
    let q = x.count > 1 ? x[1].doubleValue : 0
    switch function {
    case .add: return isInteger ? .int(i &+ j) : .double(p + q)
    case .sub: return isInteger ? .int(i &- j) : .double(p - q)
    case .mul: return isInteger ? .int(i &* j) : .double(p * q)
    case .trueDivide: return .double(p / q)
    case .floorDivide:
      if !isInteger { return .double(floorQuotient(p, q)) }
      if j == 0 { throw .invalid("division by zero") }
      // The only quotient that does not fit is that of the least number and -1; programs' integers wrap.
      if j == -1 { return .int(0 &- i) }
      let quotient = i / j
      return .int(i % j != 0 && (i < 0) != (j < 0) ? quotient - 1 : quotient)
    case .modulo:
      if !isInteger {
        let rest = p.truncatingRemainder(dividingBy: q)
        return .double(rest != 0 && (rest < 0) != (q < 0) ? rest + q : rest)
      }
      if j == 0 { throw .invalid("division by zero") }
      if j == -1 { return .int(0) }
      let rest = i % j
      return .int(rest != 0 && (rest < 0) != (j < 0) ? rest + j : rest)
    case .negate: return isInteger ? .int(0 &- i) : .double(-p)
    case .min: return isInteger ? .int(Swift.min(i, j)) : .double(Swift.min(p, q))
    case .max: return isInteger ? .int(Swift.max(i, j)) : .double(Swift.max(p, q))
    case .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual:
      let bothIntegers = a.kind != .double && x[1].kind != .double
      let order = bothIntegers ? (i < j, i == j) : (p < q, p == q)
      switch function {
      case .equal: return .bool(order.1)
      case .notEqual: return .bool(!order.1)
      case .less: return .bool(order.0)
      case .lessEqual: return .bool(order.0 || order.1)
      case .greater: return .bool(bothIntegers ? i > j : p > q)
      default: return .bool(bothIntegers ? i >= j : p >= q)
      }
    case .not: return .bool(!a.boolValue)
    case .ceil: return a.kind == .double ? try integer(p.rounded(.up)) : .int(i)
    case .floor: return a.kind == .double ? try integer(p.rounded(.down)) : .int(i)
    case .round: return a.kind == .double ? try integer(p.rounded(.toNearestOrEven)) : .int(i)
    case .trunc, .toInt: return a.kind == .double ? try integer(p.rounded(.towardZero)) : .int(i)
    case .toFloat: return .double(p)
    case .choose:
      let chosen = a.boolValue ? x[1] : x[2]
      return kind == .double ? .double(chosen.doubleValue) : chosen
    }
  }

  /// Floored quotient `p / q`, computed from the exact remainder; infinite if `q` is 0.
  private func floorQuotient(_ p: Double, _ q: Double) -> Double {
    if q == 0 { return p.sign == .minus ? -.infinity : .infinity }
    let rest = p.truncatingRemainder(dividingBy: q)
    let quotient = (p - rest) / q
    return rest != 0 && (rest < 0) != (q < 0) ? quotient - 1 : quotient
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let slot = node.outputSlots[0]
    let operands = node.operands.indices.map { node.scalar($0) }
    node.emit(name, bytes: 0) { context in
      do {
        context.set(slot: slot, try evaluate(operands.map { $0.scalar(context) }))
      } catch OperatorError.invalid(let reason) {
        throw KernelError(reason)
      }
    }
  }
}

/// The value of a tensor with one element as a scalar.
/// - Shapes: one element, any rank. - DTypes: the real ones.
/// - Sources: ATen `_local_scalar_dense`; conditions of a `.pte` that are tensors.
package struct ScalarFromTensor: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var kind: ScalarKind
  package var name: String { "scalar_from_tensor" }
  package var givesNumber: Bool { true }

  package init(kind: ScalarKind) { self.kind = kind }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.elementCount == 1 else { throw .invalid("a tensor with one element is needed, not \(x)") }
    return [.computedScalar(kind)]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let slot = node.outputSlots[0]
    let kind = kind
    switch kind {
    case .double:
      let x = node.contiguous(0, as: .float64)
      node.emit(name) { $0.set(slot: slot, .double($0.elements(x, as: Double.self)[0])) }
    case .int, .bool:
      let x = node.contiguous(0, as: kind == .bool ? .bool : .int64)
      if kind == .bool {
        node.emit(name) { $0.set(slot: slot, .bool($0.elements(x, as: UInt8.self)[0] != 0)) }
      } else {
        node.emit(name) { $0.set(slot: slot, .int($0.elements(x, as: Int64.self)[0])) }
      }
    }
  }
}

/// The extent of an axis, or the element count, of a tensor: known once the input shapes are.
/// - Sources: ATen `sym_size.int`, `sym_numel`.
package struct TensorExtent: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// Nil for the element count.
  package var axis: Int?
  package var name: String { "extent" }
  package var givesNumber: Bool { true }

  package init(axis: Int?) { self.axis = axis }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard let axis else { return [.scalar(.known(.int(Int64(widening: x.elementCount))))] }
    guard x.rank > 0, let normal = Shape.normalizedAxis(axis, rank: x.rank) else {
      throw .invalid("axis \(axis) does not fit rank \(x.rank)")
    }
    return [.scalar(.known(.int(Int64(widening: x.shape[normal]))))]
  }

  package func symbolicNumber(_ operands: SymbolicOperands) -> SymbolicExtent? {
    guard let axis, let x = operands.shape(0) else { return nil }
    return Shape.normalizedAxis(axis, rank: x.count).flatMap { operands.extent(0, axis: $0) }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    throw .invalid("extent has no kernel")
  }
}
