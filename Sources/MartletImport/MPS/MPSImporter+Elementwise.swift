import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Nodes that compute element by element.
extension MPSImporter {
  mutating func importUnary(_ node: MPSGraph.Node) throws {
    guard let function = node.kind.unaryFunction else { throw CallError("is not a function of one operand") }
    switch function {
    case .isnan, .isinf, .logicalNot: try pointwise(node, in: try signature(of: operand(node, 0)).dtype) { $0.unary(function, $1[0]) }
    case .bitwiseNot: try pointwise(node) { $0.unary($0.dtype == .bool ? .logicalNot : .bitwiseNot, $1[0]) }
    default: try pointwise(node) { $0.unary(function, $1[0]) }
    }
  }

  mutating func importBinary(_ node: MPSGraph.Node) throws {
    guard let function = node.kind.binaryFunction else { throw CallError("is not a function of two operands") }
    if function == .pow, let index = node.inputs[1], let exponent = builder.constant(try value(index))?.scalarValue?.doubleValue,
      graph.values[index].sizes.count <= graph.values[try output(node)].sizes.count
    {
      return try pointwise(node, [try operand(node, 0)]) { $0.power($1[0], $0.literal(exponent), exponent: exponent) }
    }
    try pointwise(node) { build, x in
      if build.dtype.isFloatingPoint, !function.takesFloatingPoint { throw CallError("is not supported for \(build.dtype)") }
      build.binary(function, x[0], x[1])
    }
  }

  /// Operands are compared in the type that PyTorch promotes them to.
  mutating func importComparison(_ node: MPSGraph.Node) throws {
    guard let function = node.kind.binaryFunction else { throw CallError("is not a comparison") }
    let types = try operands(node).map { id -> (DType, TypePromotion.Priority) in
      let signature = try signature(of: id)
      return (signature.dtype, signature.rank == 0 ? .zeroRank : .tensor)
    }
    guard let dtype = TypePromotion.result(types) else { throw CallError("has no operands") }
    try pointwise(node, in: dtype) { $0.binary(function, $1[0], $1[1]) }
  }

  /// `function(a, alpha × b)`.
  mutating func importSum(_ node: MPSGraph.Node, _ function: BinaryFunction, alpha: Float) throws {
    try pointwise(node) { build, x in
      build.binary(function, x[0], alpha == 1 ? x[1] : build.binary(.mul, x[1], build.literal(Double(alpha))))
    }
  }

  /// Exporters of `floor_divide` may drop the rounding mode: a quotient of integers that is an integer is rounded down.
  mutating func importQuotient(_ node: MPSGraph.Node, _ rounding: MPSGraph.Rounding?) throws {
    try pointwise(node) { build, x in
      switch rounding {
      case .floor: build.binary(.divFloor, x[0], x[1])
      case .trunc: build.binary(.divTrunc, x[0], x[1])
      case nil: build.binary(build.dtype.isFloatingPoint ? .div : .divFloor, x[0], x[1])
      }
    }
  }

  mutating func importChoice(_ node: MPSGraph.Node) throws {
    let condition = try converted(try operand(node, 0), to: .bool)
    let choices = [try operand(node, 1), try operand(node, 2)]
    try pointwise(node, [condition] + choices, in: try resultType(node, choices)) { $0.ternary(.select, $1[0], $1[1], $1[2]) }
  }

  /// A pointwise program on the node's operands, which broadcast. Its last instruction is the result.
  ///
  /// - Parameters:
  ///   - operands: all of the node if nil.
  ///   - dtype: the type of the computation; that of the result if nil.
  mutating func pointwise(
    _ node: MPSGraph.Node, _ operands: [ValueID]? = nil, in dtype: DType? = nil, _ body: (inout PointwiseBuilder, [Int]) throws -> Void
  ) throws {
    let operands = try operands ?? self.operands(node)
    let result = try resultType(node, operands)
    var build = try PointwiseBuilder(dtype ?? result)
    let registers = operands.map { build.load($0) }
    try body(&build, registers)
    try set(node, try applied(build.node(node.name, dtype: result), build.operands))
  }

  /// `x` limited to bounds, in its own type. NaN stays NaN.
  func limited(_ x: ValueID, _ bounds: MPSGraph.Bounds) throws -> ValueID {
    let signature = try signature(of: x)
    if bounds.minimum == -.infinity, bounds.maximum == .infinity { return x }
    if signature.dtype.isFloatingPoint, signature.dtype != .float64 {
      let activation = Activation.clamp(bounds.minimum, bounds.maximum)
      return intermediate(Pointwise(activation.program(as: .float32), dtype: signature.dtype, label: "clamp"), [x], signature)
    }
    guard !bounds.minimum.isNaN, !bounds.maximum.isNaN else { throw CallError("bounds of integers are not numbers") }
    return try pointwise("clamp", values: [x], in: signature.dtype, signature) { build, x in
      var result = x[0]
      if bounds.minimum > -.infinity { result = build.binary(.maximum, result, build.literal(build.number(bounds.minimum))) }
      if bounds.maximum < .infinity { result = build.binary(.minimum, result, build.literal(build.number(bounds.maximum))) }
    }
  }
}

extension PointwiseBuilder {
  /// A number of the file as one of the computation's type: integers are truncated and limited to 64 bits.
  fileprivate func number(_ value: Float) -> Scalar { Scalar(value, as: dtype) }
}

extension Scalar {
  /// A number of the file for elements of a type. Integers are truncated and limited to 64 bits.
  init(_ value: Float, as dtype: DType) {
    guard !dtype.isFloatingPoint else {
      self = .double(Double(value))
      return
    }
    if dtype == .bool {
      self = .bool(value != 0)
    } else if let exact = Int64(exactly: value.rounded(.towardZero)) {
      self = .int(exact)
    } else {
      self = .int(value > 0 ? .max : value < 0 ? .min : 0)
    }
  }
}

extension BinaryFunction {
  fileprivate var takesFloatingPoint: Bool { ![.bitwiseAnd, .bitwiseOr, .bitwiseXor].contains(self) }
}

extension MPSGraph.Kind {
  fileprivate var unaryFunction: UnaryFunction? {
    switch self {
    case .reLU: .relu
    case .exp: .exp
    case .exp2: .exp2
    case .reciprocal: .reciprocal
    case .sqrt: .sqrt
    case .neg: .neg
    case .log: .log
    case .log10: .log10
    case .log2: .log2
    case .erf: .erf
    case .floor: .floor
    case .ceil: .ceil
    case .rsqrt: .rsqrt
    case .sigmoid: .sigmoid
    case .sin: .sin
    case .sign: .sign
    case .cos: .cos
    case .tan: .tan
    case .abs: .abs
    case .asin: .asin
    case .acos: .acos
    case .atan: .atan
    case .sinh: .sinh
    case .cosh: .cosh
    case .tanh: .tanh
    case .asinh: .asinh
    case .acosh: .acosh
    case .atanh: .atanh
    case .bitwiseNot: .bitwiseNot
    case .isnan: .isnan
    case .isinf: .isinf
    case .round: .round
    case .logicalNot: .logicalNot
    default: nil
    }
  }

  fileprivate var binaryFunction: BinaryFunction? {
    switch self {
    case .mul: .mul
    case .fmod: .fmod
    case .remainder: .remainder
    case .min, .minimum: .minimum
    case .max: .maximum
    case .pow: .pow
    case .atan2: .atan2
    case .bitwiseAnd: .bitwiseAnd
    case .bitwiseOr: .bitwiseOr
    case .bitwiseXor: .bitwiseXor
    case .eq: .eq
    case .ne: .ne
    case .ge: .ge
    case .gt: .gt
    case .le: .le
    case .lt: .lt
    default: nil
    }
  }
}
