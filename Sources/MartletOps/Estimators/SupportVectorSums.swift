package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Sums of a function of rows and support vectors, group by group.
/// - Operands: `x` [N, C]; `vectors` [S, C], sorted by group; `coefficients` [M, S].
/// - Results: [N, G * M] float64: for each group and row of coefficients, the sum over the group's vectors of coefficient times function.
/// - DTypes: floating point, computed in float64. - Accuracy: sums in order of the vectors.
/// - Sources: libsvm `svm_predict_values`; Core ML `SupportVectorClassifier`, `SupportVectorRegressor`.
package struct SupportVectorSums: PlannedOperator {
  package static let contract = OperatorContract(
    [.init("x", .data, .floating), .init("vectors", .weight, .floating), .init("coefficients", .parameter, .floating)],
    accuracy: .lengthScaled)

  package var kernel: VectorKernel
  /// Number of vectors of each group.
  package var groups: [Int]
  package var name: String { "support_vector_sums" }

  package init(_ kernel: VectorKernel, groups: [Int]) {
    self.kernel = kernel
    self.groups = groups
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (x, vectors, coefficients) = (try operands.tensor(0), try operands.tensor(1), try operands.tensor(2))
    guard x.dtype.isFloatingPoint, vectors.dtype.isFloatingPoint, coefficients.dtype.isFloatingPoint else {
      throw .unsupported("support vectors of \(x.dtype), \(vectors.dtype) and \(coefficients.dtype)")
    }
    guard x.rank == 2, vectors.rank == 2, coefficients.rank == 2, x.shape[1] == vectors.shape[1],
      coefficients.shape[1] == vectors.shape[0], groups.allSatisfy({ $0 >= 0 }), Extent.sum(groups).value == vectors.shape[0],
      let width = (Extent(groups.count) * coefficients.shape[0]).value
    else { throw .invalid("\(x.shape), vectors \(vectors.shape) and coefficients \(coefficients.shape) do not fit") }
    return [.tensor(TensorType(.float64, [x.shape[0], width]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard case .fixed(let rows)? = operands.extent(2, axis: 0), let width = (Extent(groups.count) * rows).value else { return nil }
    return operands.shape(0, replacing: 1, by: .fixed(width))
  }

  package func packs(operand: Int) -> Bool { operand == 1 || operand == 2 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0, as: .float64)
    let (count, columns) = (node.operandType(1).shape[0], x.shape[1])
    let blocks = try node.sampleBlocks(1)
    let coefficients = try node.parameter(2, as: .float64)
    let y = node.staging(0, as: .float64)
    node.emit(
      "support_vector_sums \(x.shape) \(count)", flops: Double(x.shape[0]) * Double(count) * Double(3 * columns + 20), work: .depthwise,
      kernel.kernel(x: x, blocks: blocks, coefficients: coefficients, groups: groups, y: y))
    node.finish(0, from: y)
  }
}
