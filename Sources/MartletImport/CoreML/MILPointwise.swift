import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

extension MILCall {
  /// Appends a `Pointwise` node whose operands are parameters; they broadcast.
  ///
  /// - Parameters:
  ///   - parameters: tensors or numbers. Constants of one element become literals where that keeps the result's shape.
  ///   - dtype: what it is computed in; the dtype of the first operand, with the others' floating-point type if that is none, if nil.
  ///   - body: appends the computation for the registers of `parameters`.
  mutating func pointwise(
    _ label: String, _ parameters: [String], in dtype: DType? = nil, _ body: (inout ProgramBuilder, [Int]) throws -> Void
  ) throws {
    var bounds: [MILBound] = []
    var compute: DType?
    for parameter in parameters {
      let bound = try self.bound(parameter)
      guard let signature = bound.signature else { throw CallError("parameter \(parameter) is not a tensor") }
      if let known = compute, known.isFloatingPoint || !signature.dtype.isFloatingPoint {} else { compute = signature.dtype }
      bounds.append(bound)
    }
    let type = dtype ?? compute ?? .float32
    guard let registerType = ComputeType(for: type) else { throw CallError("is not supported for \(type)") }
    let ranks = bounds.map { $0.signature?.rank ?? 0 }
    let literals = bounds.map { bound in bound.value?.tensor.flatMap { $0.elementCount == 1 ? $0.scalars?.first : nil } }
    // What is left to load must have the rank of the whole.
    let rank = ranks.max() ?? 0
    let loadsAll = !zip(ranks, literals).contains { $0 == rank && $1 == nil }
    var builder = ProgramBuilder(dtype: type, type: registerType)
    var operands: [ValueID?] = []
    var registers: [Int] = []
    for (index, parameter) in parameters.enumerated() {
      if let literal = literals[index], !loadsAll {
        registers.append(builder.program.append(.literal(literal, as: registerType)))
      } else {
        operands.append(try tensor(parameter))
        registers.append(builder.program.append(.load(operand: operands.count - 1, as: registerType)))
      }
    }
    try body(&builder, registers)
    try emit(Pointwise(builder.program, dtype: try outputDType(), label: label), operands)
  }

  /// A function of values of the graph that broadcast, computed in `type`.
  mutating func pointwise(
    _ label: String, values: [ValueID], in type: DType, _ signature: TensorSignature,
    _ body: (inout ProgramBuilder, [Int]) throws -> Void
  ) throws -> ValueID {
    guard let registerType = ComputeType(for: type) else { throw CallError("is not supported for \(type)") }
    var builder = ProgramBuilder(dtype: type, type: registerType)
    let registers = values.indices.map { builder.program.append(.load(operand: $0, as: registerType)) }
    try body(&builder, registers)
    return intermediate(Pointwise(builder.program, dtype: signature.dtype, label: label), values, signature)
  }

  /// `value` with elements of another type; floating-point numbers are cut off towards zero.
  mutating func converted(_ value: ValueID, to dtype: DType) throws(CallError) -> ValueID {
    var signature = try signature(of: value)
    guard signature.dtype != dtype else { return value }
    guard let type = ComputeType(for: signature.dtype) else { throw CallError("\(signature.dtype) cannot become \(dtype)") }
    signature.dtype = dtype
    return intermediate(Pointwise(.identity(as: type), dtype: dtype, label: "cast"), [value], signature)
  }
}
