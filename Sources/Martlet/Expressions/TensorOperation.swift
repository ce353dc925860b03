import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// The operation of a step: an operator of the engine with its attributes. Equal operations can share a plan.
enum TensorOperation: Hashable, Sendable {
  case pointwise(PointwiseProgram, DType)
  /// Operand: a scalar.
  case full([Int], DType)
  case matMul(DType)
  case softmax(axis: Int, DType)
  case reduce(Reduce.Function, ReducedAxes, DType)
  case position(ofMaximum: Bool, axis: Int?, keepsAxes: Bool)
  /// A nil count selects all elements. Results: values and positions.
  case top(count: Int?, axis: Int, largest: Bool)
  case runningSum(axis: Int, DType)
  case gather(SliceIndexing)
  case scatter(axis: Int)
  case reshape([Int])
  case permute([Int])
  case expand([Int])
  case slice(axis: Int, SliceRange)
  case select(axis: Int, index: Int)
  case concat(axis: Int, DType)
  /// Operands: a tensor and, for constant padding, a scalar.
  case pad(Pad.Mode, before: [Int], after: [Int])
  case flip([Int])
  case tile([Int])
  case triangle(keepsUpper: Bool, diagonal: Int)
  case resizeNearest(height: Int, width: Int)
  case resizeBilinear(height: Int, width: Int, alignCorners: Bool)

  /// The engine's operator.
  var planned: any Operator {
    func constants(_ numbers: [Int]) -> [IntArgument] { numbers.map { .constant($0) } }
    return switch self {
    case .pointwise(let program, let dtype): Pointwise(program, dtype: dtype, label: "pointwise")
    case .full(let shape, let dtype): Full(shape: constants(shape), dtype: dtype)
    case .matMul(let dtype): MatMul(dtype: dtype)
    case .softmax(let axis, let dtype): Softmax(axis: axis, dtype: dtype)
    case .reduce(let function, let axes, let dtype): Reduce(function, axes: axes.axes, keepsAxes: axes.keepsAxes, dtype: dtype)
    case .position(let isMaximum, let axis, let keepsAxes): ArgReduce(wantsMaximum: isMaximum, axis: axis, keepsAxes: keepsAxes)
    case .top(let count, let axis, let largest): TopK(count: count.map { .constant($0) }, axis: axis, largest: largest)
    case .runningSum(let axis, let dtype): CumulativeSum(axis: axis, dtype: dtype)
    case .gather(let indexing): GatherSlices(indexing)
    case .scatter(let axis): ScatterElements(axis: axis, .update, allowsNegative: true)
    case .reshape(let shape): Reshape(shape: constants(shape))
    case .permute(let axes): Permute(axes: axes)
    case .expand(let shape): Expand(shape: constants(shape))
    case .slice(let axis, let range): Slice(axis: axis, range: range)
    case .select(let axis, let index): Select(axis: axis, index: .constant(index))
    case .concat(let axis, let dtype): Concat(axis: axis, dtype: dtype)
    case .pad(let mode, let before, let after): Pad(mode, before: constants(before), after: constants(after))
    case .flip(let axes): Flip(axes: axes)
    case .tile(let counts): Repeat(counts: constants(counts))
    case .triangle(let keepsUpper, let diagonal): Triangle(keepsUpper: keepsUpper, diagonal: .constant(diagonal))
    case .resizeNearest(let height, let width): ResizeNearest(target: ResizeTarget(size: constants([height, width]), factors: nil))
    case .resizeBilinear(let height, let width, let alignCorners):
      ResizeBilinear(
        target: ResizeTarget(size: constants([height, width]), factors: nil), alignCorners: alignCorners, antialiases: false)
    }
  }

  /// Types of the results.
  /// - Throws: the reason why the operands do not fit.
  func types(_ operands: [TensorStep.Operand]) throws(OperatorError) -> [TensorType] {
    let operands = Operands(
      operands.map { operand in
        switch operand {
        case .tensor(let value): .tensor(value.type)
        case .number(let number): .scalar(.known(number))
        }
      })
    var types: [TensorType] = []
    for case .tensor(let type) in try planned.infer(operands) {
      guard HostTensor.byteCount(dtype: type.dtype, shape: type.shape) != nil else { throw .invalid("\(type) is too large") }
      types.append(type)
    }
    return types
  }
}
