package import MartletGraph
import MartletTensor
import MartletVocabulary

extension Pointwise {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    let gradient = try node.gradient()
    guard dtype == .float32 else { throw .unsupported("the derivative of \(label) in \(dtype)") }
    // Functions whose derivative follows from the result: what they were applied to need not be kept.
    if program.instructions.count == 2, case .unary(let function, _) = program.instructions[1],
      let derived = try ofResult(function, node, gradient)
    {
      return [derived]
    }
    var found: [ValueID?] = []
    for index in 0..<node.operandCount {
      guard node.wants(index) else {
        found.append(nil)
        continue
      }
      var operands: [ValueID] = []
      for other in 0..<node.operandCount { operands.append(try node.operand(other)) }
      let derivative = try PointwiseDerivative(program, operand: index, gradient: operands.count).program
      let (compact, used) = derivative.compacted
      let whole = try node.apply(
        Pointwise(compact, dtype: .float32, label: "\(label)_gradient"), used.map { $0 == operands.count ? gradient : operands[$0] })
      let spread = try node.expanded(whole, toShape: try node.shape(of: gradient))
      found.append(try node.summed(spread, toShape: try node.shape(of: operands[index])))
    }
    return found
  }

  private func ofResult(_ function: UnaryFunction, _ node: NodeGradients, _ gradient: ValueID) throws(OperatorError) -> ValueID? {
    switch function {
    case .relu:
      try node.pointwise("relu_gradient", [node.result(), gradient]) { build, x in
        let isPositive = build.append(.binary(.gt, x[0], build.number(0)))
        build.append(.ternary(.select, isPositive, x[1], build.number(0)))
      }
    case .sigmoid:
      try node.pointwise("sigmoid_gradient", [node.result(), gradient]) { build, x in
        let rest = build.append(.binary(.sub, build.number(1), x[0]))
        build.append(.binary(.mul, x[1], build.append(.binary(.mul, x[0], rest))))
      }
    case .tanh:
      try node.pointwise("tanh_gradient", [node.result(), gradient]) { build, x in
        let rest = build.append(.binary(.sub, build.number(1), build.append(.unary(.square, x[0]))))
        build.append(.binary(.mul, x[1], rest))
      }
    default: nil
    }
  }
}

extension GradientWriting {
  /// The value broadcast to a shape.
  func expanded(_ value: ValueID, toShape shape: [Int]) throws(OperatorError) -> ValueID {
    try self.shape(of: value) == shape ? value : apply(Expand(shape: shape.map { .constant($0) }), [value])
  }
}

extension PointwiseProgram {
  /// Appends a number and returns its register.
  mutating func number(_ value: Double) -> Int { append(.literal(.double(value), as: .float32)) }

  /// The program without instructions that the result does not need, and the operands that it uses, in the order of its own operands.
  fileprivate var compacted: (program: PointwiseProgram, operands: [Int]) {
    var isUsed = [Bool](repeating: false, count: instructions.count)
    isUsed[instructions.count - 1] = true
    for index in instructions.indices.reversed() where isUsed[index] {
      for register in instructions[index].registers { isUsed[register] = true }
    }
    var result = PointwiseProgram()
    var operands: [Int] = []
    var registers = [Int](repeating: 0, count: instructions.count)
    func place(_ operand: Int) -> Int {
      if let known = operands.firstIndex(of: operand) { return known }
      operands.append(operand)
      return operands.count - 1
    }
    for (index, instruction) in instructions.enumerated() where isUsed[index] {
      let moved: PointwiseInstruction =
        switch instruction {
        case .load(let operand, let type): .load(operand: place(operand), as: type)
        case .scalar(let operand, let type): .scalar(operand: place(operand), as: type)
        case .literal: instruction
        case .unary(let function, let x): .unary(function, registers[x])
        case .binary(let function, let x, let y): .binary(function, registers[x], registers[y])
        case .ternary(let function, let x, let y, let z): .ternary(function, registers[x], registers[y], registers[z])
        case .shift(let left, let dtype, let x, let y): .shift(left: left, dtype, registers[x], registers[y])
        case .convert(let x, let type): .convert(registers[x], to: type)
        case .narrow(let x, let dtype): .narrow(registers[x], dtype)
        }
      registers[index] = result.append(moved)
    }
    return (result, operands)
  }
}

/// The derivative of a program with respect to one of its operands, times a gradient: a program with one operand more.
private struct PointwiseDerivative {
  private(set) var program: PointwiseProgram
  /// The gradient of each instruction's result; nil if it does not matter.
  private var gradients: [Int?]

  /// - Parameter gradient: the number of the operand with the gradient.
  init(_ source: PointwiseProgram, operand: Int, gradient: Int) throws(OperatorError) {
    program = source
    gradients = Array(repeating: nil, count: source.instructions.count)
    gradients[source.instructions.count - 1] = program.append(.load(operand: gradient, as: .float32))
    var found: Int?
    for (index, instruction) in source.instructions.enumerated().reversed() {
      guard let gradient = gradients[index] else { continue }
      if case .load(operand, .float32) = instruction {
        found = found.map { sum in program.append(.binary(.add, sum, gradient)) } ?? gradient
      } else {
        try propagate(instruction, result: index, gradient)
      }
    }
    guard let found else { throw .unsupported("there is no derivative with respect to operand \(operand)") }
    // The result is the last instruction.
    if found != program.instructions.count - 1 { program.append(.binary(.mul, found, program.number(1))) }
  }

  private mutating func add(_ gradient: Int, to register: Int) {
    gradients[register] = gradients[register].map { sum in program.append(.binary(.add, sum, gradient)) } ?? gradient
  }

  private mutating func product(_ x: Int, _ y: Int) -> Int { program.append(.binary(.mul, x, y)) }

  private mutating func propagate(_ instruction: PointwiseInstruction, result y: Int, _ g: Int) throws(OperatorError) {
    switch instruction {
    case .load, .scalar, .literal: break
    case .unary(let function, let x): add(try derivative(function, x, y, g), to: x)
    case .binary(.add, let a, let b):
      add(g, to: a)
      add(g, to: b)
    case .binary(.sub, let a, let b):
      add(g, to: a)
      add(program.append(.unary(.neg, g)), to: b)
    case .binary(.mul, let a, let b):
      add(product(g, b), to: a)
      add(product(g, a), to: b)
    case .binary(.div, let a, let b):
      let part = program.append(.binary(.div, g, b))
      add(part, to: a)
      add(program.append(.unary(.neg, product(part, y))), to: b)
    case .ternary(.clamp, let x, let low, let high):
      let isAbove = program.append(.binary(.ge, x, low))
      let inside = program.append(.ternary(.select, program.append(.binary(.le, x, high)), g, program.number(0)))
      add(program.append(.ternary(.select, isAbove, inside, program.number(0))), to: x)
    case .ternary(.select, let condition, let a, let b):
      add(program.append(.ternary(.select, condition, g, program.number(0))), to: a)
      add(program.append(.ternary(.select, condition, program.number(0), g)), to: b)
    case .binary(let function, _, _): throw .unsupported("the derivative of \(function.name)")
    case .ternary(let function, _, _, _): throw .unsupported("the derivative of \(function.name)")
    case .shift, .convert, .narrow: throw .unsupported("the derivative of a conversion")
    }
  }

  /// The gradient of `x` for that of `y = function(x)`.
  private mutating func derivative(_ function: UnaryFunction, _ x: Int, _ y: Int, _ g: Int) throws(OperatorError) -> Int {
    switch function {
    case .relu:
      let isPositive = program.append(.binary(.gt, x, program.number(0)))
      return program.append(.ternary(.select, isPositive, g, program.number(0)))
    case .sigmoid: return product(g, product(y, program.append(.binary(.sub, program.number(1), y))))
    case .tanh: return product(g, program.append(.binary(.sub, program.number(1), program.append(.unary(.square, y)))))
    case .square: return product(g, product(program.number(2), x))
    case .sqrt: return program.append(.binary(.div, product(g, program.number(0.5)), y))
    case .exp: return product(g, y)
    case .log: return program.append(.binary(.div, g, x))
    case .neg: return program.append(.unary(.neg, g))
    case .abs: return product(g, program.append(.unary(.sign, x)))
    case .reciprocal: return program.append(.unary(.neg, product(g, program.append(.unary(.square, y)))))
    default: throw .unsupported("the derivative of \(function.name)")
    }
  }
}
