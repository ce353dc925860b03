package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Non-maximum suppression: selects boxes in descending order of score and drops those that overlap a selected box too much.
/// - Operands: 0 the boxes `[N, B, 4]` (centre x, centre y, width, height), 1 the scores `[N, B, K]`; scalars for the count and for
///   thresholds that are computed.
/// - Results: the selected boxes `[N, M, 4]`, their scores `[N, M, K]`, their indices `[N, M]` int32 and, if `givesCounts`, their counts
///   `[N]` int32. Unused entries hold zeros, and -1 as index.
/// - Shapes: with `boxesLast` the last two axes of boxes and scores are swapped, in operands and results.
/// - DTypes: floating point; computed in float32.
/// - Sources: MIL `non_maximum_suppression`; neural network layer `NonMaximumSuppression`.
package struct SuppressBoxes: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("boxes", .data, .floating), .init("scores", .data, .floating),
      .init("numbers", .number, .real, isOptional: true, repeats: true),
    ], accuracy: .ulp)

  package var suppression: BoxSuppression
  /// Maximum number of selected boxes, `M`.
  package var count: IntArgument
  package var boxesLast: Bool
  package var givesCounts: Bool
  /// Scalar operands that replace the thresholds of overlap and score.
  package var overlapOperand: Int?
  package var scoreOperand: Int?
  package var name: String { "non_maximum_suppression" }

  package init(
    _ suppression: BoxSuppression, count: IntArgument, boxesLast: Bool, givesCounts: Bool, overlapOperand: Int? = nil,
    scoreOperand: Int? = nil
  ) {
    self.suppression = suppression
    self.count = count
    self.boxesLast = boxesLast
    self.givesCounts = givesCounts
    self.overlapOperand = overlapOperand
    self.scoreOperand = scoreOperand
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let boxes = try operands.tensor(0)
    let scores = try operands.tensor(1)
    guard boxes.dtype.isFloatingPoint, scores.dtype.isFloatingPoint else {
      throw .unsupported("boxes of type \(boxes.dtype) with scores of type \(scores.dtype)")
    }
    let (rows, parts) = boxesLast ? (2, 1) : (1, 2)
    guard boxes.rank == 3, scores.rank == 3, boxes.shape[parts] == 4, boxes.shape[0] == scores.shape[0],
      boxes.shape[rows] == scores.shape[rows], boxes.shape[rows] <= Int(widening: Int32.max),
      scores.shape[parts] <= Int(widening: Int32.max)
    else { throw .invalid("boxes \(boxes.shape) do not fit scores \(scores.shape)") }
    for case let operand? in [overlapOperand, scoreOperand] { _ = try operands.scalar(operand) }
    let count = try operands.int(count)
    guard count >= 0 else { throw .invalid("\(count) boxes") }
    func shape(_ part: Int) -> [Int] { boxesLast ? [boxes.shape[0], part, count] : [boxes.shape[0], count, part] }
    return [
      .tensor(TensorType(boxes.dtype, shape(4))), .tensor(TensorType(scores.dtype, shape(scores.shape[parts]))),
      .tensor(TensorType(.int32, [boxes.shape[0], count])),
    ] + (givesCounts ? [.tensor(TensorType(.int32, [boxes.shape[0]]))] : [])
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    let (rows, parts) = (operands.extent(count), SymbolicExtent.fixed(4))
    return operands.leading(1, of: 0, boxesLast ? [parts, rows] : [rows, parts])
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    func ordered(_ view: TensorView) -> TensorView { boxesLast ? view.permuted([0, 2, 1]) : view }
    let boxes = ordered(node.strided(0, as: .float32))
    let scores = ordered(node.strided(1, as: .float32))
    let (images, count) = (boxes.shape[0], boxes.shape[1])
    if images == 0 { return }
    let chosenBoxes = node.staging(0, as: .float32)
    let chosenScores = node.staging(1, as: .float32)
    let limit = node.outputs[2].shape[1]
    let (overlap, score) = (overlapOperand.map { node.scalar($0) }, scoreOperand.map { node.scalar($0) })
    let work = Double(images) * Double(count) * (Double(min(limit, count) + 1) * 20 + Double(scores.shape[2]))
    node.emit(
      "nms \(count) boxes", flops: work, work: .single,
      suppression.kernel(
        boxes: boxes, scores: scores, best: node.temporary(.float32, [images, max(count, 1)]),
        classes: node.temporary(.int32, [images, max(count, 1)]), chosenBoxes: ordered(chosenBoxes),
        chosenScores: ordered(chosenScores), indices: node.outputs[2], counts: givesCounts ? node.outputs[3] : nil
      ) { suppression, context in
        if let overlap { suppression.overlapThreshold = Float(overlap.scalar(context).doubleValue) }
        if let score { suppression.scoreThreshold = Float(score.scalar(context).doubleValue) }
      })
    node.finish(0, from: chosenBoxes)
    node.finish(1, from: chosenScores)
  }
}
