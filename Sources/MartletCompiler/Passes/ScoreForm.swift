import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// A pointwise step between attention scores and the softmax: `scores * scale + mask`, a part of it, or `select(mask, scores * scale,
/// -inf)`.
struct ScoreForm {
  enum Mask {
    /// An operand that is added.
    case added(Int)
    /// An operand that is true for visible keys or, with `hides`, for hidden keys.
    case selecting(Int, hides: Bool)
  }

  /// The operand with the scores.
  let scores: Int
  let scale: Double
  let mask: Mask?

  /// All interpretations of the node: in a sum of two operands either may be the mask.
  static func readings(of node: Node, _ editor: GraphEditor) -> [ScoreForm] {
    guard let op = node.op(as: Pointwise.self) else { return [] }
    return Reader(node: node, program: op.program, editor: editor).readings()
  }

  /// The factor of a node that only scales one operand.
  static func factor(of node: Node, _ editor: GraphEditor) -> (operand: Int, scale: Double)? {
    guard let form = readings(of: node, editor).first, form.mask == nil else { return nil }
    return (form.scores, form.scale)
  }

  private struct Reader {
    let node: Node
    let program: PointwiseProgram
    let editor: GraphEditor

    func literal(_ register: Int) -> Double? {
      switch program.instructions[register] {
      case .literal(let scalar, _): return scalar.doubleValue
      case .scalar(let operand, _): return editor.scalar(node.inputs[operand])?.doubleValue
      case .load(let operand, _):
        if let constant = editor.constant(node.inputs[operand]) { return constant.scalarValue?.doubleValue }
        guard let producer = editor.producer(of: node.inputs[operand])?.node, producer.applies(Full.self) else { return nil }
        return editor.scalar(producer.inputs[0])?.doubleValue
      default: return nil
      }
    }

    func load(_ register: Int) -> Int? {
      if case .load(let operand, _) = program.instructions[register] { operand } else { nil }
    }

    /// An operand times literals.
    func scaled(_ register: Int) -> (operand: Int, scale: Double)? {
      guard program.types[register] == .float32 else { return nil }
      if let operand = load(register) { return (operand, 1) }
      guard case .binary(let function, let a, let b) = program.instructions[register] else { return nil }
      if function == .mul, let factor = literal(b), let x = scaled(a) { return (x.operand, x.scale * factor) }
      if function == .mul, let factor = literal(a), let x = scaled(b) { return (x.operand, x.scale * factor) }
      if function == .div, let divisor = literal(b), divisor != 0, let x = scaled(a) { return (x.operand, x.scale / divisor) }
      return nil
    }

    func readings() -> [ScoreForm] {
      let last = program.instructions.count - 1
      guard last >= 0 else { return [] }
      if let (operand, scale) = scaled(last) { return [ScoreForm(scores: operand, scale: scale, mask: nil)] }
      switch program.instructions[last] {
      case .binary(.add, let a, let b):
        var result: [ScoreForm] = []
        for (scores, addend) in [(a, b), (b, a)] {
          guard let x = scaled(scores), let mask = load(addend) else { continue }
          result.append(ScoreForm(scores: x.operand, scale: x.scale, mask: .added(mask)))
        }
        return result
      case .ternary(.select, let flag, let yes, let no):
        guard let mask = load(flag) else { return [] }
        if literal(yes) == -.infinity, let x = scaled(no) {
          return [ScoreForm(scores: x.operand, scale: x.scale, mask: .selecting(mask, hides: true))]
        }
        if literal(no) == -.infinity, let x = scaled(yes) {
          return [ScoreForm(scores: x.operand, scale: x.scale, mask: .selecting(mask, hides: false))]
        }
        return []
      default: return []
      }
    }
  }
}

/// `where(all(scores == -inf), 0, softmax(scores))`, which `torch.export` writes for the softmax of attention: rows whose keys are all
/// hidden become zeros.
struct SafeSoftmax {
  /// The value in the role of the softmax's result.
  let probabilities: ValueID
  /// The value that is compared with -inf.
  let scores: ValueID
  /// Number of uses of `probabilities` in the pattern.
  let useCount: Int

  init?(_ node: Node, _ editor: GraphEditor) {
    guard let op = node.op(as: Pointwise.self), case .ternary(.select, let flag, let yes, let no)? = op.program.instructions.last else {
      return nil
    }
    let instructions = op.program.instructions
    func load(_ register: Int) -> ValueID? {
      if case .load(let operand, _) = instructions[register] { node.inputs[operand].map { editor.resolve($0) } } else { nil }
    }
    /// Whether a register is 0, and the operand that determines its shape.
    func zero(_ register: Int) -> (isZero: Bool, model: ValueID?) {
      if case .literal(let scalar, _) = instructions[register] { return (scalar.doubleValue == 0, nil) }
      guard let value = load(register) else { return (false, nil) }
      if let constant = editor.constant(value) { return (constant.scalarValue?.doubleValue == 0, nil) }
      guard let full = editor.producer(of: value)?.node, let fill = full.op(as: Full.self) else { return (false, nil) }
      let model = fill.shape == nil && full.inputs.count > 1 ? full.inputs[1].map { editor.resolve($0) } : nil
      return (editor.scalar(full.inputs[0])?.doubleValue == 0, model)
    }
    let hidesWhenTrue: Bool
    let kept: ValueID?
    let filler: (isZero: Bool, model: ValueID?)
    if zero(yes).isZero {
      (hidesWhenTrue, kept, filler) = (true, load(no), zero(yes))
    } else {
      (hidesWhenTrue, kept, filler) = (false, load(yes), zero(no))
    }
    guard filler.isZero, let kept, let condition = load(flag),
      let (outer, negations) = Self.negations(condition, editor), let reduction = editor.producer(of: outer)?.node,
      let reduce = reduction.op(as: Reduce.self), reduce.axes.keepsAxes, let reduced = reduction.inputs[0],
      let rank = editor.signature(reduced)?.rank, reduce.axes.axes == [-1] || reduce.axes.axes == [rank - 1],
      let (compared, inner) = Self.comparison(reduced, editor)
    else { return nil }
    // Matches not any(not (s == -inf)) and all(s == -inf).
    let isHidden: Bool
    switch reduce.function {
    case .any where inner % 2 == 1: isHidden = negations % 2 == 1
    case .all where inner % 2 == 0: isHidden = negations % 2 == 0
    default: return nil
    }
    guard isHidden == hidesWhenTrue else { return nil }
    probabilities = kept
    scores = compared
    useCount = filler.model == kept ? 2 : 1
  }

  /// Skips nodes that only negate truth values; returns the value behind them and the number of negations.
  private static func negations(_ value: ValueID, _ editor: GraphEditor) -> (ValueID, Int)? {
    var value = value
    var count = 0
    while let node = editor.producer(of: value)?.node, node.applies(Pointwise.self) {
      guard let (operand, number, isCompared) = chain(node), !isCompared, let x = node.inputs[operand] else { return nil }
      count += number
      value = editor.resolve(x)
    }
    return (value, count)
  }

  /// The value that is compared with -inf, and the number of negations of the outcome.
  private static func comparison(_ value: ValueID, _ editor: GraphEditor) -> (ValueID, Int)? {
    var value = value
    var count = 0
    while let node = editor.producer(of: value)?.node {
      guard let (operand, number, isCompared) = chain(node), let x = node.inputs[operand] else { return nil }
      count += number
      value = editor.resolve(x)
      if isCompared { return (value, count) }
    }
    return nil
  }

  /// Reads a program that compares its only operand with -inf, negates, or both.
  private static func chain(_ node: Node) -> (operand: Int, negations: Int, isCompared: Bool)? {
    guard let program = node.op(as: Pointwise.self)?.program else { return nil }
    var current: Int?
    var operand = 0
    var negations = 0
    var isCompared = false
    func isLowest(_ register: Int) -> Bool {
      if case .literal(let scalar, _) = program.instructions[register] { scalar.doubleValue == -.infinity } else { false }
    }
    for (register, instruction) in program.instructions.enumerated() {
      switch instruction {
      case .load(let index, _):
        guard current == nil else { return nil }
        operand = index
      case .literal: continue
      case .convert(let x, _), .narrow(let x, .bool):
        guard x == current else { return nil }
      case .unary(.logicalNot, let x):
        guard x == current else { return nil }
        negations += 1
      case .binary(.eq, let a, let b):
        guard !isCompared, negations == 0, a == current && isLowest(b) || b == current && isLowest(a) else { return nil }
        isCompared = true
      default: return nil
      }
      current = register
    }
    return current == program.instructions.count - 1 ? (operand, negations, isCompared) : nil
  }
}
