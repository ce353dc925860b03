import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

extension MILCall {
  /// Appends a `Pointwise` node whose operands are parameters; they broadcast.
  ///
  /// - Parameters:
  ///   - parameters: tensors or numbers. Constants of one element become literals if that does not change the result's shape.
  ///   - dtype: the dtype of the computation. If nil, that of the first operand, or of the first floating-point operand if there is one.
  ///   - body: appends the computation for the registers of `parameters`.
  mutating func pointwise(
    _ label: String, _ parameters: [String], in dtype: DType? = nil, _ body: (inout PointwiseBuilder, [Int]) throws -> Void
  ) throws {
    var (build, registers) = try pointwiseOperands(parameters, in: dtype)
    try body(&build, registers)
    try emit(build.node(label, dtype: try outputDType()), build.operands)
  }

  /// The registers of operands in a new computation.
  @inline(never)
  private mutating func pointwiseOperands(_ parameters: [String], in dtype: DType?) throws -> (PointwiseBuilder, [Int]) {
    var bounds: [MILBound] = []
    var compute: DType?
    for parameter in parameters {
      let bound = try self.bound(parameter)
      guard let signature = bound.signature else { throw CallError("parameter \(parameter) is not a tensor") }
      if let known = compute, known.isFloatingPoint || !signature.dtype.isFloatingPoint {} else { compute = signature.dtype }
      bounds.append(bound)
    }
    let type = dtype ?? compute ?? .float32
    let ranks = bounds.map { $0.signature?.rank ?? 0 }
    let literals = bounds.map { bound in bound.value?.tensor.flatMap { $0.elementCount == 1 ? $0.scalars?.first : nil } }
    // The remaining loads must have the rank of the result.
    let rank = ranks.max() ?? 0
    let loadsAll = !zip(ranks, literals).contains { $0 == rank && $1 == nil }
    var build = try PointwiseBuilder(type)
    var registers: [Int] = []
    for (index, parameter) in parameters.enumerated() {
      if let literal = literals[index], !loadsAll {
        registers.append(build.literal(literal))
      } else {
        registers.append(build.load(try tensor(parameter)))
      }
    }
    return (build, registers)
  }
}
