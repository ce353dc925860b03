package import MartletGraph
package import MartletVocabulary
package import MartletOps
package import MartletTensor

/// A pointwise program for operands of one dtype, instruction by instruction, and its operands. The last instruction is the result.
package struct PointwiseBuilder {
  package var program = PointwiseProgram()
  package private(set) var operands: [ValueID?] = []
  /// The dtype that operands are promoted to.
  package let dtype: DType
  /// The type in which elements of `dtype` are computed.
  package let type: ComputeType

  /// - Throws: for dtypes that pointwise programs do not support.
  package init(_ dtype: DType) throws(CallError) {
    guard let type = ComputeType(for: dtype) else { throw CallError("is not supported for \(dtype)") }
    self.init(dtype: dtype, type: type)
  }

  package init(dtype: DType, type: ComputeType) {
    self.dtype = dtype
    self.type = type
  }

  /// Loads the elements of a tensor, which broadcasts with the others.
  package mutating func load(_ tensor: ValueID) -> Int {
    operands.append(tensor)
    return program.append(.load(operand: operands.count - 1, as: type))
  }

  /// Loads a scalar computed by the graph.
  package mutating func scalar(_ number: ValueID) -> Int {
    operands.append(number)
    return program.append(.scalar(operand: operands.count - 1, as: type))
  }

  @discardableResult
  package mutating func literal(_ value: Scalar) -> Int { program.append(.literal(value, as: type)) }

  @discardableResult
  package mutating func literal(_ value: Double) -> Int { literal(.double(value)) }

  @discardableResult
  package mutating func unary(_ function: UnaryFunction, _ x: Int) -> Int { program.append(.unary(function, x)) }

  @discardableResult
  package mutating func binary(_ function: BinaryFunction, _ x: Int, _ y: Int) -> Int { program.append(.binary(function, x, y)) }

  @discardableResult
  package mutating func ternary(_ function: TernaryFunction, _ x: Int, _ y: Int, _ z: Int) -> Int {
    program.append(.ternary(function, x, y, z))
  }

  /// The operator with the program built so far.
  package func node(_ label: String, dtype: DType) -> Pointwise { Pointwise(program, dtype: dtype, label: label) }
}
