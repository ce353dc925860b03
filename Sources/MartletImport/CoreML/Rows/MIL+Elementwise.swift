import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Arithmetic, comparisons, logic and elementary functions.
let milElementwiseRows: MILCallTable = [
  "add": arithmetic(.add, numbers: .add),
  "sub": arithmetic(.sub, numbers: .sub),
  "mul": arithmetic(.mul, numbers: .mul),
  "floor_div": arithmetic(.divFloor, numbers: .floorDivide),
  "mod": arithmetic(.remainder, numbers: .modulo),
  "maximum": arithmetic(.maximum, numbers: .max),
  "minimum": arithmetic(.minimum, numbers: .min),
  "pow": arithmetic(.pow, numbers: nil),
  // Also for integers. The quotient is truncated if the result is an integer.
  "real_div": { call in
    let type = try call.dtype("x")
    try call.pointwise("div", ["x", "y"], in: type.isFloatingPoint ? nil : .float32) { build, x in build.binary(.div, x[0], x[1]) }
  },

  "equal": arithmetic(.eq, numbers: .equal),
  "not_equal": arithmetic(.ne, numbers: .notEqual),
  "less": arithmetic(.lt, numbers: .less),
  "less_equal": arithmetic(.le, numbers: .lessEqual),
  "greater": arithmetic(.gt, numbers: .greater),
  "greater_equal": arithmetic(.ge, numbers: .greaterEqual),

  "logical_and": arithmetic(.logicalAnd, numbers: nil),
  "logical_or": arithmetic(.logicalOr, numbers: nil),
  "logical_xor": arithmetic(.logicalXor, numbers: nil),
  "logical_not": unary(.logicalNot),

  "abs": unary(.abs),
  "acos": unary(.acos),
  "asin": unary(.asin),
  "atan": unary(.atan),
  "atanh": unary(.atanh),
  "ceil": rounding(.ceil) { $0.rounded(.up) },
  "cos": unary(.cos),
  "cosh": unary(.cosh),
  "erf": unary(.erf),
  "exp": unary(.exp),
  "exp2": unary(.exp2),
  "floor": rounding(.floor) { $0.rounded(.down) },
  "round": rounding(.round) { $0.rounded(.toNearestOrEven) },
  "sign": unary(.sign),
  "sin": unary(.sin),
  "sinh": unary(.sinh),
  "sqrt": unary(.sqrt),
  "square": unary(.square),
  "tan": unary(.tan),
  "tanh": unary(.tanh),

  "inverse": shifted(.reciprocal, epsilon: 1e-4),
  "log": shifted(.log, epsilon: 1e-45),
  "rsqrt": shifted(.rsqrt, epsilon: 1e-12),

  "clip": { call in
    let (low, high) = (try call.double("alpha"), try call.double("beta"))
    try call.pointwise("clip", ["x"]) { build, x in build.ternary(.clamp, x[0], build.literal(low), build.literal(high)) }
  },
  "threshold": { call in
    let low = try call.double("alpha")
    try call.pointwise("threshold", ["x"]) { build, x in build.binary(.maximum, x[0], build.literal(low)) }
  },

  "cast": { call in
    // The declared type of the result is equivalent to parameter dtype.
    let target = try call.outputDType()
    if let numbers = try call.shallowNumbers("x"), try call.castNumbers(numbers, to: target) { return }
    try call.setConverted(try call.tensor("x"))
  },
  "select": { call in
    if let condition = try call.shallowNumbers("cond"), condition.count == 1, let first = condition[0].known {
      let chosen = first.boolValue ? "a" : "b"
      if try call.signature(chosen) == call.outputSignature() { return try call.set(try call.bound(chosen)) }
    }
    let type = try call.dtype("a")
    try call.pointwise("select", ["cond", "a", "b"], in: type) { build, x in build.ternary(.select, x[0], x[1], x[2]) }
  },
]

/// `function` of x and y. Integers computed from shapes stay numbers.
private func arithmetic(_ function: BinaryFunction, numbers: ScalarFunction.Function?) -> MILCallImporter {
  { call in
    if let numbers, try call.numberwise(numbers) { return }
    try call.pointwise(function.name, ["x", "y"]) { build, x in build.binary(function, x[0], x[1]) }
  }
}

private func unary(_ function: UnaryFunction) -> MILCallImporter {
  { call in try call.pointwise(function.name, ["x"]) { build, x in build.unary(function, x[0]) } }
}

private func rounding(_ function: UnaryFunction, _ fold: @escaping @Sendable (Double) -> Double) -> MILCallImporter {
  { call in
    if let numbers = try call.shallowNumbers("x"), try call.outputDType() == .float32 {
      let known = numbers.compactMap(\.known)
      if known.count == numbers.count { return try call.set(numbers: known.map { .known(.double(fold($0.doubleValue))) }) }
    }
    try call.pointwise(function.name, ["x"]) { build, x in build.unary(function, x[0]) }
  }
}

/// A function of x and a small number that avoids a pole.
private func shifted(_ function: UnaryFunction, epsilon: Double) -> MILCallImporter {
  { call in
    let epsilon = try call.double("epsilon", default: epsilon)
    try call.pointwise(function.name, ["x"]) { build, x in
      build.unary(function, build.binary(.add, x[0], build.literal(epsilon)))
    }
  }
}

extension MILCall {
  /// Applies a function to x and y if both are lists of numbers, and assigns the result. Returns false otherwise.
  fileprivate mutating func numberwise(_ function: ScalarFunction.Function) throws -> Bool {
    guard let x = try shallowNumbers("x"), let y = try shallowNumbers("y"), !x.isEmpty, !y.isEmpty,
      x.count == y.count || x.count == 1 || y.count == 1
    else { return false }
    let types = (try dtype("x"), try dtype("y"))
    let result = try outputDType()
    let isInteger = types.0.isInteger && types.1.isInteger && (result.isInteger || result == .bool)
    let isKnown = (x + y).allSatisfy { $0.known != nil } && (result == .float32 || result == .bool)
    guard isInteger || isKnown, try outputRank() <= 1 else { return false }
    var numbers: [GraphNumber] = []
    for index in 0..<max(x.count, y.count) {
      var number = try arithmetic(function, x[x.count == 1 ? 0 : index], y[y.count == 1 ? 0 : index])
      // Known floating-point numbers are rounded in the same way as elements of tensors.
      if let known = number.known, known.kind == .double { number = .known(.double(Double(Float(known.doubleValue)))) }
      numbers.append(number)
    }
    try set(numbers: numbers)
    return true
  }

  /// Converts numbers to another type and assigns them to the result if they can stay numbers.
  fileprivate mutating func castNumbers(_ numbers: [GraphNumber], to target: DType) throws -> Bool {
    let source = try dtype("x")
    if source.isInteger, target == .int32 || target == .int64 {
      try set(numbers: numbers)
      return true
    }
    guard [.int32, .int64, .float32, .bool].contains(target) else { return false }
    var cast: [GraphNumber] = []
    for number in numbers {
      guard let known = number.known else { return false }
      switch target {
      case .bool: cast.append(.known(.bool(known.boolValue)))
      case .float32: cast.append(.known(.double(Double(Float(known.doubleValue)))))
      default:
        guard let value = known.intValue else { return false }
        cast.append(.known(.int(value)))
      }
    }
    try set(numbers: cast)
    return true
  }
}
