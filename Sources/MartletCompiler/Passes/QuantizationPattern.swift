import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Recognises quantisation and dequantisation in pointwise programs.
enum QuantizationPattern {
  /// The parameters of a node that quantises reals to int8 or uint8; nil if it does anything else. Values for uint8 are reduced by 128,
  /// as for int8.
  static func quantization(_ node: Node, to dtype: DType = .int8) -> IntegerRange? {
    guard let pointwise = node.op(as: Pointwise.self), pointwise.dtype == dtype else { return nil }
    let middle: Int32 = dtype == .uint8 ? 128 : 0
    let steps = Steps(pointwise.program)
    guard steps.load(0), let inverse = steps.factor(of: 0, by: .mul), case .unary(.round, inverse.result) = steps[inverse.result + 1]
    else { return nil }
    var next = inverse.result + 1
    var zeroPoint = 0.0
    if let sum = steps.factor(of: next, by: .add) { (zeroPoint, next) = (sum.literal, sum.result) }
    guard let low = steps.factor(of: next, by: .fmax), let high = steps.factor(of: low.result, by: .fmin),
      high.result == pointwise.program.instructions.count - 1, inverse.literal > 0, inverse.literal.isFinite,
      let zero = Int32(exactly: zeroPoint - Double(middle)), let lowest = Int32(exactly: low.literal - Double(middle)),
      let highest = Int32(exactly: high.literal - Double(middle)), -128 <= lowest, lowest <= highest, highest <= 127,
      (-128...127).contains(zero)
    else { return nil }
    let scale = Float(1 / inverse.literal)
    return scale > 0 && scale.isFinite ? IntegerRange(scale: scale, zeroPoint: zero, lowest: lowest, highest: highest) : nil
  }

  /// The parameters of a node that dequantises int8 or uint8; nil if it does anything else. Values for uint8 are reduced by 128. The
  /// caller must check that the operand has type `dtype`.
  static func dequantization(_ node: Node, of dtype: DType = .int8) -> IntegerRange? {
    guard let pointwise = node.op(as: Pointwise.self), pointwise.dtype == .float32 else { return nil }
    let steps = Steps(pointwise.program)
    guard steps.load(0) else { return nil }
    var next = 0
    var zeroPoint = 0.0
    if let difference = steps.factor(of: 0, by: .sub) { (zeroPoint, next) = (difference.literal, difference.result) }
    guard let scale = steps.factor(of: next, by: .mul), scale.result == pointwise.program.instructions.count - 1,
      scale.literal > 0, Float(scale.literal).isFinite, Float(scale.literal) > 0,
      let zero = Int32(exactly: zeroPoint - (dtype == .uint8 ? 128 : 0)),
      (-128...127).contains(zero)
    else { return nil }
    return IntegerRange(scale: Float(scale.literal), zeroPoint: zero)
  }

  /// A real function of one real tensor.
  static func unaryFunction(_ node: Node) -> PointwiseProgram? {
    guard let pointwise = node.op(as: Pointwise.self), pointwise.dtype == .float32, node.inputs.count == 1,
      pointwise.program.types.allSatisfy({ $0 == .float32 })
    else { return nil }
    for instruction in pointwise.program.instructions {
      if case .scalar = instruction { return nil }
    }
    return pointwise.program
  }

  /// The bounds of a function that clamps its argument; nil if it does anything else.
  static func clamp(_ program: PointwiseProgram) -> (low: Float, high: Float)? {
    guard let start = program.instructions.firstIndex(of: .load(operand: 0, as: .float32)) else { return nil }
    let rest = program.instructions.indices.filter { $0 != start }
    guard let activation = ActivationPattern.match(program, from: start, rest: rest) else { return nil }
    return clamp(activation)
  }

  static func clamp(_ activation: Activation) -> (low: Float, high: Float)? {
    switch activation.kind {
    case .none: (-.infinity, .infinity)
    case .clamp: (activation.low, activation.high)
    default: nil
    }
  }

  /// A sum, difference or product of two real tensors.
  static func binary(_ node: Node) -> IntegerPointwise.Binary? {
    guard let pointwise = node.op(as: Pointwise.self), pointwise.dtype == .float32, node.inputs.count == 2,
      pointwise.program.instructions.count == 3
    else { return nil }
    let steps = Steps(pointwise.program)
    guard case .load(let first, .float32) = steps[0], case .load(let second, .float32) = steps[1], first == 0, second == 1,
      case .binary(let function, let a, let b) = steps[2]
    else { return nil }
    switch (function, a, b) {
    case (.add, 0, 1), (.add, 1, 0): return .add
    case (.sub, 0, 1): return .subtract
    case (.mul, 0, 1), (.mul, 1, 0): return .multiply
    default: return nil
    }
  }

  /// The instructions of a program.
  private struct Steps {
    let program: PointwiseProgram
    init(_ program: PointwiseProgram) { self.program = program }

    subscript(index: Int) -> PointwiseInstruction? {
      program.instructions.indices.contains(index) ? program.instructions[index] : nil
    }

    func load(_ index: Int) -> Bool { self[index] == .load(operand: 0, as: .float32) }

    /// The literal that the next two instructions combine with register `x`, and the register of the result.
    func factor(of x: Int, by function: BinaryFunction) -> (literal: Double, result: Int)? {
      guard case .literal(let scalar, _) = self[x + 1], self[x + 2] == .binary(function, x, x + 1) else { return nil }
      return (scalar.doubleValue, x + 2)
    }
  }
}

extension IntegerRange {
  /// Whether integers represent the same reals in both ranges, regardless of the bounds.
  func means(_ other: IntegerRange) -> Bool {
    zeroPoint == other.zeroPoint && abs(scale - other.scale) <= 4e-7 * scale
  }
}
