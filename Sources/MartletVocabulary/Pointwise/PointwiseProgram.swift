package import MartletTensor

/// The type that a register of a pointwise program holds. Narrower element types are converted on load and store.
package enum ComputeType: UInt8, Sendable, Hashable {
  case float32, float64, int64, uint64

  package var dtype: DType {
    switch self {
    case .float32: .float32
    case .float64: .float64
    case .int64: .int64
    case .uint64: .uint64
    }
  }

  /// The type in which elements of `dtype` are computed: float32 for floating-point types up to 32 bits, int64 for bool and all integers
  /// except uint64. Nil for complex types.
  package init?(for dtype: DType) {
    switch dtype {
    case .float32, .float16, .bfloat16: self = .float32
    case .float64: self = .float64
    case .uint64: self = .uint64
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .bool: self = .int64
    case .complex64, .complex128: return nil
    }
  }
}

/// One step of a pointwise program. Integers number earlier instructions, whose results are the operands.
package enum PointwiseInstruction: Sendable, Hashable {
  /// An element of tensor operand `operand`.
  case load(operand: Int, as: ComputeType)
  /// The value of scalar operand `operand`.
  case scalar(operand: Int, as: ComputeType)
  case literal(Scalar, as: ComputeType)
  case unary(UnaryFunction, Int)
  case binary(BinaryFunction, Int, Int)
  case ternary(TernaryFunction, Int, Int, Int)
  /// ATen's shift of integers of `dtype`.
  case shift(left: Bool, DType, Int, Int)
  case convert(Int, to: ComputeType)
  /// The value after conversion to `dtype`: rounded, wrapped around, or turned into 0 or 1.
  case narrow(Int, DType)

  /// The instructions whose results this one uses.
  package var registers: [Int] {
    var registers: [Int] = []
    forEachRegister { registers.append($0) }
    return registers
  }

  /// Calls `body` with each instruction whose result this one uses.
  package func forEachRegister(_ body: (Int) -> Void) {
    switch self {
    case .load, .scalar, .literal: break
    case .unary(_, let x), .convert(let x, _), .narrow(let x, _): body(x)
    case .binary(_, let x, let y), .shift(_, _, let x, let y):
      body(x)
      body(y)
    case .ternary(_, let x, let y, let z):
      body(x)
      body(y)
      body(z)
    }
  }

  /// The instruction with other numbers for the instructions whose results it uses.
  package func renumbered(_ number: (Int) -> Int) -> PointwiseInstruction {
    switch self {
    case .load, .scalar, .literal: self
    case .unary(let f, let x): .unary(f, number(x))
    case .binary(let f, let x, let y): .binary(f, number(x), number(y))
    case .ternary(let f, let x, let y, let z): .ternary(f, number(x), number(y), number(z))
    case .shift(let left, let dtype, let x, let y): .shift(left: left, dtype, number(x), number(y))
    case .convert(let x, let type): .convert(number(x), to: type)
    case .narrow(let x, let dtype): .narrow(number(x), dtype)
    }
  }
}

/// A function from elements to one element: a list of instructions, the last of which computes the result.
///
/// Applied to broadcast operands, it is any element-wise operator or a fusion of several.
package struct PointwiseProgram: Sendable, Hashable {
  package private(set) var instructions: [PointwiseInstruction] = []
  package private(set) var types: [ComputeType] = []

  package init() {}

  @discardableResult
  package mutating func append(_ instruction: PointwiseInstruction) -> Int {
    if instructions.isEmpty {
      // Enough for most programs.
      instructions.reserveCapacity(10)
      types.reserveCapacity(10)
    }
    instructions.append(instruction)
    types.append(type(of: instruction))
    return instructions.count - 1
  }

  private func type(of instruction: PointwiseInstruction) -> ComputeType {
    switch instruction {
    case .load(_, let type), .scalar(_, let type), .literal(_, let type), .convert(_, let type): type
    case .unary(_, let x), .binary(_, let x, _), .narrow(let x, _), .shift(_, _, let x, _): types[x]
    case .ternary(let function, let x, let y, _): function == .select ? types[y] : types[x]
    }
  }

  /// The type of the result.
  package var resultType: ComputeType { types[types.count - 1] }

  /// Appends the instructions of another program and returns the number of its result.
  /// - Parameter load: appends what replaces the load of a tensor or scalar operand, and returns its number.
  package mutating func inline(
    _ other: PointwiseProgram, load: (PointwiseInstruction, inout PointwiseProgram) -> Int
  ) -> Int {
    var map: [Int] = []
    map.reserveCapacity(other.instructions.count)
    for instruction in other.instructions {
      switch instruction {
      case .load, .scalar: map.append(load(instruction, &self))
      default: map.append(append(instruction.renumbered { map[$0] }))
      }
    }
    return map[map.count - 1]
  }
}

extension PointwiseProgram: CustomStringConvertible {
  package var description: String {
    instructions.enumerated().map { number, instruction in
      let text: String
      switch instruction {
      case .load(let operand, let type): text = "load \(operand) as \(type)"
      case .scalar(let operand, let type): text = "number \(operand) as \(type)"
      case .literal(let scalar, _): text = "\(scalar)"
      case .unary(let f, let x): text = "\(f.name) r\(x)"
      case .binary(let f, let x, let y): text = "\(f.name) r\(x) r\(y)"
      case .ternary(let f, let x, let y, let z): text = "\(f.name) r\(x) r\(y) r\(z)"
      case .shift(let left, let dtype, let x, let y): text = "shift_\(left ? "left" : "right") \(dtype) r\(x) r\(y)"
      case .convert(let x, let type): text = "\(type) r\(x)"
      case .narrow(let x, let dtype): text = "\(dtype) r\(x)"
      }
      return "r\(number) = \(text)"
    }.joined(separator: "; ")
  }
}
