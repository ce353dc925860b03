import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// A pointwise program for operands of one dtype, instruction by instruction, and its operands. The last instruction is the result.
struct PointwiseBuilder {
  var program = PointwiseProgram()
  private(set) var operands: [ValueID?] = []
  /// The dtype that operands are promoted to.
  let dtype: DType
  /// The type in which elements of `dtype` are computed.
  let type: ComputeType

  /// - Throws: for dtypes that no pointwise program computes with.
  init(_ dtype: DType) throws(CallError) {
    guard let type = ComputeType(for: dtype) else { throw CallError("is not supported for \(dtype)") }
    self.init(dtype: dtype, type: type)
  }

  init(dtype: DType, type: ComputeType) {
    self.dtype = dtype
    self.type = type
  }

  /// The elements of a tensor, which broadcasts with the others.
  mutating func load(_ tensor: ValueID) -> Int {
    operands.append(tensor)
    return program.append(.load(operand: operands.count - 1, as: type))
  }

  /// A number that the graph computes.
  mutating func scalar(_ number: ValueID) -> Int {
    operands.append(number)
    return program.append(.scalar(operand: operands.count - 1, as: type))
  }

  @discardableResult
  mutating func literal(_ value: Scalar) -> Int { program.append(.literal(value, as: type)) }

  @discardableResult
  mutating func literal(_ value: Double) -> Int { literal(.double(value)) }

  @discardableResult
  mutating func unary(_ function: UnaryFunction, _ x: Int) -> Int { program.append(.unary(function, x)) }

  @discardableResult
  mutating func binary(_ function: BinaryFunction, _ x: Int, _ y: Int) -> Int { program.append(.binary(function, x, y)) }

  @discardableResult
  mutating func ternary(_ function: TernaryFunction, _ x: Int, _ y: Int, _ z: Int) -> Int {
    program.append(.ternary(function, x, y, z))
  }

  /// The operator that the instructions make, for `operands`.
  func node(_ label: String, dtype: DType) -> Pointwise { Pointwise(program, dtype: dtype, label: label) }
}
