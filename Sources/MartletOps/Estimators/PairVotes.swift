package import MartletGraph
import MartletKernels
import MartletTensor

/// Results for K classes from support vector machines for each pair of them, as in libsvm.
/// - Operands: `sums` [N, K * (K - 1)], those of each class's vectors for the machines with other classes (`SupportVectorSums`); `offsets`, one
///   for each pair (0, 1), (0, 2), …, (1, 2), …; optional `a` and `b`, the parameters of the pairs' probabilities 1 / (1 + exp(a x + b)).
/// - Results: [N, K] float64: the number of pairs that a class wins, or the coupled probabilities if there are parameters.
/// - DTypes: floating point, computed in float64.
/// - Sources: libsvm `svm_predict_values`, `svm_predict_probability`.
package struct PairVotes: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("sums", .data, .floating), .init("offsets", .parameter, .floating), .init("a", .parameter, .floating, isOptional: true),
      .init("b", .parameter, .floating, isOptional: true),
    ], accuracy: .lengthScaled)

  package var classCount: Int
  package var name: String { "pair_votes" }

  package init(classCount: Int) { self.classCount = classCount }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (sums, offsets) = (try operands.tensor(0), try operands.tensor(1))
    let (a, b) = (operands.optionalTensor(2), operands.optionalTensor(3))
    guard [sums, offsets, a, b].allSatisfy({ $0?.dtype.isFloatingPoint ?? true }) else { throw .unsupported("votes of \(sums.dtype)") }
    guard classCount > 0, let width = (Extent(classCount) * (classCount - 1)).value, sums.rank == 2, sums.shape[1] == width,
      offsets.shape == [width / 2], (a == nil) == (b == nil), a.map({ $0.shape == offsets.shape }) ?? true,
      b.map({ $0.shape == offsets.shape }) ?? true
    else { throw .invalid("sums \(sums.shape) and offsets \(offsets.shape) do not fit \(classCount) classes") }
    return [.tensor(TensorType(.float64, [sums.shape[0], classCount]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacing: 1, by: .fixed(classCount))
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let sums = node.contiguous(0, as: .float64)
    let offsets = try node.parameter(1, as: .float64)
    let a = try node.optionalParameter(2, as: .float64)
    let b = try node.optionalParameter(3, as: .float64)
    let y = node.staging(0, as: .float64)
    node.emit(
      "pair_votes \(y.shape)", flops: Double(sums.elementCount) * (a == nil ? 2 : 40), work: .single,
      PairVoting.kernel(
        sums: sums, offsets: offsets, a: a, b: b, y: y,
        scratch: node.workerScratch(byteCount: PairVoting.scratchByteCount(classes: classCount))))
    node.finish(0, from: y)
  }
}
