package import MartletGraph
import MartletKernels
import MartletTensor

/// A strided range of an axis: the positions `start, start + step, …`.
///
/// The start may be a run-time value without replanning, as long as the number of positions is known.
package struct SliceRange: Sendable, Hashable {
  package enum End: Sendable, Hashable {
    /// Up to the end of the axis.
    case rest
    /// Up to, but not including, a position; negative positions count from the end, and both ends are clamped to the axis.
    case position(IntArgument)
    /// This number of positions, which must exist.
    case count(IntArgument)
    /// As many positions as the second operand has along the axis; they must exist.
    case source
  }

  package var start: IntArgument
  package var end: End
  package var step: Int
  /// Whether negative positions count from the end; otherwise they are out of range.
  package var allowsNegative: Bool

  package init(start: IntArgument = .constant(0), end: End = .rest, step: Int = 1, allowsNegative: Bool = true) {
    self.start = start
    self.end = end
    self.step = step
    self.allowsNegative = allowsNegative
  }

  private var isClamped: Bool {
    switch end {
    case .rest, .position: true
    case .count, .source: false
    }
  }

  /// The position counted from the front and, for clamped slices, limited to `0...extent`.
  private func placed(_ position: Int, extent: Int) -> Int {
    // In range: the sum of a negative position and an extent.
    let front = position < 0 && allowsNegative ? position + extent : position
    return isClamped ? min(max(front, 0), extent) : front
  }

  /// Number of positions on an axis of `extent`. `sourceExtent` is the second operand's extent, for `.source`.
  func count(_ operands: Operands, extent: Int, sourceExtent: Int? = nil) throws(OperatorError) -> Int {
    guard step > 0 else { throw .invalid("the step \(step) is not positive") }
    let known = try operands.knownPosition(start)
    switch end {
    case .count(let argument):
      return try checked(try operands.int(argument), known, extent)
    case .source:
      guard let sourceExtent else { throw .invalid("the slice needs a source") }
      return try checked(sourceExtent, known, extent)
    case .rest:
      let first = placed(try operands.position(start), extent: extent)
      // In range: the position lies on the axis.
      return first == extent ? 0 : (extent - first - 1) / step + 1
    case .position(let argument):
      guard let known else {
        let length = try operands.difference(argument, start)
        guard length <= extent else { throw .invalid("a slice of \(length) positions exceeds an axis of extent \(extent)") }
        // In range: the length is positive and at most the extent.
        return length <= 0 ? 0 : (length - 1) / step + 1
      }
      let first = placed(known, extent: extent)
      let last = placed(try operands.position(argument), extent: extent)
      return last <= first ? 0 : (last - first - 1) / step + 1
    }
  }

  private func checked(_ count: Int, _ start: Int?, _ extent: Int) throws(OperatorError) -> Int {
    guard count >= 0, count <= extent else {
      throw .invalid("a slice of \(count) positions does not fit an axis of extent \(extent)")
    }
    if let start { _ = try fitted(start, count: count, extent: extent) }
    return count
  }

  private func fitted(_ start: Int, count: Int, extent: Int) throws(OperatorError) -> Int {
    let first = placed(start, extent: extent)
    // In range: the position lies on the axis.
    guard first >= 0, first <= extent, count == 0 || Extent(max(count - 1, 0)) * step < Extent(extent - first) else {
      throw .invalid("\(count) positions from \(start) are out of range for an axis of extent \(extent)")
    }
    return first
  }

  /// The part of `view` selected by the range; nil if its start is not known.
  func view(of view: TensorView, axis: Int, count: Int, node: NodePlan) throws(OperatorError) -> TensorView? {
    guard let start = node.int(start).known else { return nil }
    let first = try fitted(start, count: count, extent: view.shape[axis])
    return view.sliced(axis: axis, start: first, count: count, step: step)
  }

  /// The part of `view` as if the range started at position 0, and its run-time offset in elements.
  func runtimeView(
    of view: TensorView, axis: Int, count: Int, node: NodePlan
  ) -> (view: TensorView, offset: @Sendable (KernelContext) throws -> Int) {
    let start = node.int(start)
    let extent = view.shape[axis]
    let stride = view.strides[axis]
    let range = self
    var base = view
    base.shape[axis] = count
    // Wraps only for steps that exceed every axis; the kernel rejects these when the start is known.
    base.strides[axis] = count > 1 ? stride &* step : stride
    return (
      base,
      { context in
        let position = start.value(context)
        do throws(OperatorError) {
          // In range: a position on the axis.
          return try range.fitted(position, count: count, extent: extent) * stride
        } catch {
          throw KernelError("\(count) positions from \(position) are out of range for an axis of extent \(extent)")
        }
      }
    )
  }
}
