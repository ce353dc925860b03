package import MartletGraph
import MartletKernels
package import MartletTensor
import MartletVocabulary

/// Sum, mean, product, extremum or logical reduction of the elements along some axes.
/// - Shapes: any; reduced axes are removed or kept with extent 1.
/// - DTypes: the real ones; complex for sums and means. Sums, means and products are computed in the type of the result (float16 and
///   bfloat16 in float32, integers in int64 with wrap-around), all others in the type of the operand.
/// - Special values: extrema and sums over NaN are NaN; NaN counts as true; the mean of an empty range is NaN; extrema of an empty range
///   are rejected.
/// - Accuracy: see `martlet_reduction.h`.
/// - Sources: ATen `sum.IntList_out`, `mean.out`, `prod.out`, `amax.out`, `any.dims_out` and relatives; MIL `reduce_*`.
package struct Reduce: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .lengthScaled)

  package enum Function: String, Sendable, Hashable {
    case sum, mean, prod, max, min, any, all
    /// Sums of absolute values and of squares.
    case sumAbs, sumSquares
  }

  package var function: Function
  package var axes: ReducedAxes
  /// Dtype of the result.
  package var dtype: DType

  package var name: String { "reduce_\(function.rawValue)" }
  package var attributes: [(name: String, value: String)] {
    [("axes", axes.axes.map { "\($0)" } ?? "all"), ("keeps", "\(axes.keepsAxes)"), ("dtype", dtype.name)]
  }

  package init(_ function: Function, axes: [Int]?, keepsAxes: Bool, dtype: DType) {
    self.function = function
    self.axes = ReducedAxes(axes, keepsAxes: keepsAxes)
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let reduced = try axes.normalized(rank: x.rank)
    if x.dtype.isComplex || dtype.isComplex {
      guard x.dtype == dtype, function == .sum || function == .mean else {
        throw .unsupported("\(name) of \(x.dtype) to \(dtype)")
      }
    }
    if function == .max || function == .min, reduced.contains(where: { x.shape[$0] == 0 }), x.elementCount == 0 {
      let shape = try axes.reducing(x.shape)
      if !shape.contains(0) { throw .invalid("the \(function.rawValue)imum of an empty range does not exist: the operand is \(x.shape)") }
    }
    return [.tensor(TensorType(dtype, try axes.reducing(x.shape)))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    axes.reducing(operands.shape(0))
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    guard function == .mean, let axes = axes.axes.map({ Set($0) }), axes == [2, 3] || axes == [-1, -2] else { return nil }
    return NarrowForm(narrowed: nil, operands: Set(operands.indices))
  }

  /// The type of the computation.
  private func computeType(of operand: DType) throws(OperatorError) -> DType {
    let type: DType
    switch function {
    case .max, .min, .any, .all: type = operand
    case .mean: type = dtype.isFloatingPoint ? dtype : .float32
    case .sum, .prod, .sumAbs, .sumSquares: type = dtype
    }
    switch ComputeType(for: type) {
    case .float32?: return .float32
    case .float64?: return .float64
    case .int64?: return .int64
    case .uint64?:
      if function == .max || function == .min { throw .unsupported("\(name) of \(type)") }
      return .int64
    case nil: throw .unsupported("\(name) of \(type)")
    }
  }

  private var kernelFunction: ReduceFunction {
    switch function {
    case .sum, .mean: .sum
    case .prod: .prod
    case .max: .max
    case .min: .min
    case .any: .any
    case .all: .all
    case .sumAbs: .sumAbs
    case .sumSquares: .sumSquares
    }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let operand = node.operandType(0)
    let reduced = try axes.normalized(rank: operand.rank)
    if operand.dtype.isComplex {
      return reduce(node.input(0).complexParts, reduced, to: node.outputs[0].complexParts, node)
    }
    if planHalfMean(node, reduced) { return }
    let type = try computeType(of: operand.dtype)
    var view: TensorView
    if dtype == .bool, function == .sum || function == .prod {
      // As in ATen, elements are first converted to truth values.
      let truth = node.contiguous(0, as: .bool)
      view = node.builder.materialize(truth, order: Array(truth.shape.indices), dtype: type, source: node.source)
    } else {
      view = node.strided(0, as: type)
    }
    reduce(view, reduced, to: node.outputs[0], node)
  }

  /// Plans the mean over the pixels of channels-last images in half precision. Returns false for anything else.
  private func planHalfMean(_ node: NodePlan, _ reduced: [Int]) -> Bool {
    let x = node.input(0)
    guard function == .mean, [.float16, .bfloat16].contains(x.dtype), [.float32, x.dtype].contains(dtype), x.rank == 4,
      reduced.sorted() == [2, 3], x.strides[1] == 1, x.strides[2] == x.strides[3] * x.shape[3], !x.isEmpty
    else { return false }
    let output = node.outputs[0]
    let isDirect = output.dtype == .float32 && output.isContiguous
    let target = isDirect ? output : node.temporary(.float32, output.shape)
    node.emit("\(name) \(x.shape)", flops: Double(x.elementCount), PixelMean.kernel(from: x, to: target))
    if !isDirect { node.builder.emitCopy(from: target, to: output, source: node.source) }
    return true
  }

  /// Reduces `view`, which has a compute type, and converts the result to the dtype of `output`.
  private func reduce(_ view: TensorView, _ reduced: [Int], to output: TensorView, _ node: NodePlan) {
    let builder = node.builder
    if output.isEmpty { return }
    let count = reduced.reduce(1) { $0 * view.shape[$1] }
    let divisor = function == .mean ? Double(count) : nil
    var source = view
    var passes: [ReducePass]
    var order: [Int]
    if count == 0 {
      // Every result is a reduction of an empty range.
      let results = output.elementCount
      passes = [
        ReducePass(
          direction: .rows(laneStride: 0), count: 0, lanes: results, outer: [],
          result: .reduction(kernelFunction, divisor: divisor))
      ]
      order = view.shape.indices.filter { !reduced.contains($0) }
    } else {
      var plan = ReductionPasses(source, reducing: reduced)
      if plan == nil {
        source = builder.materialize(view, order: Array(view.shape.indices), dtype: view.dtype, source: node.source)
        plan = ReductionPasses(source, reducing: reduced)
      }
      passes = plan!.passes(kernelFunction, divisor: divisor)
      order = plan!.keptOrder
    }
    let target = destination(for: view, reduced, order, output, builder)
    for (number, pass) in passes.enumerated() {
      let isLast = number == passes.count - 1
      let result = isLast ? target : builder.temporary(TensorType(view.dtype, [pass.resultCount]))
      let scratch = pass.scratchCount > 0 ? builder.temporary(TensorType(view.dtype, [pass.scratchCount])) : nil
      builder.touch(source.buffer)
      builder.emit(
        label: "\(name) \(view.shape)", source: node.source, flops: Double(pass.resultCount * pass.count),
        bytes: Double(pass.resultCount * (pass.count + 1) * view.dtype.byteCount), elementCount: pass.resultCount,
        kernel: pass.kernel(from: source, to: result, scratch: scratch))
      source = result
    }
    if target != output { builder.emitCopy(from: target, to: output, source: node.source) }
  }

  /// The output if the last pass can write it, otherwise a temporary tensor in the axis order that the pass produces.
  private func destination(
    for view: TensorView, _ reduced: [Int], _ keptOrder: [Int], _ output: TensorView, _ builder: PlanBuilder
  ) -> TensorView {
    // Axes of the result for axes of the operand.
    let kept = view.shape.indices.filter { !reduced.contains($0) }
    let isFull = output.rank == view.rank
    let position = { (axis: Int) in isFull ? axis : kept.firstIndex(of: axis)! }
    var order = keptOrder.map(position)
    order = output.shape.indices.filter { !order.contains($0) } + order
    if output.dtype == view.dtype, output.isDense(inOrder: order) { return output }
    return builder.temporary(TensorType(view.dtype, output.shape), order: order)
  }
}
