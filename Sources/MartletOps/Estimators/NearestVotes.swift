package import MartletGraph
import MartletKernels
import MartletTensor

/// The shares of classes in the votes of the nearest samples.
/// - Operands: `x` [N, C]; `samples` [S, C]; `classes` [S], below `classCount`, constant.
/// - Results: [N, K] float64, for each class its share of the votes of the `count` samples with the least Euclidean distance. Of samples at the
///   same distance the one with the lower index is nearer.
/// - DTypes: floating point, computed in float64; classes are integers.
/// - Sources: Core ML `KNearestNeighborsClassifier`; scikit-learn `KNeighborsClassifier`.
package struct NearestVotes: PlannedOperator {
  package static let contract = OperatorContract(
    [.init("x", .data, .floating), .init("samples", .weight, .floating), .init("classes", .indices, .integer)], accuracy: .lengthScaled)

  /// Number of samples that vote.
  package var count: Int
  package var classCount: Int
  /// True if a vote is divided by the distance; samples at a distance of 0 are then the only ones that vote.
  package var isWeighted: Bool
  package var name: String { "nearest_votes" }

  package init(count: Int, classCount: Int, isWeighted: Bool) {
    self.count = count
    self.classCount = classCount
    self.isWeighted = isWeighted
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (x, samples, classes) = (try operands.tensor(0), try operands.tensor(1), try operands.tensor(2))
    guard x.dtype.isFloatingPoint, samples.dtype.isFloatingPoint, classes.dtype.isInteger else {
      throw .unsupported("neighbours of \(x.dtype) among \(samples.dtype)")
    }
    guard x.rank == 2, samples.rank == 2, x.shape[1] == samples.shape[1], classes.shape == [samples.shape[0]], classCount > 0, count > 0
    else { throw .invalid("\(x.shape), samples \(samples.shape) and classes \(classes.shape) do not fit") }
    return [.tensor(TensorType(.float64, [x.shape[0], classCount]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacing: 1, by: .fixed(classCount))
  }

  package func packs(operand: Int) -> Bool { operand == 1 || operand == 2 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let samples = node.operandType(1).shape[0]
    guard let constant = node.constant(2) else { throw .unsupported("classes that are not constant") }
    guard let labels = try? constant.dense(as: .int32), labels.numbers.allSatisfy({ $0 >= 0 && $0 < Double(classCount) }) else {
      throw .invalid("a class is not below \(classCount)")
    }
    let x = node.contiguous(0, as: .float64)
    let classes = try node.parameter(2, as: .int32)
    let blocks = try node.sampleBlocks(1)
    let y = node.staging(0, as: .float64)
    let votes = NeighborVotes(count: min(count, max(samples, 1)), isWeighted: isWeighted)
    let norms = NeighborVotes.normCount(rows: x.shape[0], samples: samples).map { node.temporary(.float64, [$0]) }
    node.emit(
      "nearest_votes \(x.shape) \(samples)", flops: Double(x.shape[0]) * Double(samples) * Double(3 * x.shape[1] + 8), work: .depthwise,
      votes.kernel(
        x: x, blocks: blocks, classes: classes, norms: norms, y: y, scratch: node.workerScratch(byteCount: votes.scratchByteCount)))
    node.finish(0, from: y)
  }
}
