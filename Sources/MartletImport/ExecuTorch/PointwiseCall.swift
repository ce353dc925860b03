import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Determines the dtype of a pointwise computation from its operands.
enum ComputePolicy {
  /// The promoted dtype.
  case promoted
  /// The promoted dtype if it is a floating-point or complex type, otherwise float32.
  case floating
}

/// Determines the dtype of a pointwise call's result.
enum ResultPolicy {
  /// The dtype of the computation.
  case computed
  /// Bool.
  case truth
}

extension OperatorCall {
  /// The kind of a number argument; nil for other arguments.
  func numberKind(_ argument: ArgumentName) -> ScalarKind? {
    guard let index = try? index(argument) else { return nil }
    return switch scope.plan.values[index] {
    case .int: .int
    case .double: .double
    case .bool: .bool
    default: nil
    }
  }

  /// The number in the argument, if no instruction computes it.
  func knownNumber(_ argument: ArgumentName) -> Scalar? {
    guard let index = try? index(argument) else { return nil }
    return known(index)
  }

  /// PyTorch's result type for the arguments, which are tensors or numbers.
  func promotedType(_ arguments: [ArgumentName]) throws -> DType {
    var operands: [(dtype: DType, priority: TypePromotion.Priority)] = []
    for argument in arguments {
      switch numberKind(argument) {
      case .int: operands.append((.int64, .number))
      case .double: operands.append((.float32, .number))
      case .bool: operands.append((.bool, .number))
      case nil:
        let signature = try signature(argument)
        operands.append((signature.dtype, signature.rank == 0 ? .zeroRank : .tensor))
      }
    }
    guard let dtype = TypePromotion.result(operands) else { throw CallError("has no operands") }
    return dtype
  }

  /// Appends a `Pointwise` node.
  ///
  /// - Parameters:
  ///   - names: the arguments that the program operates on, tensors or numbers.
  ///   - promoting: the arguments that determine the dtype of the computation; all if nil.
  ///   - isExact: true if operands are first rounded to that dtype, as for comparisons; false if they may keep more digits.
  ///   - complex: the function for complex operands, if any.
  ///   - body: appends the computation for the registers of `names`.
  mutating func pointwise(
    _ label: String, _ names: [ArgumentName], promoting: [ArgumentName]? = nil, in policy: ComputePolicy = .promoted,
    result: ResultPolicy = .computed, isExact: Bool = false, complex: ComplexPointwise.Function? = nil,
    out: ArgumentName,
    _ body: (inout PointwiseBuilder, [Int]) throws -> Void
  ) throws {
    var dtype = try promotedType(promoting ?? names)
    if policy == .floating, !dtype.isFloatingPoint, !dtype.isComplex { dtype = .float32 }
    guard let type = ComputeType(for: dtype) else {
      guard let complex else { throw CallError("is not supported for \(dtype)") }
      return try complexPointwise(complex, names, dtype, out: out)
    }
    var build = PointwiseBuilder(dtype: dtype, type: type)
    var registers: [Int] = []
    for name in names {
      registers.append(try load(name, &build, isExact: isExact || promoting?.contains(name) == false))
    }
    try body(&build, registers)
    let target = try self.dtype(out)
    if result == .computed, target != dtype, type.dtype != dtype {
      build.program.append(.narrow(build.program.instructions.count - 1, dtype))
    }
    try emit(build.node(label, dtype: target), build.operands, out: out)
  }

  /// Appends the instructions that convert an argument to the dtype of the computation.
  private mutating func load(_ argument: ArgumentName, _ build: inout PointwiseBuilder, isExact: Bool) throws -> Int {
    let register: Int
    let source: DType
    if let number = knownNumber(argument) {
      register = build.literal(number)
      if Self.holds(number, build.dtype) { return register }
      source = number.kind == .double ? .float64 : .int64
    } else if let kind = numberKind(argument) {
      register = build.scalar(try scalarValue(argument))
      source = kind == .double ? .float64 : .int64
    } else {
      register = build.load(try tensor(argument))
      source = try dtype(argument)
    }
    let dtype = build.dtype
    if source == dtype || source == .bool || build.type.dtype == dtype { return register }
    let narrows = dtype.isFloatingPoint ? isExact : (dtype == .bool || source.byteCount >= dtype.byteCount)
    return narrows ? build.program.append(.narrow(register, dtype)) : register
  }

  /// Returns true if an integer is in the range of an integer type; false for everything else that may change when stored.
  private static func holds(_ number: Scalar, _ dtype: DType) -> Bool {
    guard let value = number.intValue, number.kind != .double, dtype.isInteger else { return number.kind == .bool }
    if dtype.byteCount == 8 { return true }
    // In range: at most 16 bytes.
    let bits = dtype.byteCount * 8
    return dtype.isUnsigned ? (0..<Int64(1) << bits).contains(value) : (-(1 << (bits - 1))..<Int64(1) << (bits - 1)).contains(value)
  }

  private mutating func complexPointwise(
    _ function: ComplexPointwise.Function, _ arguments: [ArgumentName], _ dtype: DType, out: ArgumentName
  ) throws {
    var operands: [ValueID?] = []
    for argument in arguments {
      if numberKind(argument) == nil {
        operands.append(try tensor(argument))
      } else {
        let number = try scalarValue(argument)
        operands.append(intermediate(Full(shape: [], dtype: dtype), [number], TensorSignature(TensorType(dtype, []))))
      }
    }
    guard operands.count == function.operandCount else { throw CallError("is not supported for \(dtype)") }
    try emit(ComplexPointwise(function, dtype: try self.dtype(out)), operands, out: out)
  }

  /// Converts the tensor argument to the result's dtype and assigns it to the result.
  mutating func convert(_ argument: ArgumentName, out: ArgumentName) throws {
    let source = try dtype(argument)
    let target = try dtype(out)
    let x = try tensor(argument)
    if source == target {
      try emit(Identity(), [x], out: out)
    } else if let type = ComputeType(for: source), !target.isComplex {
      try emit(Pointwise(.identity(as: type), dtype: target, label: "cast"), [x], out: out)
    } else {
      try emit(Cast(to: target), [x], out: out)
    }
  }
}
