package import MartletGraph
import MartletKernels
import MartletTensor

/// Scaling of a Fourier transform. Raw values are those of ATen.
package enum FourierScaling: Int, Sendable, Hashable {
  case none = 0
  /// Divided by the square root of the number of elements along the transformed axes.
  case bySquareRoot = 1
  /// Divided by the number of elements along the transformed axes.
  case byCount = 2

  func factor(_ count: Int) -> Double {
    switch self {
    case .none: 1
    case .bySquareRoot: 1 / Double(count).squareRoot()
    case .byCount: 1 / Double(count)
    }
  }
}

/// Fourier transform of real elements along some axes, starting with the last one.
/// - Shapes: any; with `isOneSided` the last transformed axis keeps the first `extent / 2 + 1` frequencies.
/// - DTypes: float32 to complex64, float64 to complex128. - Accuracy: computed in double precision.
/// - Sources: ATen `_fft_r2c.out`.
package struct RealFourier: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating32)], accuracy: .lengthScaled)

  package var axes: [Int]
  package var scaling: FourierScaling
  package var isOneSided: Bool
  package var name: String { "fourier_real" }

  package init(axes: [Int], scaling: FourierScaling, isOneSided: Bool) {
    self.axes = axes
    self.scaling = scaling
    self.isOneSided = isOneSided
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype == .float32 || x.dtype == .float64 else { throw .unsupported("a Fourier transform of \(x.dtype)") }
    let axes = try transformedAxes(axes, x.shape)
    var shape = x.shape
    let last = axes[axes.count - 1]
    if isOneSided { shape[last] = shape[last] / 2 + 1 }
    return [.tensor(TensorType(x.dtype == .float64 ? .complex128 : .complex64, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard isOneSided, let last = axes.last else { return operands.shape(0) }
    return operands.shape(0, replacing: last, by: nil)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.contiguous(0)
    let y = node.staging(0, as: node.outputs[0].dtype)
    if y.isEmpty { return }
    let axes = try transformedAxes(axes, x.shape)
    let count = axes.reduce(1) { $0 * x.shape[$1] }
    let last = axes[axes.count - 1]
    let rest = Array(axes.dropLast())
    node.emitFourier(
      .realToComplex, axis: last, length: x.shape[last], from: x, to: y,
      scale: rest.isEmpty ? scaling.factor(count) : 1)
    for (number, axis) in rest.enumerated() {
      node.emitFourier(
        .complex(isInverse: false), axis: axis, length: x.shape[axis], from: y, to: y,
        scale: number == rest.count - 1 ? scaling.factor(count) : 1)
    }
    node.finish(0, from: y)
  }
}

/// Inverse Fourier transform to real elements along some axes, ending with the last one.
/// - Shapes: any; the last transformed axis gets `lastExtent` elements and has at least `lastExtent / 2 + 1` frequencies.
/// - DTypes: complex64 to float32, complex128 to float64. - Accuracy: each axis in double precision.
/// - Sources: ATen `_fft_c2r.out`.
package struct InverseRealFourier: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .complex)], accuracy: .lengthScaled)

  package var axes: [Int]
  package var scaling: FourierScaling
  package var lastExtent: IntArgument
  package var name: String { "fourier_inverse_real" }

  package init(axes: [Int], scaling: FourierScaling, lastExtent: IntArgument) {
    self.axes = axes
    self.scaling = scaling
    self.lastExtent = lastExtent
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.dtype.isComplex else { throw .unsupported("an inverse Fourier transform of \(x.dtype)") }
    let axes = try transformedAxes(axes, x.shape)
    let extent = try operands.int(lastExtent)
    let last = axes[axes.count - 1]
    guard extent >= 1, extent / 2 < x.shape[last] else {
      throw .invalid("\(x.shape[last]) frequencies do not give \(extent) elements")
    }
    var shape = x.shape
    shape[last] = extent
    return [.tensor(TensorType(x.dtype == .complex128 ? .float64 : .float32, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    axes.last.flatMap { operands.shape(0, replacing: $0, by: operands.extent(lastExtent)) }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    var x = node.contiguous(0)
    let y = node.staging(0, as: node.outputs[0].dtype)
    if y.isEmpty { return }
    let axes = try transformedAxes(axes, x.shape)
    let count = axes.reduce(1) { $0 * y.shape[$1] }
    let last = axes[axes.count - 1]
    for axis in axes.dropLast() {
      let next = node.temporary(x.dtype, x.shape)
      node.emitFourier(.complex(isInverse: true), axis: axis, length: x.shape[axis], from: x, to: next, scale: 1)
      x = next
    }
    node.emitFourier(.complexToReal, axis: last, length: y.shape[last], from: x, to: y, scale: scaling.factor(count))
    node.finish(0, from: y)
  }
}

/// The axes counted from the front. There must be at least one, no axis may be listed twice, and none may have extent 0.
private func transformedAxes(_ axes: [Int], _ shape: [Int]) throws(OperatorError) -> [Int] {
  var result: [Int] = []
  for axis in axes {
    guard !shape.isEmpty, let normal = Shape.normalizedAxis(axis, rank: shape.count), !result.contains(normal) else {
      throw .invalid("axes \(axes) do not fit \(shape)")
    }
    guard shape[normal] > 0 else { throw .invalid("axis \(axis) of \(shape) is empty and cannot be transformed") }
    result.append(normal)
  }
  if result.isEmpty { throw .invalid("there is no axis to transform") }
  return result
}

extension NodePlan {
  /// Emits the transform of row-major `x` along `axis` into `y`, for lines of `length` elements.
  fileprivate func emitFourier(
    _ kind: FourierKernel.Kind, axis: Int, length: Int, from x: TensorView, to y: TensorView, scale: Double
  ) {
    let kernel = FourierKernel(
      kind, outer: Extent.product(x.shape.prefix(axis)).clamped, inner: Extent.product(x.shape.dropFirst(axis + 1)).clamped,
      sourceExtent: x.shape[axis], targetExtent: y.shape[axis], scale: scale, transform: FourierTransform(count: length))
    let scratch = workerScratch(byteCount: kernel.scratchByteCount)
    // About 5 n log n per line.
    let steps = Int.bitWidth - length.leadingZeroBitCount
    let flops = 5 * Double(max(x.elementCount, y.elementCount)) * Double(steps)
    emit("fourier \(x.shape) along \(axis)", flops: flops, work: .depthwise, kernel.kernel(from: x, to: y, scratch: scratch))
  }
}
