import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Functions of each element.
extension NetworkCall {
  // MARK: One blob

  func activate(_ activation: NetworkActivation) throws {
    switch activation {
    case .relu: try setFunction(.relu)
    case .tanh: try setFunction(.tanh)
    case .sigmoid: try setFunction(.sigmoid)
    case .softsign: try setFunction(.softsign)
    case .softplus: try setFunction(.softplus)
    case .linear(let alpha, let beta):
      try setPointwise("linear") { build, x in
        build.binary(.add, build.binary(.mul, x[0], build.literal(Double(alpha))), build.literal(Double(beta)))
      }
    case .leakyReLU(let alpha):
      try setPointwise("leaky_relu") { build, x in build.binary(.leakyRelu, x[0], build.literal(Double(alpha))) }
    case .thresholdedReLU(let alpha):
      try setPointwise("thresholded_relu") { build, x in
        build.ternary(.select, build.binary(.ge, x[0], build.literal(Double(alpha))), x[0], build.literal(0))
      }
    case .parametricReLU(let alpha):
      try set(
        try pointwise("prelu", [try input()], constants: [try perChannel(alpha)]) { build, x in build.binary(.prelu, x[0], x[1]) })
    case .scaledTanh(let alpha, let beta):
      try setPointwise("scaled_tanh") { build, x in
        build.binary(.mul, build.unary(.tanh, build.binary(.mul, x[0], build.literal(Double(beta)))), build.literal(Double(alpha)))
      }
    case .hardSigmoid(let alpha, let beta):
      try setPointwise("sigmoid_hard") { build, x in
        let line = build.binary(.add, build.binary(.mul, x[0], build.literal(Double(alpha))), build.literal(Double(beta)))
        build.ternary(.clamp, line, build.literal(0), build.literal(1))
      }
    case .elu(let alpha):
      try setPointwise("elu") { build, x in build.ternary(.elu, x[0], build.literal(Double(alpha)), build.literal(1)) }
    case .parametricSoftplus(let alpha, let beta):
      try set(
        try pointwise("softplus", [try input()], constants: [try perChannel(alpha), try perChannel(beta)]) { build, x in
          build.binary(.mul, x[1], build.unary(.softplus, build.binary(.mul, x[0], x[2])))
        })
    case .clampedReLU(let alpha, let beta):
      try setPointwise("clamped_relu") { build, x in
        build.binary(.minimum, build.binary(.leakyRelu, x[0], build.literal(Double(alpha))), build.literal(Double(beta)))
      }
    }
  }

  private func setFunction(_ function: UnaryFunction) throws {
    try setPointwise(function.name) { build, x in build.unary(function, x[0]) }
  }

  func apply(_ function: NetworkFunction) throws { try setFunction(function.unary) }

  func apply(_ function: NetworkUnary, alpha: Float, epsilon: Float, scale: Float, shift: Float) throws {
    try setPointwise(function.rawValue) { build, x in
      var x = x[0]
      if scale != 1 { x = build.binary(.mul, x, build.literal(Double(scale))) }
      if shift != 0 { x = build.binary(.add, x, build.literal(Double(shift))) }
      switch function {
      case .sqrt: build.unary(.sqrt, x)
      case .rsqrt: build.unary(.rsqrt, build.binary(.add, x, build.literal(Double(epsilon))))
      case .inverse: build.unary(.reciprocal, build.binary(.add, x, build.literal(Double(epsilon))))
      case .power: build.binary(.pow, x, build.literal(Double(alpha)))
      case .exp: build.unary(.exp, x)
      case .log: build.unary(.log, x)
      case .abs: build.unary(.abs, x)
      case .threshold: build.binary(.maximum, x, build.literal(Double(alpha)))
      }
    }
  }

  func applyGelu(_ form: NetworkGelu) throws {
    try setPointwise("gelu") { build, x in
      switch form {
      case .exact: build.unary(.geluErf, x[0])
      case .tanh: build.unary(.geluTanh, x[0])
      case .sigmoid: build.binary(.mul, x[0], build.unary(.sigmoid, build.binary(.mul, x[0], build.literal(1.702))))
      }
    }
  }

  func clip(_ lower: Float, _ upper: Float) throws {
    try setPointwise("clip") { build, x in
      build.ternary(.clamp, x[0], build.literal(Double(lower)), build.literal(Double(upper)))
    }
  }

  func negate() throws { try setFunction(.logicalNot) }

  // MARK: Several blobs

  func accumulate(_ accumulation: NetworkAccumulation, _ constant: Float) throws {
    let function: BinaryFunction =
      switch accumulation {
      case .add, .average: .add
      case .multiply: .mul
      case .max: .maximum
      case .min: .minimum
      }
    try setPointwise(accumulation.rawValue) { build, x in
      var result = x[0]
      if x.count == 1, accumulation == .add || accumulation == .multiply {
        result = build.binary(function, result, build.literal(Double(constant)))
      }
      for other in x.dropFirst() { result = build.binary(function, result, other) }
      if accumulation == .average { result = build.binary(.mul, result, build.literal(1 / Double(x.count))) }
    }
    switch accumulation {
    case .add: try noteResult(of: .add, constant: constant)
    case .multiply: try noteResult(of: .mul, constant: constant)
    case .max: try noteResult(of: .max, constant: nil)
    case .min: try noteResult(of: .min, constant: nil)
    case .average: break
    }
  }

  func apply(_ function: NetworkBinary) throws {
    try setPointwise(function.rawValue) { build, x in build.binary(function.binary, x[0], x[1]) }
    if let scalar = function.scalar { try noteResult(of: scalar, constant: nil) }
  }

  func compare(_ comparison: NetworkComparison, _ constant: Float) throws {
    let function: BinaryFunction =
      switch comparison {
      case .equal: .eq
      case .notEqual: .ne
      case .less: .lt
      case .lessEqual: .le
      case .greater: .gt
      case .greaterEqual: .ge
      }
    try setPointwise(comparison.rawValue) { build, x in
      build.binary(function, x[0], x.count > 1 ? x[1] : build.literal(Double(constant)))
    }
    try noteResult(of: comparison.scalar, constant: constant)
  }

  func apply(_ logic: NetworkLogic) throws {
    let function: BinaryFunction =
      switch logic {
      case .and: .logicalAnd
      case .or: .logicalOr
      case .xor: .logicalXor
      }
    try setPointwise(logic.rawValue) { build, x in build.binary(function, x[0], x[1]) }
  }

  /// Of three inputs: a condition, and the values where it is true and false.
  func select() throws {
    try setPointwise("select") { build, x in
      build.ternary(.select, build.binary(.ne, x[0], build.literal(0)), x[1], x[2])
    }
  }

  // MARK: Constants

  func scale(_ scale: NetworkConstant, _ bias: NetworkConstant?) throws {
    let factors = try spread(scale)
    guard let bias else {
      return try set(try pointwise("scale", [try input()], constants: [factors]) { build, x in build.binary(.mul, x[0], x[1]) })
    }
    try set(
      try pointwise("scale", [try input()], constants: [factors, try spread(bias)]) { build, x in
        build.binary(.add, build.binary(.mul, x[0], x[1]), x[2])
      })
  }

  func add(_ bias: NetworkConstant) throws {
    try set(try pointwise("bias", [try input()], constants: [try spread(bias)]) { build, x in build.binary(.add, x[0], x[1]) })
  }

  /// A constant of shape [1], [C], [1, H, W] or [C, H, W], as a value that broadcasts to [C, H, W].
  private func spread(_ constant: NetworkConstant) throws -> ValueID {
    let shape = constant.shape
    switch shape.count {
    case 1: return try weights(constant.values, shape: [shape[0], 1, 1])
    case 3: return try weights(constant.values, shape: shape)
    default: throw CallError("a constant of shape \(shape) does not broadcast to channels")
    }
  }
}

// MARK: Numbers known when importing

extension NetworkCall {
  /// Keeps the numbers of the output if those of the operands are known: two inputs, or one input and the constant.
  private func noteResult(of function: ScalarFunction.Function, constant: Float?) throws {
    var operands: [[GraphNumber]] = []
    for position in layer.inputs.indices {
      guard let numbers = importer.knownNumbers(of: try input(position)), numbers.allSatisfy({ isInteger($0) }) else { return }
      operands.append(numbers)
    }
    if operands.count == 1, let number = constant.flatMap({ Int(exactly: $0) }) {
      operands.append(operands[0].map { _ in GraphNumber(number) })
    }
    guard operands.count == 2 else { return }
    let count = operands.map(\.count).max() ?? 0
    guard operands.allSatisfy({ $0.count == count || $0.count == 1 }) else { return }
    var results: [GraphNumber] = []
    for index in 0..<count {
      let x = try integer(operands[0][operands[0].count == 1 ? 0 : index])
      let y = try integer(operands[1][operands[1].count == 1 ? 0 : index])
      if function == .floorDivide, y.known.map({ $0.intValue == 0 }) ?? true { return }
      let result = try arithmetic(function, x, y)
      // Truth is 0 or 1.
      if case .known(.bool(let truth)) = result { results.append(GraphNumber(truth ? 1 : 0)) } else { results.append(result) }
    }
    guard results.allSatisfy({ isInteger($0) }) else { return }
    try note(results)
  }

  private func isInteger(_ number: GraphNumber) -> Bool {
    switch number {
    case .known(let scalar): scalar.doubleValue == scalar.doubleValue.rounded() && scalar.doubleValue.magnitude < 0x1p24
    case .computed(let value): builder.type(of: value) == .scalar(.int)
    }
  }
}

extension NetworkFunction {
  fileprivate var unary: UnaryFunction {
    switch self {
    case .ceil: .ceil
    case .floor: .floor
    case .sign: .sign
    case .round: .round
    case .exp2: .exp2
    case .sin: .sin
    case .cos: .cos
    case .tan: .tan
    case .asin: .asin
    case .acos: .acos
    case .atan: .atan
    case .sinh: .sinh
    case .cosh: .cosh
    case .tanh: .tanh
    case .asinh: .asinh
    case .acosh: .acosh
    case .atanh: .atanh
    case .erf: .erf
    }
  }
}

extension NetworkBinary {
  fileprivate var binary: BinaryFunction {
    switch self {
    case .add: .add
    case .subtract: .sub
    case .multiply: .mul
    case .divide: .div
    case .floorDivide: .divFloor
    case .modulo: .remainder
    case .power: .pow
    case .max: .maximum
    case .min: .minimum
    }
  }
}

extension NetworkBinary {
  /// The function of integers; nil if it does not give integers.
  fileprivate var scalar: ScalarFunction.Function? {
    switch self {
    case .add: .add
    case .subtract: .sub
    case .multiply: .mul
    case .floorDivide: .floorDivide
    case .max: .max
    case .min: .min
    case .divide, .modulo, .power: nil
    }
  }
}

extension NetworkComparison {
  fileprivate var scalar: ScalarFunction.Function {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessEqual: .lessEqual
    case .greater: .greater
    case .greaterEqual: .greaterEqual
    }
  }
}
