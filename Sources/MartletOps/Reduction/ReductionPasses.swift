import MartletGraph
import MartletKernels
import MartletTensor

/// A run of adjacent axes of a strided operand that are all reduced or all kept.
private struct AxisRun {
  var extent: Int
  var stride: Int
  var isReduced: Bool
}

/// Splits the reduction of a strided tensor over any axes into passes over memory.
struct ReductionPasses {
  /// Kept axes of the operand in the memory order that the last pass produces, outermost first.
  let keptOrder: [Int]
  private var runs: [AxisRun]

  /// Nil if the operand must be copied first because its innermost axis is strided or its elements repeat.
  init?(_ view: TensorView, reducing axes: [Int]) {
    let order = view.shape.indices.filter { view.shape[$0] != 1 }
      .sorted { (view.strides[$0], $1) > (view.strides[$1], $0) }
    var runs: [AxisRun] = []
    for axis in order {
      guard view.strides[axis] > 0 else { return nil }
      let run = AxisRun(extent: view.shape[axis], stride: view.strides[axis], isReduced: axes.contains(axis))
      if let last = runs.last, last.isReduced == run.isReduced, last.stride == run.stride * run.extent {
        runs[runs.count - 1] = AxisRun(extent: last.extent * run.extent, stride: run.stride, isReduced: run.isReduced)
      } else {
        runs.append(run)
      }
    }
    if let last = runs.last, last.stride != 1 { return nil }
    self.runs = runs
    keptOrder = order.filter { !axes.contains($0) }
  }

  /// The next pass, after which the remaining runs are dense; nil when nothing is left to reduce.
  private mutating func next(_ result: ReducePass.Result) -> ReducePass? {
    guard let index = runs.lastIndex(where: \.isReduced) else { return nil }
    let run = runs.remove(at: index)
    let isRows = index == runs.count
    let lane = runs.popLast()
    let direction: ReducePass.Direction = isRows ? .rows(laneStride: lane?.stride ?? run.extent) : .columns(stride: run.stride)
    let pass = ReducePass(
      direction: direction, count: run.extent, lanes: lane?.extent ?? 1, outer: runs.map { ($0.extent, $0.stride) },
      result: result)
    if let lane { runs.append(lane) }
    // The remaining runs are dense in the result of this pass.
    var stride = 1
    for index in runs.indices.reversed() {
      runs[index].stride = stride
      stride *= runs[index].extent
    }
    var joined: [AxisRun] = []
    for run in runs {
      if let last = joined.last, last.isReduced == run.isReduced {
        joined[joined.count - 1] = AxisRun(extent: last.extent * run.extent, stride: run.stride, isReduced: run.isReduced)
      } else {
        joined.append(run)
      }
    }
    runs = joined
    return pass
  }

  /// All passes, at least one. The first pass applies `function`; later passes combine partial results.
  func passes(_ function: ReduceFunction, divisor: Double?) -> [ReducePass] {
    var rest = self
    var passes: [ReducePass] = []
    while let pass = rest.next(.reduction(passes.isEmpty ? function : function.ofPartialResults, divisor: nil)) {
      passes.append(pass)
    }
    if passes.isEmpty {
      // Every reduced axis has extent 1: each element is reduced on its own.
      passes.append(
        ReducePass(
          direction: .columns(stride: 0), count: 1, lanes: runs.last?.extent ?? 1,
          outer: runs.dropLast().map { ($0.extent, $0.stride) }, result: .reduction(function, divisor: nil)))
    }
    if let divisor, case .reduction(let last, _) = passes[passes.count - 1].result {
      passes[passes.count - 1].result = .reduction(last, divisor: divisor)
    }
    return passes
  }

  /// The pass that finds indices along a single reduced axis; nil if the axis has extent 1.
  func positions(ofMaximum: Bool) -> ReducePass? {
    var rest = self
    return rest.next(.position(ofMaximum: ofMaximum))
  }
}

extension TensorView {
  /// A complex tensor as a real one with a trailing axis of extent 2 for the real and imaginary parts.
  var complexParts: TensorView {
    TensorView(
      buffer: buffer, offset: offset * 2, dtype: dtype == .complex128 ? .float64 : .float32, shape: shape + [2],
      strides: strides.map { $0 * 2 } + [1])
  }
}
