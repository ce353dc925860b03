package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Moves a pointwise function of a convolution's or matrix product's result into its epilogue: the addition of a tensor of equal shape,
/// and an activation that the kernels apply when they store. For half-precision results the function is then applied before rounding.
package struct FuseEpilogue: GraphPass {
  package let name = "fuse-epilogue"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Pointwise.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, pointwise) = editor.node(at: position, applying: Pointwise.self) else { continue }
      for case let value? in node.inputs {
        guard let producer = editor.producer(of: value), editor.useCount(value) == node.inputs.count(where: { $0 == value }),
          producer.node.outputs == [value], let fused = fuse(producer.node, value, node, pointwise, editor)
        else { continue }
        editor.replace(position, with: fused)
        editor.remove(producer.position)
        break
      }
    }
    return editor.finish(into: &graph)
  }

  private func fuse(_ product: Node, _ value: ValueID, _ node: Node, _ pointwise: Pointwise, _ editor: GraphEditor) -> Node? {
    guard let type = editor.signature(value), [.float32, .float16, .bfloat16].contains(type.dtype), pointwise.dtype == type.dtype,
      type.dimensions == editor.signature(node.outputs[0])?.dimensions, let tail = EpilogueTail(pointwise.program, node, value),
      tail.isPossible
    else { return nil }
    var fused = node
    fused.source = "\(product.source), \(node.source)"
    fused.origins = product.origins.absorbing(node.origins)
    fused.inputs = product.inputs
    let hasResidual = product.inputs.count > 3 && product.inputs[3] != nil
    guard let operation = product.op.planned, let op = operation.fusing(tail.activation, type.dtype, hasResidual: hasResidual)
    else { return nil }
    fused.op = op
    let addends = operation.fusedAddends
    if !addends.isEmpty { while fused.inputs.count < 4 { fused.inputs.append(nil) } }
    guard let addend = tail.addend else { return fused }
    guard !addends.isEmpty, fused.inputs[3] == nil, let other = editor.signature(addend), other.dtype == type.dtype else { return nil }
    // The residual may be computed after the product: the fused node takes the place of the pointwise node.
    if addends.contains(.residual), other.dimensions == type.dimensions {
      fused.inputs[3] = addend
    } else if addends.contains(.bias), fused.inputs[2] == nil, other.rank == 1, other.dimensions.last == type.dimensions.last,
      editor.isConstant(addend)
    {
      fused.inputs[2] = addend
    } else {
      return nil
    }
    return fused
  }
}

/// `activation(value + addend)`, recognised in a pointwise program.
struct EpilogueTail {
  var addend: ValueID?
  var activation = Activation.none
  private(set) var isPossible = false

  init?(_ program: PointwiseProgram, _ node: Node, _ value: ValueID) {
    let program = program.withoutHalfRoundings
    guard program.types.allSatisfy({ $0 == .float32 }) else { return nil }
    let instructions = program.instructions
    guard let start = instructions.firstIndex(where: { $0 == .load(operand: node.inputs.firstIndex(of: value)!, as: .float32) }) else {
      return nil
    }
    // The sum, if the value is used only in a sum.
    var current = start
    let users = instructions.indices.filter { instructions[$0].registers.contains(start) }
    if users.count == 1, case .binary(.add, let a, let b) = instructions[users[0]], a != b,
      case .load(let operand, _) = instructions[a == start ? b : a], node.inputs[operand] != value
    {
      addend = node.inputs[operand]
      current = users[0]
    }
    // All remaining instructions must form the activation of the sum.
    let others = instructions.indices.filter { index in
      if index == start || index == current { return false }
      if case .load(let operand, _) = instructions[index], node.inputs[operand] == addend { return false }
      return true
    }
    if others.isEmpty, current == instructions.count - 1 {
      isPossible = true
      return
    }
    guard let found = ActivationPattern.match(program, from: current, rest: others) else { return nil }
    activation = found
    isPossible = true
  }
}

extension PointwiseProgram {
  /// The program without intermediate rounding to half precision, except for literals, which are rounded in advance. It is closer to the
  /// intended function, as in joined pointwise programs.
  fileprivate var withoutHalfRoundings: PointwiseProgram {
    var result = PointwiseProgram()
    var map: [Int] = []
    for instruction in instructions {
      switch instruction {
      case .narrow(let x, let dtype) where dtype == .float16 || dtype == .bfloat16:
        if case .literal(let number, let type) = result.instructions[map[x]] {
          map.append(result.append(.literal(.double(Self.rounded(Float(number.doubleValue), to: dtype)), as: type)))
        } else {
          map.append(map[x])
        }
      default: map.append(result.append(instruction.renumbered { map[$0] }))
      }
    }
    // The last instruction of a program must compute its result.
    return map.last == result.instructions.count - 1 ? result : self
  }

  private static func rounded(_ value: Float, to dtype: DType) -> Double {
    if dtype == .float16 { return Double(Float16(value)) }
    if !value.isFinite { return Double(value) }
    let bits = value.bitPattern
    return Double(Float(bitPattern: (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000))
  }
}

/// Recognises activations in pointwise programs, written out or as a single function.
enum ActivationPattern {
  /// The activation that the instructions `rest` compute from register `x`; nil if they compute anything else.
  static func match(_ program: PointwiseProgram, from x: Int, rest: [Int]) -> Activation? {
    let result = program.instructions.count - 1
    func literal(_ register: Int) -> Float? {
      if case .literal(let scalar, _) = program.instructions[register] { Float(scalar.doubleValue) } else { nil }
    }
    /// Operand and bounds of a clamp, written as one instruction or as maximum and minimum, and the number of instructions.
    func bounds(_ register: Int) -> (operand: Int, low: Float, high: Float, count: Int)? {
      /// The bounds of a limited value.
      func limited(_ a: Int, _ b: Int) -> (limit: Float, operand: Int, low: Float, high: Float, count: Int)? {
        guard let limit = literal(b) ?? literal(a) else { return nil }
        let value = literal(b) == nil ? b : a
        let inner = bounds(value) ?? (value, -.infinity, .infinity, 0)
        return (limit, inner.operand, inner.low, inner.high, inner.count + 1)
      }
      switch program.instructions[register] {
      case .ternary(.clamp, let operand, let low, let high):
        guard let low = literal(low), let high = literal(high) else { return nil }
        return (operand, low, high, 1)
      case .unary(let function, let value) where function == .relu || function == .relu6:
        let inner = bounds(value) ?? (value, -.infinity, .infinity, 0)
        guard inner.high >= 0, inner.low <= 6 || function == .relu else { return nil }
        return (inner.operand, max(inner.low, 0), function == .relu ? inner.high : min(inner.high, 6), inner.count + 1)
      case .binary(.minimum, let a, let b):
        guard let (limit, operand, low, high, count) = limited(a, b), low <= limit else { return nil }
        return (operand, low, min(limit, high), count)
      case .binary(.maximum, let a, let b):
        guard let (limit, operand, low, high, count) = limited(a, b), limit <= high else { return nil }
        return (operand, max(limit, low), high, count)
      default: return nil
      }
    }
    let arithmetic = rest.filter { !program.instructions[$0].registers.isEmpty }
    guard rest.allSatisfy({ arithmetic.contains($0) || literal($0) != nil }) else { return nil }
    switch program.instructions[result] {
    case .unary(let function, x) where arithmetic.count == 1:
      switch function {
      case .relu: return .relu
      case .relu6: return .clamp(0, 6)
      case .hardswish: return Activation(.hardswish)
      case .hardsigmoid: return Activation(.hardsigmoid)
      case .silu: return Activation(.silu)
      case .sigmoid: return Activation(.sigmoid)
      case .tanh: return Activation(.tanh)
      case .geluErf: return Activation(.geluErf)
      case .geluTanh: return Activation(.geluTanh)
      default: return nil
      }
    case .binary(.leakyRelu, x, let slope) where arithmetic.count == 1:
      return literal(slope).map { Activation(.leakyRelu, low: $0) }
    case .binary(.mul, let a, let b) where arithmetic.count == 2 && (a == x || b == x):
      // x * sigmoid(x)
      if case .unary(.sigmoid, x) = program.instructions[a == x ? b : a] { return Activation(.silu) }
      return nil
    default: break
    }
    if let (operand, low, high, count) = bounds(result), operand == x, count == arithmetic.count { return .clamp(low, high) }
    // x * clamp(x + 3, 0, 6) / 6 and clamp(x + 3, 0, 6) / 6, in any grouping, and with clamp(x / 6 + 0.5, 0, 1).
    func isSixth(_ register: Int) -> Bool {
      // One sixth rounded to half precision is off by a quarter unit in the last place; the activation uses the intended value.
      literal(register).map { abs($0 - 1 / 6) < 1e-7 || $0 == Float(Float16(1) / 6) } ?? false
    }
    /// Number of instructions that compute `clamp(x + 3, 0, 6)` in `register`; nil if it computes anything else.
    func gate(_ register: Int) -> Int? {
      guard let (sum, low, high, count) = bounds(register), low == 0, high == 6,
        case .binary(.add, let a, let b) = program.instructions[sum],
        a == x && literal(b) == 3 || b == x && literal(a) == 3
      else { return nil }
      return count + 1
    }
    /// The register that is divided by six; nil if `register` is not such a quotient.
    func sixfold(_ register: Int) -> Int? {
      guard case .binary(let function, let a, let b) = program.instructions[register] else { return nil }
      if function == .div, literal(b) == 6 { return a }
      if function == .mul, isSixth(b) { return a }
      if function == .mul, isSixth(a) { return b }
      return nil
    }
    /// Number of instructions that compute `clamp(y / 6 + 0.5, 0, 1)` of register y in `register`; nil if it computes anything else.
    func hardsigmoid(_ register: Int, of y: Int) -> Int? {
      if case .unary(.hardsigmoid, y) = program.instructions[register] { return 1 }
      if y == x, let gated = sixfold(register), let count = gate(gated) { return count + 1 }
      guard let (sum, low, high, count) = bounds(register), low == 0, high == 1,
        case .binary(.add, let a, let b) = program.instructions[sum], let line = literal(b) == 0.5 ? a : literal(a) == 0.5 ? b : nil,
        sixfold(line) == y
      else { return nil }
      return count + 2
    }
    /// The threshold t, at most -3, in `x >= t ? x : 0`; nil if `register` computes anything else.
    func threshold(_ register: Int) -> Float? {
      guard case .ternary(.select, let condition, x, let below) = program.instructions[register], literal(below) == 0,
        case .binary(.ge, x, let threshold) = program.instructions[condition], let threshold = literal(threshold), threshold <= -3
      else { return nil }
      return threshold
    }
    if let count = hardsigmoid(result, of: x), arithmetic.count == count { return Activation(.hardsigmoid) }
    if let product = sixfold(result), case .binary(.mul, let a, let b) = program.instructions[product] {
      if a == x || b == x, let count = gate(a == x ? b : a), arithmetic.count == count + 2 { return Activation(.hardswish) }
    }
    if case .binary(.mul, let a, let b) = program.instructions[result] {
      for (y, other) in [(a, b), (b, a)] {
        guard let count = hardsigmoid(other, of: y) else { continue }
        if y == x, arithmetic.count == count + 1 { return Activation(.hardswish) }
        if let threshold = threshold(y), arithmetic.count == count + 3 { return .hardswish(from: threshold) }
      }
    }
    return nil
  }
}
